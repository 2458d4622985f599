/**
 * A backend that takes c calls a second, offered 1 to 10 c, by one thread and by four: what it
 * accepts and what it is sent settle where the formula says. By the formula, a part p of R calls is
 * refused where p = (R - k accepts) / R; a backend that is kept busy accepts c, so that R (1 - p) =
 * k c are sent, or all R where that is less.
 *
 * Manual time, seeded decisions, a window of 10 s. Of several threads only the order of the calls
 * within 50 ms is left to chance.
 */
import { describe, expect, it } from 'vitest'
import { createRegistry, type ThrottleOptions } from '../../../src/index.ts'
import { start } from '../../threads/crew.ts'

const WORKER = new URL('worker.mjs', import.meta.url)
const SEED = 0x5eed_1234
const LIMIT_MS = 120_000
/** Calls that the backend takes of each 50 ms, and what that is a second. */
const CAPACITY = 20
const TICKS_A_SECOND = 20
const WINDOW_MS = 10_000
const OPTIONS = { windowMs: WINDOW_MS, minimumRequestsPerSecond: 1 }

interface Phase {
  readonly ms: number
  /** Of each 50 ms. */
  readonly capacity: number
  readonly offered: number
}

interface Counts {
  offered: number
  sent: number
  accepted: number
}

/** What came of each phase, all threads together. */
async function simulate(
  threads: number,
  options: ThrottleOptions,
  phases: readonly Phase[],
): Promise<Counts[]> {
  using registry = createRegistry({ clock: 'manual', maxThreads: 8 })
  registry.throttle('t', { ...OPTIONS, ...options })
  const words = new Int32Array(new SharedArrayBuffer(12))
  const args = { name: 't', seed: SEED, threads, words, phases }
  const members = Array.from({ length: threads }, (_, index) =>
    start<Counts[]>(registry, 'simulate', args, index, undefined, WORKER),
  )
  const results = await Promise.all(members.map(({ result }) => result))
  return phases.map((_, phase) => {
    const sum = { offered: 0, sent: 0, accepted: 0 }
    for (const counts of results) {
      for (const name of ['offered', 'sent', 'accepted'] as const) {
        sum[name] += counts[phase]?.[name] ?? Number.NaN
      }
    }
    return sum
  })
}

function expectNear(found: number, meant: number, tolerance: number, what: string): void {
  expect(Math.abs(found / meant - 1), `${what}: ${found}, not ${meant}`).toBeLessThan(tolerance)
}

const FACTORS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
const SETTLE_MS = 3 * WINDOW_MS
const MEASURE_MS = 2 * WINDOW_MS

describe.each([1, 4])('%d threads', threads => {
  it.each([2, 1.5])(
    'k = %d: accepts c within 2 percent, is sent k c within 5',
    { timeout: LIMIT_MS },
    async k => {
      for (const factor of FACTORS) {
        const load = { capacity: CAPACITY, offered: factor * CAPACITY }
        const phases = [SETTLE_MS, MEASURE_MS].map(ms => ({ ms, ...load }))
        const [, measured] = await simulate(threads, { k }, phases)
        if (measured === undefined) throw new Error('no phase')
        const c = (CAPACITY * TICKS_A_SECOND * MEASURE_MS) / 1000
        expect(measured.offered).toBe(factor * c)
        expectNear(measured.accepted, c, 0.02, `accepted at ${factor} c`)
        expectNear(measured.sent, Math.min(factor, k) * c, 0.05, `sent at ${factor} c`)
      }
    },
  )

  it('refuses nothing two windows after the overload is over', { timeout: LIMIT_MS }, async () => {
    const offered = 5 * CAPACITY
    const phases = [
      { ms: 3 * WINDOW_MS, capacity: CAPACITY, offered },
      { ms: 2 * WINDOW_MS, capacity: offered, offered },
      { ms: WINDOW_MS, capacity: offered, offered },
    ]
    const [overload, , after] = await simulate(threads, {}, phases)
    expect(overload?.sent).toBeLessThan((overload?.offered ?? 0) / 2)
    expect(after?.accepted).toBe(after?.offered)
  })

  it('recovers from an outage: sooner where some calls always get through', {
    timeout: LIMIT_MS,
  }, async () => {
    const offered = 5 * CAPACITY
    const phases = (windows: number): Phase[] => [
      { ms: 2 * WINDOW_MS, capacity: 0, offered },
      { ms: windows * WINDOW_MS, capacity: offered, offered },
      { ms: WINDOW_MS, capacity: offered, offered },
    ]
    const [outage, , after] = await simulate(threads, {}, phases(16))
    expect(outage?.sent).toBeLessThan((outage?.offered ?? 0) / 20)
    expect(after?.accepted).toBe(after?.offered)
    const [, , sooner] = await simulate(threads, { maxRejectionProbability: 0.9 }, phases(2))
    expect(sooner?.accepted).toBe(sooner?.offered)
  })
})
