/**
 * The keeper's words overwritten, with a keeper and without: refusals are never early and end on
 * time, nothing throws, no thread hangs and no keeper stays behind. The words follow from the seed
 * that is printed.
 */
import { expect, it } from 'vitest'
import {
  attachRegistry,
  REFUSED,
  RegionError,
  type Registry,
  type RegistryHandle,
} from '../../src/index.ts'
import { type Memory, store, viewsOf } from '../../src/memory/atomics.ts'
import { HEADER } from '../../src/memory/layout.ts'
import { attachRegion } from '../../src/memory/region.ts'
import { baseSeed, Random } from '../model/random.ts'
import { clockBeside, makeKept, within } from '../threads/keeper/support.ts'
import { damagedValue } from './words.ts'

const WAIT_MS = 20
const ROUNDS = 20
/** Calls in a row that a word which is no keeper's may mislead. */
const MOST_MISLED = 256
/** The end of a wait is kept in whole microseconds. */
const ROUNDING_MS = 0.002
const HANGS_MS = 5000

const WORDS = [HEADER.TICK, HEADER.TICK, HEADER.ACTIVE] as const

/** Opens a breaker and asks until it admits, with damage before each `every`th call. */
function askUntilAdmitted(registry: Registry, memory: Memory, random: Random): void {
  const now = clockBeside(registry)
  const breaker = registry.breaker('b', { waitDurationInOpenStateMs: WAIT_MS })
  const every = random.pick([1, 2, 10, 300, 5000])
  breaker.reset()
  for (let call = 0; call < 100; call++) breaker.recordSuccess(breaker.tryAcquire())
  breaker.open()
  const due = breaker.snapshot().since + WAIT_MS
  let misled = 0
  for (let call = 0; ; call++) {
    if (call % every === 0) {
      const word = random.pick(WORDS)
      store(memory, word, damagedValue(random, memory, word))
    }
    const before = now()
    if (breaker.tryAcquire() !== REFUSED) break
    if (before >= due + ROUNDING_MS) misled++
    expect(before).toBeLessThan(due + HANGS_MS)
  }
  expect(now()).toBeGreaterThanOrEqual(due - ROUNDING_MS)
  expect(misled).toBeLessThanOrEqual(MOST_MISLED)
}

it('TICK and ACTIVE overwritten without pause, a keeper at work or ended by that', async () => {
  const seed = baseSeed('hostile, ticks')
  const random = new Random(seed)
  for (let round = 0; round < ROUNDS; round++) {
    const kept = await makeKept({ keeper: { tickMs: random.pick([1, 5, 50]) } })
    for (let opening = 0; opening < 3; opening++) {
      askUntilAdmitted(kept.registry, kept.memory, random)
    }
    expect(['none', 'asleep', 'awake']).toContain(kept.registry.snapshot().keeper)
    kept.registry.close()
    await within(`the keeper ends, seed ${seed}`, kept.exited)
  }
})

it('a region whose tick is none is refused', async () => {
  const { registry } = await makeKept()
  for (const tickMs of [Number.NaN, -1, 0.5, 1000.5, 1001, 5e-324, Number.POSITIVE_INFINITY]) {
    const { shape } = attachRegion(registry.handle)
    const buffer = new SharedArrayBuffer(shape.words * 4)
    new Uint8Array(buffer).set(new Uint8Array(registry.handle.buffer, 0, shape.words * 4))
    viewsOf(buffer).doubles[HEADER.TICK_MS_DOUBLE] = tickMs
    const attach = (): Registry => attachRegistry({ busbar: 1, buffer } as RegistryHandle)
    expect(attach, `${tickMs}`).toThrow(RegionError)
    expect(attach, `${tickMs}`).toThrow(/a tick of .* ms/)
  }
})
