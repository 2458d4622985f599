/** Durations that C counts stand where JavaScript counts them, and sum up to the same. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type CircuitBreaker, createRegistry, type Registry } from '../../src/index.ts'
import { baseSeed, Random } from '../../test/model/random.ts'
import { type NativeBreaker, NativeRegion } from './addon.ts'
import { durationValues, UNMEASURED } from './duration-values.ts'
import { expectSound, needAddon } from './support.ts'

const VALUES = 20_000
/** C has a slot of its own, or shares the one of threads that found none. */
const SLOTS = [
  [2, 2],
  [1, 0],
] as const

const registries: Registry[] = []

beforeEach(needAddon)
afterEach(() => {
  for (const registry of registries.splice(0)) registry.close()
})

function make(maxThreads: number): { registry: Registry; breaker: CircuitBreaker } {
  const registry = createRegistry({ clock: 'manual', maxBreakers: 1, maxThreads })
  registries.push(registry)
  return { registry, breaker: registry.breaker('b') }
}

/** In turn by each way in which an outcome can count. */
function record(caller: CircuitBreaker | NativeBreaker, ms: number, index: number): void {
  const permit = caller.tryAcquire()
  if (index % 2 === 0) caller.recordSuccess(permit, ms)
  else caller.recordFailure(permit, ms)
}

it.each(SLOTS)('of every magnitude, with %i slots', (maxThreads, slot) => {
  const values = durationValues(new Random(baseSeed('durations')), VALUES)
  const js = make(maxThreads)
  const { registry, breaker } = make(maxThreads)
  const native = new NativeRegion(registry.handle.buffer).join().find('b')
  expect(native.member.slot).toBe(slot)
  for (const each of [js.breaker, breaker]) each.metricsOnly()
  const different = values.filter((ms, index) => {
    record(js.breaker, ms, index)
    record(native, ms, index)
    const { sumMs } = js.breaker.durations()
    // Histograms are compared in full now and then, so that a difference is found near its cause.
    if (index % 100 !== 0) return breaker.durations().sumMs !== sumMs
    return JSON.stringify(breaker.durations()) !== JSON.stringify(js.breaker.durations())
  })
  expect(different).toEqual([])
  expect(breaker.durations()).toEqual(js.breaker.durations())
  expect(breaker.durations().count).toBe(values.length)
  expectSound(registry, { quiet: false })
})

it('are not counted where they were not measured, nor when late', () => {
  const { registry, breaker } = make(2)
  const native = new NativeRegion(registry.handle.buffer).join().find('b')
  for (const [index, ms] of UNMEASURED.entries()) record(native, ms, index)
  native.recordSuccess(native.tryAcquire())
  const late = native.tryAcquire()
  breaker.reset()
  expect(native.recordSuccess(late, 1)).toBe(false)
  expect(breaker.durations()).toMatchObject({ count: 0, sumMs: 0 })
  expect(breaker.snapshot().totals).toMatchObject({ succeeded: 4, failed: 2, late: 1, slow: 0 })
})
