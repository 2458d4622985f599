/** The histogram of durations against the durations themselves. */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRegistry } from '../../src/make-registry.ts'
import { DURATION_COUNTERS } from '../../src/memory/layout.ts'
import { durationCounterOf, LEAST_MS } from '../../src/protocol/durations.ts'

const WITHIN = 0.05
const SHORTEST_MS = 0.1
const MOST_MS = 600_000

const leastOf = (counter: number) => LEAST_MS[counter] as number

const make = (options = {}) =>
  createRegistry({ keeper: false, clock: 'manual', ...options }).breaker('b', {
    slidingWindow: { type: 'consecutive', failures: 100 },
  })

/** Durations from 0.1 ms to 10 minutes, as many of each order of magnitude. */
const durations = fc
  .double({ min: Math.log(SHORTEST_MS), max: Math.log(MOST_MS), noNaN: true })
  .map(log => Math.min(Math.max(Math.exp(log), SHORTEST_MS), MOST_MS))

/** The nearest rank: the value that the part `quantile` of all does not exceed. */
function quantileOf(values: readonly number[], quantile: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(1, Math.ceil(quantile * sorted.length)) - 1] as number
}

describe('counters', () => {
  it('follow each other without a gap, each from its least duration on', () => {
    for (let counter = 0; counter < DURATION_COUNTERS; counter++) {
      const least = Math.ceil(leastOf(counter) * 1000)
      expect(durationCounterOf(least), `${least} microseconds`).toBe(counter)
      if (counter > 0) expect(durationCounterOf(least - 1)).toBe(counter - 1)
    }
    expect(leastOf(0)).toBe(0)
    expect(leastOf(1)).toBe(SHORTEST_MS)
    expect(leastOf(DURATION_COUNTERS)).toBe(Number.POSITIVE_INFINITY)
  })

  it('are found for every microsecond up to a second, and at steps beyond', () => {
    for (let micros = 0; micros < 1_000_000; micros++) {
      const counter = durationCounterOf(micros)
      const ms = micros / 1000
      if (!(leastOf(counter) <= ms && ms < leastOf(counter + 1))) expect.fail(`${micros}`)
    }
  })

  it('take what is no duration for none', () => {
    const breaker = make()
    for (const duration of [undefined, -1, Number.NaN, Number.NEGATIVE_INFINITY, '5', null, 5n]) {
      breaker.recordSuccess(breaker.tryAcquire(), duration as number)
    }
    expect(breaker.snapshot().durations.count).toBe(0)
    expect(breaker.snapshot().totals).toMatchObject({ succeeded: 7, inFlight: 0 })
    breaker.recordSuccess(breaker.tryAcquire(), Number.POSITIVE_INFINITY)
    breaker.recordSuccess(breaker.tryAcquire(), 0)
    expect(breaker.snapshot().durations.count).toBe(2)
    expect(breaker.durations().buckets.at(0)).toEqual({ leMs: 0.1, count: 1 })
    expect(breaker.durations().buckets.at(-2)).toEqual({ leMs: 838_860.8, count: 1 })
    expect(breaker.durations().buckets.at(-1)?.count).toBe(2)
  })
})

describe.each([
  ['a slot of its own', {}, 1],
  ['the shared slot', { maxThreads: 1 }, 2],
] as const)('percentiles and mean in %s', (_, options, registries) => {
  it('are within 5 % of those of the durations, from 0.1 ms to 10 minutes', () => {
    fc.assert(
      fc.property(fc.array(durations, { minLength: 1, maxLength: 50 }), values => {
        const registry = createRegistry({ keeper: false, clock: 'manual', ...options })
        const breaker = registry.breaker('b')
        // A closed registry leaves its thread in the shared slot.
        if (registries === 2) registry.close()
        for (const value of values) breaker.recordSuccess(breaker.tryAcquire(), value)
        const { count, sumMs, meanMs, ...percentiles } = breaker.snapshot().durations
        expect(count).toBe(values.length)
        const sum = values.reduce((all, value) => all + value, 0)
        expect(Math.abs(sumMs - sum)).toBeLessThanOrEqual(0.001 * values.length)
        expect(meanMs).toBe(sumMs / count)
        for (const [name, part] of [
          ['p50Ms', 0.5],
          ['p90Ms', 0.9],
          ['p99Ms', 0.99],
        ] as const) {
          const exact = quantileOf(values, part)
          const error = Math.abs((percentiles[name] ?? 0) - exact) / exact
          expect(error, `${name} of ${values}`).toBeLessThanOrEqual(WITHIN)
        }
      }),
      { numRuns: 300 },
    )
  })
})

it('cumulative buckets count what is shorter, and all at the end', () => {
  const breaker = make()
  const values = [0.05, 0.1, 0.15, 0.2, 3, 3.2, 1_000, 900_000]
  for (const value of values) breaker.recordFailure(breaker.tryAcquire(), value)
  const { count, sumMs, buckets } = breaker.durations()
  expect(count).toBe(values.length)
  expect(sumMs).toBeCloseTo(901_006.7, 6)
  for (const { leMs, count } of buckets) {
    expect(count, `below ${leMs} ms`).toBe(values.filter(value => value < leMs).length)
  }
})

it('outcomes that are late are not measured, trials are', () => {
  const registry = createRegistry({ keeper: false, clock: 'manual' })
  const breaker = registry.breaker('b', {
    slidingWindow: { type: 'consecutive', failures: 1 },
    waitDurationInOpenStateMs: 1_000,
    permittedNumberOfCallsInHalfOpenState: 1,
  })
  const late = breaker.tryAcquire()
  breaker.recordFailure(breaker.tryAcquire(), 10)
  breaker.recordSuccess(late, 10)
  registry.advance(1_000)
  breaker.recordSuccess(breaker.tryAcquire(), 30)
  expect(breaker.snapshot().durations).toMatchObject({ count: 2, sumMs: 40 })
})

it('refusals are counted by the state that refused', () => {
  const registry = createRegistry({ keeper: false, clock: 'manual' })
  const breaker = registry.breaker('b', {
    waitDurationInOpenStateMs: 1_000,
    permittedNumberOfCallsInHalfOpenState: 1,
  })
  const ask = (times: number) => Array.from({ length: times }, () => breaker.tryAcquire())
  breaker.open()
  expect(ask(2)).toEqual([-1, -1])
  registry.advance(1_000)
  expect(ask(4).slice(1)).toEqual([-1, -1, -1])
  breaker.forceOpen()
  ask(5)
  const totals = { refused: 10, refusedHalfOpen: 3, refusedForcedOpen: 5 }
  expect(breaker.snapshot().totals).toMatchObject(totals)
  registry.close()
  ask(1)
  expect(breaker.snapshot().totals).toMatchObject({ ...totals, refused: 11, refusedForcedOpen: 6 })
})

describe('execute', () => {
  const SLOW = { slowCallDurationThresholdMs: 1_000 }
  it.each([
    ['takes no time by default', {}, 0],
    ['does with measureDurations', { measureDurations: true }, 1],
    ['does where a slow threshold needs it', SLOW, 1],
    ['does with a slow threshold whatever is said', { ...SLOW, measureDurations: false }, 1],
  ])('%s', async (_, options, count) => {
    const registry = createRegistry({ keeper: false, clock: 'manual' })
    const breaker = registry.breaker('b', options)
    await breaker.execute(async () => registry.advance(30))
    expect(breaker.snapshot().durations).toMatchObject({ count, sumMs: 30 * count })
    breaker.executeSync(() => registry.advance(5))
    expect(breaker.snapshot().durations).toMatchObject({ count: 2 * count, sumMs: 35 * count })
  })

  it('refuses a measureDurations that is neither true nor false', () => {
    const registry = createRegistry({ keeper: false, clock: 'manual' })
    const options = { measureDurations: 1 } as unknown as { measureDurations: boolean }
    expect(() => registry.breaker('b', options)).toThrow(/measureDurations must be true or false/)
  })
})
