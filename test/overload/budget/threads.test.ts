/** One budget for all threads: however they ask, no more retries than calls allow. */
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { createRegistry } from '../../../src/index.ts'

const THREADS = 4
const CALLS = 500
const ATTEMPTS = 2000

it('holds four threads that ask at once to the ratio of all their calls', async () => {
  // Time stands still, so that the window holds all of it.
  const registry = createRegistry({ clock: 'manual', maxBreakers: 1, maxThreads: 8 })
  const budget = registry.retryBudget('b', { ratio: 0.2, minimumPerSecond: 1 })
  const start = new SharedArrayBuffer(8)
  const gate = new Int32Array(start)
  const workers = Array.from({ length: THREADS }, () => {
    const workerData = { handle: registry.handle, calls: CALLS, attempts: ATTEMPTS, start }
    return new Worker(new URL('worker.mjs', import.meta.url), { workerData })
  })
  const results = workers.map(
    worker =>
      new Promise<number>((resolve, reject) => {
        worker.once('message', resolve)
        worker.once('error', reject)
      }),
  )
  while (Atomics.load(gate, 1) < THREADS) await new Promise(resolve => setTimeout(resolve, 1))
  Atomics.store(gate, 0, 1)
  Atomics.notify(gate, 0)
  const allowed = (await Promise.all(results)).reduce((sum, each) => sum + each, 0)
  const limit = 10 + 0.2 * THREADS * CALLS
  const { window, totals } = budget.snapshot()
  expect(window).toEqual({ calls: THREADS * CALLS, retries: allowed, allowed: limit })
  expect(allowed).toBeLessThanOrEqual(limit)
  expect(totals.refused).toBe(THREADS * ATTEMPTS - allowed)
  // Alone, it gives out what is left to the last one.
  let rest = 0
  while (budget.tryRetry()) rest++
  expect(allowed + rest).toBe(limit)
  await Promise.all(workers.map(worker => worker.terminate()))
  registry.close()
})
