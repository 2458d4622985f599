/**
 * Totals are sums over shards, not one number that is linearizable. What holds: a read lies between
 * what was acknowledged before it began and what had been attempted when it was over.
 */
import { once } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
import { createRegistry } from '../../src/index.ts'
import { baseSeed } from '../model/random.ts'

const WORKERS = 3
const RUN_MS = 1500
const KINDS = ['admitted', 'succeeded', 'failed', 'ignored'] as const

/** Per worker and kind: attempted, acknowledged. */
function sum(counters: Int32Array, kind: number, side: 0 | 1): number {
  let all = 0
  for (let worker = 0; worker < WORKERS; worker++) {
    all += Atomics.load(counters, (worker * KINDS.length + kind) * 2 + side)
  }
  return all
}

it.each([8, 2])('acknowledged <= read <= attempted (%i slots)', async maxThreads => {
  const seed = baseSeed('linearize, totals')
  using registry = createRegistry({ maxThreads })
  const breaker = registry.breaker('b', {
    failureRateThreshold: 1,
    minimumNumberOfCalls: 1_000_000,
  })
  const counters = new Int32Array(new SharedArrayBuffer(4 * (WORKERS * KINDS.length * 2 + 1)))
  const workers = Array.from({ length: WORKERS }, (_, index) => {
    const workerData = { handle: registry.handle, counters, index, seed, kinds: KINDS.length }
    return new Worker(new URL('counter.mjs', import.meta.url), { workerData })
  })
  onTestFinished(async () => {
    await Promise.all(workers.map(worker => worker.terminate()))
  })
  await Promise.all(workers.map(worker => once(worker, 'message')))
  let reads = 0
  let between = 0
  const end = performance.now() + RUN_MS
  while (performance.now() < end) {
    const acknowledged = KINDS.map((_, kind) => sum(counters, kind, 1))
    const { totals } = breaker.snapshot()
    const attempted = KINDS.map((_, kind) => sum(counters, kind, 0))
    KINDS.forEach((name, kind) => {
      const read = totals[name]
      expect(read, `${name}, seed ${seed}`).toBeGreaterThanOrEqual(acknowledged[kind] ?? 0)
      expect(read, `${name}, seed ${seed}`).toBeLessThanOrEqual(attempted[kind] ?? 0)
      if (acknowledged[kind] !== attempted[kind]) between++
    })
    reads++
    if (reads % 100 === 0) await turn()
  }
  const exits = workers.map(worker => once(worker, 'exit'))
  Atomics.store(counters, counters.length - 1, 1)
  await Promise.all(exits)
  const { totals } = breaker.snapshot()
  KINDS.forEach((name, kind) => {
    expect(totals[name]).toBe(sum(counters, kind, 1))
  })
  expect(totals.inFlight).toBe(0)
  expect(reads).toBeGreaterThan(100)
  expect(between).toBeGreaterThan(reads / 10)
})
