/** What hangs is noticed in real time: by other threads, at any timeout, whoever is stuck. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
import { type BreakerOptions, createRegistry, type Registry } from '../../../src/index.ts'

const SLOW_MS = 200
const STEP_MS = SLOW_MS / 16
/** What a busy machine may take for timers and between two calls. */
const SLACK_MS = 500
const TIMEOUT_MS = 10_000

const OPTIONS: BreakerOptions = {
  slowCallDurationThresholdMs: SLOW_MS,
  slowCallRateThreshold: 0.5,
  minimumNumberOfCalls: 10,
}
const HANGING: BreakerOptions = { ...OPTIONS, countHangingCalls: true }

function registryOf(): Registry {
  const registry = createRegistry({ maxBreakers: 4, maxThreads: 4 })
  onTestFinished(() => registry.close())
  return registry
}

function startWorker(registry: Registry, data: object): Worker {
  const workerData = { handle: registry.handle, ...data }
  const worker = new Worker(new URL('worker.mjs', import.meta.url), { workerData })
  onTestFinished(async () => {
    await worker.terminate()
  })
  return worker
}

/** Answers until it is told not to; then only takes requests. */
async function dependency(): Promise<{ server: Server; port: number; stop(): void }> {
  let answers = true
  const server = createServer((_request, response) => {
    if (answers) response.end('ok')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const stop = (): void => {
    answers = false
  }
  return { server, port: (server.address() as AddressInfo).port, stop }
}

it('a dependency that stops answering opens the breaker long before a timeout', async () => {
  const registry = registryOf()
  const quick = registry.breaker('hanging', HANGING)
  const slow = registry.breaker('plain', OPTIONS)
  const { server, port, stop } = await dependency()
  stop()
  const names = ['hanging', 'plain']
  const data = { job: 'call', names, port, timeoutMs: TIMEOUT_MS, everyMs: 5 }
  const workers = [1, 2].map(() => startWorker(registry, data))
  await once(server, 'request')
  const firstMs = registry.now()
  await Promise.all(workers.map(worker => once(worker, 'message')))

  const [opening] = registry.history().filter(({ to }) => to === 'open')
  expect(opening).toMatchObject({ breaker: 'hanging', from: 'closed' })
  const afterMs = (opening?.at ?? 0) - firstMs
  // The tenth call began a little later than the first, which had left before it was seen here.
  expect(afterMs).toBeGreaterThan(SLOW_MS - SLACK_MS)
  expect(afterMs).toBeLessThan(SLOW_MS + STEP_MS + SLACK_MS)
  expect(quick.snapshot().totals).toMatchObject({ failed: 0, succeeded: 0 })
  expect(quick.snapshot().openedBy?.slowCalls).toBeGreaterThanOrEqual(10)
  // Nothing has ended yet: the other breaker has seen nothing.
  expect(slow.state).toBe('closed')
  expect(slow.snapshot().window.calls).toBe(0)
  expect(slow.snapshot().totals.inFlight).toBeGreaterThan(10)
})

it('calls of a thread whose loop is stuck hang: the ask of another thread opens', async () => {
  const registry = registryOf()
  const breaker = registry.breaker('hanging', HANGING)
  const until = new Int32Array(new SharedArrayBuffer(4))
  const worker = startWorker(registry, { job: 'stuck', names: ['hanging'], calls: 10, until })
  const [takenAt] = (await once(worker, 'message')) as [number]

  let admitted = 0
  let permit = breaker.tryAcquire()
  while (permit >= 0 && registry.now() < takenAt + TIMEOUT_MS) {
    breaker.release(permit)
    admitted += 1
    await new Promise(setImmediate)
    permit = breaker.tryAcquire()
  }
  const [opening] = registry.history()
  Atomics.store(until, 0, 1)
  expect(permit).toBe(-1)
  expect(admitted).toBeGreaterThan(0)
  expect((opening?.at ?? 0) - takenAt).toBeGreaterThan(SLOW_MS)
  expect((opening?.at ?? 0) - takenAt).toBeLessThan(SLOW_MS + STEP_MS + SLACK_MS)
  expect(breaker.snapshot().openedBy).toEqual({ calls: 10, failures: 0, slowCalls: 10 })
})

it('the calls of a thread that has died hang no more', async () => {
  const registry = registryOf()
  const breaker = registry.breaker('hanging', { ...HANGING, minimumNumberOfCalls: 100 })
  const until = new Int32Array(new SharedArrayBuffer(4))
  const worker = startWorker(registry, { job: 'stuck', names: ['hanging'], calls: 10, until })
  await once(worker, 'message')
  const limitMs = registry.now() + TIMEOUT_MS
  while (breaker.snapshot().window.hangingCalls !== 10 && registry.now() < limitMs) {
    await new Promise(setImmediate)
  }
  expect(breaker.snapshot().window).toMatchObject({ calls: 10, slowCalls: 10, hangingCalls: 10 })
  await worker.terminate()
  expect(breaker.snapshot().window).toMatchObject({ calls: 0, slowCalls: 0, hangingCalls: 0 })
  expect(breaker.snapshot().totals).toMatchObject({ abandoned: 10, inFlight: 0 })
})
