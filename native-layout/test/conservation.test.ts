/** Under load of C and JavaScript nothing is lost or counted twice, below and above thresholds. */
import { beforeEach, describe, expect, it } from 'vitest'
import { closedGate } from '../../test/threads/crew.ts'
import { NativeRegion } from './addon.ts'
import {
  expectConserved,
  expectHistory,
  expectSound,
  needAddon,
  openGate,
  startKept,
  startWorker,
  until,
  type WorkerCounts,
} from './support.ts'

beforeEach(needAddon)

const MILLISECONDS = 600
const WINDOWS = [
  { type: 'time', durationMs: 100, buckets: 10 },
  // Short: at ten million calls a second a thread that is put aside for 3 ms in the midst of a
  // record is 256 laps late, more than half of the numbers that a lap can have.
  { type: 'count', size: 60 },
  { type: 'consecutive', failures: 20 },
] as const

describe.each(WINDOWS)('a window of $type', slidingWindow => {
  it.each([
    ['closed', 0.05, 8],
    ['opening and closing', 0.9, 8],
    ['opening and closing, with too few slots', 0.9, 2],
  ])('%s', async (_, failing, maxThreads) => {
    const { registry, end } = await startKept({ maxThreads })
    const breaker = registry.breaker('b', {
      slidingWindow,
      waitDurationInOpenStateMs: 2,
      permittedNumberOfCallsInHalfOpenState: 3,
      halfOpenFailureRateThreshold: 1,
      minimumNumberOfCalls: 20,
    })
    const gate = closedGate()
    const args = { breaker: 'b', milliseconds: MILLISECONDS, failing }
    const workers = [11, 12].map(seed =>
      startWorker<WorkerCounts>(registry, 'mixed', { ...args, seed }, gate),
    )
    const options = { threads: 2, mode: 'mixed', milliseconds: MILLISECONDS, failing } as const
    const crew = new NativeRegion(registry.handle.buffer).crew('b', gate, options)
    await openGate(gate, 4)
    const natives = await crew.counts()
    const counted = await Promise.all(workers.map(({ result }) => result))
    await Promise.all(workers.map(({ exited }) => exited))
    await until(() => registry.snapshot().threads === 1)
    expectConserved(breaker, natives, counted)
    expectHistory(registry, breaker)
    if (failing > 0.5) expect(breaker.snapshot().transitions).toBeGreaterThanOrEqual(3)
    else expect(breaker.snapshot().transitions).toBe(0)
    expect(registry.snapshot().damaged).toBe(0)
    await end()
    expectSound(registry)
  })
})
