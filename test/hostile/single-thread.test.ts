/**
 * Words of every class overwritten while one thread calls: no call throws, none hangs, and what is
 * noticed is counted, and warned of once. Everything follows from the seed that is printed.
 */
import { afterEach, beforeEach, expect, it, type MockInstance, vi } from 'vitest'
import { attachRegistry, REFUSED } from '../../src/index.ts'
import { baseSeed, historyCount, Random } from '../model/random.ts'
import { type Caller, callOnce, describeError, Faults, within } from './calls.ts'
import {
  classesOf,
  damagedValue,
  type Hostile,
  makeHostile,
  TRIAL_TIMEOUT_MS,
  WAIT_MS,
  type WordClass,
} from './words.ts'
import { controlsOf } from './words-controls.ts'

const REGIONS = historyCount(3000)
const CALLS = 30

let warnings: MockInstance<typeof process.emitWarning>
beforeEach(() => {
  warnings = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
})
afterEach(() => {
  vi.restoreAllMocks()
})

function warningsOfDamage(): number {
  return warnings.mock.calls.filter(([text]) => String(text).startsWith('busbar: damaged')).length
}

function callerOf({ registry, cells }: Hostile, random: Random): Omit<Caller, 'onThrow'> {
  const breakers = registry.names().map(name => registry.breaker(name))
  expect(breakers).toHaveLength(cells.length)
  return { random, registry, breakers, permits: [] }
}

/** Overwrites one word; which, and with what. */
function damage(hostile: Hostile, random: Random, among: readonly WordClass[]): string {
  const { name, from, length } = random.pick(among)
  const at = from + random.between(0, length - 1)
  const value = damagedValue(random, hostile.memory, at)
  hostile.memory[at] = value
  return `${name}, word ${at} = ${value}`
}

it(
  `${REGIONS} regions with damage of every kind: no call throws, none hangs`,
  () => {
    const base = baseSeed('hostile, one thread')
    const faults = new Faults()
    for (let seed = base; seed < base + REGIONS; seed++) {
      const random = new Random(seed)
      const hostile = makeHostile('manual')
      const story: string[] = []
      const caller: Caller = {
        ...callerOf(hostile, random),
        onThrow: (call, error) =>
          faults.add(`${call} throws ${describeError(error)}`, `seed ${seed}: ${story.join('; ')}`),
      }
      // Half of the regions are used by a thread without a slot of its own.
      if (seed % 2 === 1) hostile.registry.close()
      const before = warningsOfDamage()
      const registry = attachRegistry(hostile.registry.handle)
      const permits = { throttle: [], bulkhead: [] }
      const controls = { random, controls: controlsOf(registry), permits }
      const live = { ...caller, registry, controls }
      within(
        5000,
        () => `seed ${seed}: ${story.join('; ')}`,
        () => playHostile(hostile, live, story),
      )
      const warned = warningsOfDamage() - before
      if (warned > 1) faults.add(`${warned} warnings of one region`, `seed ${seed}`)
      live.registry.close()
      hostile.registry.close()
    }
    expect(faults.list()).toEqual([])
  },
  REGIONS * 100,
)

function playHostile(hostile: Hostile, caller: Caller, story: string[]): void {
  const { random } = caller
  for (let call = 0; call < CALLS; call++) callOnce(caller)
  for (let round = 0; round < 3; round++) {
    story.push(damage(hostile, random, hostile.classes))
    for (let call = 0; call < CALLS; call++) {
      callOnce(caller)
      if (random.chance(0.1)) caller.registry.advance(random.pick([1, 100, 1000]))
    }
  }
}

it(
  `${REGIONS} regions with one word of a record damaged: every breaker admits again in the end`,
  () => {
    const base = baseSeed('hostile, recovery')
    const faults = new Faults()
    for (let seed = base; seed < base + REGIONS; seed++) {
      const random = new Random(seed)
      const hostile = makeHostile('manual')
      const caller = { ...callerOf(hostile, random), onThrow: () => {} }
      for (let call = 0; call < CALLS * 2; call++) callOnce(caller)
      const index = random.between(0, hostile.cells.length - 1)
      const cell = hostile.cells[index]
      const breaker = caller.breakers[index]
      if (cell === undefined || breaker === undefined) throw new RangeError('no such breaker')
      const [before, generation] = [breaker.state, breaker.snapshot().generation]
      const what = damage(hostile, random, classesOf(cell))
      if (!recovers(hostile, breaker)) {
        const { state } = breaker
        const [name] = what.split(',')
        const where = `seed ${seed}: ${breaker.name}, ${before}, generation ${generation}; ${what}`
        if (state !== 'forced-open') faults.add(`${state} for ever by damage of ${name}`, where)
      }
      hostile.registry.close()
    }
    expect(faults.list()).toEqual([])
  },
  REGIONS * 100,
)

/** Whether the breaker admits a call once more, when every wait and lease it may have is over. */
function recovers({ registry }: Hostile, breaker: Caller['breakers'][number]): boolean {
  for (let round = 0; round < 20; round++) {
    registry.advance(2 * (WAIT_MS + TRIAL_TIMEOUT_MS))
    const permit = breaker.tryAcquire()
    if (permit !== REFUSED) return true
  }
  return false
}
