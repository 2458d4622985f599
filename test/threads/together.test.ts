/** Real threads at once: what overlapping calls may and may not do (spec section 3). */
import { describe, expect, it } from 'vitest'
import { type BreakerSnapshot, createRegistry, type SlidingWindow } from '../../src/index.ts'
import { together } from './crew.ts'

const WORKERS = 4
const THRESHOLD = 50

const WINDOWS: SlidingWindow[] = [
  { type: 'time', durationMs: 3_600_000, buckets: 10 },
  { type: 'count', size: THRESHOLD },
  { type: 'consecutive', failures: THRESHOLD },
]

function expectConserved({ totals }: BreakerSnapshot): void {
  expect(totals.admitted).toBe(
    totals.succeeded +
      totals.failed +
      totals.ignored +
      totals.late +
      totals.abandoned +
      totals.inFlight,
  )
}

describe.each(WINDOWS)('4 workers that only fail, %o', slidingWindow => {
  it.each([64, 2])('trip once, on time, seen by all (%i slots)', async maxThreads => {
    using registry = createRegistry({ maxThreads })
    for (let round = 0; round < 5; round++) {
      const breaker = registry.breaker(`b${round}`, {
        slidingWindow,
        minimumNumberOfCalls: THRESHOLD,
        waitDurationInOpenStateMs: 3_600_000,
      })
      const job = { breaker: breaker.name }
      const results = await together<{ calls: number; state: string }>(
        registry,
        WORKERS,
        'failUntilRefused',
        job,
      )
      const snapshot = breaker.snapshot()
      expect(snapshot).toMatchObject({ state: 'open', transitions: 1 })
      // P4: each recorder that overlaps the opening may add one outcome.
      const { failed, late, admitted, refused } = snapshot.totals
      expect(failed).toBeGreaterThanOrEqual(THRESHOLD)
      expect(failed).toBeLessThanOrEqual(THRESHOLD + WORKERS - 1)
      expect(late).toBeLessThanOrEqual(WORKERS - 1)
      expect(admitted).toBe(results.reduce((sum, { calls }) => sum + calls, 0))
      expect(refused).toBe(WORKERS)
      expect(results.map(({ state }) => state)).toEqual(Array(WORKERS).fill('open'))
      expectConserved(snapshot)
    }
  })
})

describe('half-open', () => {
  it.each([1, 3])('never has more than %i trials of one generation in flight', async trials => {
    using registry = createRegistry()
    const breaker = registry.breaker('b', {
      slidingWindow: { type: 'consecutive', failures: 1 },
      waitDurationInOpenStateMs: 0,
      permittedNumberOfCallsInHalfOpenState: trials,
    })
    breaker.open()
    const seed = Math.floor(Math.random() * 2 ** 31)
    const inFlight = new SharedArrayBuffer(4 * 1024)
    const args = { breaker: 'b', inFlight, turns: 20_000, seed }
    const results = await together<{ most: number; made: number }>(registry, 4, 'trials', args)
    const most = Math.max(...results.map(result => result.most))
    const made = results.reduce((sum, result) => sum + result.made, 0)
    expect(most, `seed ${seed}`).toBeLessThanOrEqual(trials)
    expect(made).toBeGreaterThan(1000)
    const snapshot = breaker.snapshot()
    expectConserved(snapshot)
    expect(snapshot.totals.inFlight).toBe(0)
  })
})

describe('conservation (P6)', () => {
  it.each([64, 1])('holds after a million outcomes (%i slots)', async maxThreads => {
    using registry = createRegistry({ maxThreads })
    const breaker = registry.breaker('b', {
      slidingWindow: { type: 'time', durationMs: 1000, buckets: 10 },
      failureRateThreshold: 0.3,
      minimumNumberOfCalls: 5000,
      waitDurationInOpenStateMs: 1,
    })
    const seed = Math.floor(Math.random() * 2 ** 31)
    const outcomes = maxThreads === 1 ? 50_000 : 250_000
    const args = { breaker: 'b', outcomes, seed }
    const results = await together<Record<string, number>>(registry, WORKERS, 'hammer', args)
    const sum = (key: string): number => results.reduce((all, mine) => all + (mine[key] ?? 0), 0)
    const snapshot = breaker.snapshot()
    const { totals } = snapshot
    expectConserved(snapshot)
    expect(totals.inFlight, `seed ${seed}`).toBe(0)
    expect(totals.admitted).toBe(outcomes * WORKERS)
    expect(totals.refused).toBe(sum('refused'))
    const settled = totals.succeeded + totals.failed + totals.ignored
    expect(settled + totals.late).toBe(sum('succeeded') + sum('failed') + sum('ignored'))
    // The workload opens and recovers: late outcomes and transitions are part of it.
    expect(snapshot.transitions).toBeGreaterThan(2)
  })
})
