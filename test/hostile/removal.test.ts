/**
 * Every value that could mislead, in every word that removals, makings and other options go by: no
 * call that is made for a user's own call throws, none hangs. Whoever makes or looks up a breaker
 * may be told that the region is damaged.
 */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { RegionError, RegistryFullError } from '../../src/index.ts'
import { packState, REMOVED } from '../../src/memory/words/state.ts'
import { packMaking } from '../../src/memory/words/threads.ts'
import { Random } from '../model/random.ts'
import { callOnce, describeError, Faults, within } from './calls.ts'
import { BREAKERS, type Hostile, makeHostile } from './words.ts'

const CLASSES = [
  'ENTRY',
  'MAKING',
  'definition',
  'FIRST to MOST_TRIALS',
  'longest',
  'edition of ENTRY',
  'USED_MS and FIRST',
]
const VALUES = [0, -1, 1, 2, 5, 63, 65, 2 ** 22 - 1, 2 ** 22, 2 ** 31 - 1, -(2 ** 31), 0x7ff00000]
const CALLS = 20

beforeEach(() => {
  vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
})
afterEach(() => {
  vi.restoreAllMocks()
})

/** What a user's call does with each breaker, by a handle from before the damage. */
function callAll(hostile: Hostile, damage: () => void, fault: (what: string) => void): void {
  const { registry } = hostile
  const breakers = Object.keys(BREAKERS).map(name => registry.breaker(name))
  const permits = breakers.map(breaker => breaker.tryAcquire())
  damage()
  const hot = (work: () => unknown): void => {
    try {
      work()
    } catch (error) {
      fault(`throws ${describeError(error)}`)
    }
  }
  for (let call = 0; call < CALLS; call++) {
    breakers.forEach((breaker, index) => {
      hot(() => breaker.recordFailure(permits[index] ?? 0, 1))
      hot(() => breaker.release(permits[index] ?? 0))
      hot(() => {
        permits[index] = breaker.tryAcquire()
      })
      hot(() => breaker.canExecute())
      hot(() => breaker.state)
    })
    registry.advance(call * 10)
  }
  for (const name of Object.keys(BREAKERS)) makeAndRemove(hostile, name, fault)
  const random = new Random(1)
  const onThrow = (call: string, error: unknown): void => fault(`${call}: ${describeError(error)}`)
  for (let call = 0; call < CALLS; call++) {
    callOnce({ random, registry, breakers, permits: [], onThrow })
  }
}

function makeAndRemove({ registry }: Hostile, name: string, fault: (what: string) => void): void {
  for (const work of [() => registry.breaker(name), () => registry.remove(name)]) {
    try {
      work()
    } catch (error) {
      const isSaid = error instanceof RegionError || error instanceof RegistryFullError
      if (!isSaid) fault(`making throws ${describeError(error)}`)
    }
  }
}

/** The calls in a region of their own that is damaged in their midst; `what` says how. */
function callDamaged(faults: Faults, what: string, damage: (hostile: Hostile) => void): void {
  const hostile = makeHostile('manual')
  within(
    5000,
    () => what,
    () => {
      callAll(
        hostile,
        () => damage(hostile),
        fault => faults.add(fault, what),
      )
    },
  )
  hostile.registry.close()
}

it.each(CLASSES)('%s: no call throws, none hangs', name => {
  const faults = new Faults()
  const { classes } = makeHostile('manual')
  const words = classes
    .filter(of => of.name === name)
    .flatMap(({ from, length }) => Array.from({ length }, (_, index) => from + index))
  expect(words.length).toBeGreaterThan(0)
  for (const at of words.filter((_, index) => index % Math.ceil(words.length / 24) === 0)) {
    for (const value of VALUES) {
      callDamaged(faults, `word ${at} = ${value}`, ({ memory }) => {
        memory[at] = value
      })
    }
  }
  expect(faults.list()).toEqual([])
})

const STATES: [string, number][] = [0, 1, 2, 3, 4, 5, REMOVED, 7].flatMap(state =>
  [0, 1, 5, 2 ** 22 - 1].flatMap(generation =>
    [0, 1, 2, 63].map((edition): [string, number] => [
      `generation ${generation}, edition ${edition}, state ${state}`,
      packState(generation, state, edition),
    ]),
  ),
)

it('STATE of every state, edition and generation: no call throws, none hangs', () => {
  const faults = new Faults()
  for (const [what, word] of STATES) {
    callDamaged(faults, what, ({ cells, memory }) => {
      for (const { state } of cells) memory[state] = word
    })
  }
  expect(faults.list()).toEqual([])
})

const MAKINGS = [-1, 0, 3, 70, 2 ** 20 - 2].flatMap(definition =>
  [0, 4, 5, 6, 2 ** 18 - 1].map(entry => ({ sequence: 6, definition, entry })),
)

it.each(['MAKING', 'MAKING of controls'])('%s: no call throws, none hangs', name => {
  const faults = new Faults()
  for (const making of MAKINGS) {
    callDamaged(faults, JSON.stringify(making), ({ classes, memory }) => {
      const at = classes.find(of => of.name === name)
      memory.longs[(at?.from ?? Number.NaN) / 2] = packMaking(making)
    })
  }
  expect(faults.list()).toEqual([])
})
