/**
 * Real deaths at every step: a real worker is terminated before its k-th access of shared memory,
 * for every k of every job. The region must be whole, the breaker must recover, and the slot must be
 * there for the next worker: the region has one to give, so the first that is lost fails the test.
 */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CircuitBreaker, createRegistry, type Registry } from '../../src/index.ts'
import { viewsOf, whenNotified } from '../../src/memory/atomics.ts'
import { verify } from '../../src/verify/verify.ts'
import { until } from '../threads/crew.ts'
import { JOBS, OPEN_JOBS, WINDOW_JOBS, WINDOWS, type WindowName } from './jobs.ts'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'busbar-deaths-'))

beforeAll(async () => {
  await build({
    configFile: false,
    logLevel: 'error',
    resolve: { alias: { '#atomics': join(HERE, 'door.ts') } },
    build: { ssr: join(HERE, 'worker.ts'), outDir: folder, minify: false, target: 'node20' },
  })
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a worker up to its k-th access and ends it. False when it was done before. */
async function dieAt(registry: Registry, window: string, job: string, after: number) {
  const control = new SharedArrayBuffer(8)
  const words = viewsOf(control)
  const workerData = { handle: registry.handle, window, job, after, control }
  const worker = new Worker(join(folder, 'worker.js'), { workerData })
  const done = once(worker, 'message').then(() => true)
  const exited = once(worker, 'exit')
  const parked = Promise.resolve(whenNotified(words, 0, 0)).then(() => false)
  const wasDone = await Promise.race([done, parked])
  Atomics.store(words, 0, 1)
  await worker.terminate()
  await exited
  return !wasDone
}

/** The breaker as each job finds it. */
function prepare(registry: Registry, breaker: CircuitBreaker, job: string): void {
  breaker.reset()
  if (!OPEN_JOBS.includes(job)) return
  breaker.open()
  registry.advance(100)
}

/** P3: whatever was left, an asker gets through, and a good answer closes. */
function recover(registry: Registry, breaker: CircuitBreaker): void {
  for (let round = 0; round < 3 && breaker.state !== 'closed'; round++) {
    registry.advance(200_000)
    const permit = breaker.tryAcquire()
    if (permit >= 0) breaker.recordSuccess(permit)
  }
  expect(breaker.state).toBe('closed')
}

async function sweep(window: WindowName, job: string): Promise<number> {
  using registry = createRegistry({ clock: 'manual', maxThreads: 2, maxBreakers: 4 })
  const breaker = registry.breaker(window, {
    slidingWindow: WINDOWS[window],
    minimumNumberOfCalls: 2,
    failureRateThreshold: 1,
    waitDurationInOpenStateMs: 100,
    permittedNumberOfCallsInHalfOpenState: 1,
  })
  for (let after = 0; ; after++) {
    prepare(registry, breaker, job)
    const died = await dieAt(registry, window, job, after)
    await until(() => registry.snapshot().threads === 1)
    const where = `${job}, ${window} window, dead before access ${after}`
    expect(verify(registry.handle.buffer, { deaths: true }), where).toEqual([])
    expect(breaker.snapshot().totals.inFlight, where).toBe(0)
    recover(registry, breaker)
    expect(verify(registry.handle.buffer, { quiet: true, deaths: true }), where).toEqual([])
    if (!died) return after
  }
}

describe.each(Object.keys(WINDOWS) as WindowName[])('a worker that dies, %s window', window => {
  // Trials and commands do not touch the window: one is enough for them.
  const jobs = window === 'consecutive' ? Object.keys(JOBS) : WINDOW_JOBS
  it.each(jobs)('at any access of: %s', { timeout: 120_000 }, async job => {
    const accesses = await sweep(window, job)
    expect(accesses).toBeGreaterThan(2)
  })
})

it('a worker that dies at any access of attaching, making and leaving', {
  timeout: 120_000,
}, async () => {
  for (let after = 0, died = true; died; after++) {
    using registry = createRegistry({ clock: 'manual', maxThreads: 2, maxBreakers: 4 })
    registry.breaker('time', { slidingWindow: WINDOWS.time })
    died = await dieAt(registry, 'time', 'attach, make, leave', after)
    await until(() => registry.snapshot().threads === 1)
    const where = `dead before access ${after}`
    expect(verify(registry.handle.buffer, { deaths: true }), where).toEqual([])
    // The name can be made, or was; either way it is whole.
    const breaker = registry.breaker('new', {
      slidingWindow: { type: 'consecutive', failures: 7 },
    })
    breaker.recordSuccess(breaker.tryAcquire())
    expect(verify(registry.handle.buffer, { deaths: true }), where).toEqual([])
  }
})
