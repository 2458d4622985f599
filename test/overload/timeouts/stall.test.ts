/**
 * A loop that is blocked, in real time: a server in another thread, callers in this one, which does
 * nothing but spin for several times the timeout.
 */
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
import {
  type BreakerOptions,
  type Call,
  CallTimeoutError,
  type CircuitBreaker,
  createRegistry,
} from '../../../src/index.ts'

const CALLS = 12

/** An address that answers after `delayMs`; never where that is undefined. */
async function dependency(delayMs?: number): Promise<(call: Call) => Promise<string>> {
  const workerData = { delayMs }
  const worker = new Worker(new URL('server.mjs', import.meta.url), { workerData })
  const agent = new Agent({ keepAlive: false })
  onTestFinished(async () => {
    agent.destroy()
    await worker.terminate()
  })
  const [port] = (await once(worker, 'message')) as [number]
  return ({ signal }) =>
    new Promise((resolve, reject) => {
      const request = get({ host: '127.0.0.1', port, agent, signal }, response => {
        response.resume()
        response.once('end', () => resolve('ok'))
      })
      request.once('error', reject)
    })
}

function make(options: BreakerOptions = {}): CircuitBreaker {
  const registry = createRegistry({ maxBreakers: 2, maxThreads: 2 })
  onTestFinished(() => registry.close())
  return registry.breaker('b', { minimumNumberOfCalls: 4, ...options })
}

/** Blocks this thread's loop. */
function spin(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

const wait = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))

it.each([
  ['several times the timeout', 150, 600],
  ['little more than the timeout', 200, 230],
])('a loop blocked for %s opens no breaker of a healthy dependency', async (_, timeoutMs, ms) => {
  const request = await dependency(60)
  const breaker = make()
  const execute = (): Promise<string> => breaker.execute(request, { timeoutMs })
  // Of these the requests have left, and the answers come while nobody listens.
  const left = Array.from({ length: CALLS }, execute)
  await wait(20)
  // Of these they have not.
  const kept = Array.from({ length: CALLS }, execute)
  spin(ms)
  expect(await Promise.all([...left, ...kept])).toEqual(Array(2 * CALLS).fill('ok'))
  const { state, totals } = breaker.snapshot()
  expect(state).toBe('closed')
  expect(totals).toMatchObject({ succeeded: 2 * CALLS, failed: 0, ignored: 0, inFlight: 0 })
  expect(totals.localStalls).toBeGreaterThan(0)
})

it('with a dead dependency and a free loop timeouts are failures, and no stalls', async () => {
  const request = await dependency()
  const breaker = make()
  // A tenth of it is more than a busy machine is late by.
  const timeoutMs = 2000
  const begunAt = performance.now()
  const calls = Array.from({ length: CALLS }, () => breaker.execute(request, { timeoutMs }))
  const errors = await Promise.all(calls.map(call => call.catch(error => error)))
  expect(errors.every(error => error instanceof CallTimeoutError)).toBe(true)
  expect(performance.now() - begunAt).toBeLessThan(2 * timeoutMs)
  const { state, totals } = breaker.snapshot()
  expect(state).toBe('open')
  expect(totals).toMatchObject({ localStalls: 0, succeeded: 0 })
  // The fourth opened: those after it were late.
  expect(totals.failed + totals.late).toBe(CALLS)
})

it('with both a dead dependency and a stall it is a failure all the same, a timeout later', async () => {
  const request = await dependency()
  const breaker = make()
  const timeoutMs = 1000
  const stallMs = 1500
  const begunAt = performance.now()
  const calls = Array.from({ length: CALLS }, () => breaker.execute(request, { timeoutMs }))
  spin(stallMs)
  const errors = await Promise.all(calls.map(call => call.catch(error => error)))
  const tookMs = performance.now() - begunAt
  expect(errors.every(error => error instanceof CallTimeoutError)).toBe(true)
  expect(tookMs).toBeGreaterThan(stallMs + timeoutMs - 2)
  expect(tookMs).toBeLessThan(timeoutMs + stallMs + timeoutMs)
  expect(breaker.state).toBe('open')
  expect(breaker.snapshot().totals.localStalls).toBe(CALLS)
})

it('a trial during a stall closes the breaker of a healthy dependency', async () => {
  const request = await dependency(20)
  const breaker = make({
    waitDurationInOpenStateMs: 1,
    permittedNumberOfCallsInHalfOpenState: 1,
  })
  breaker.open()
  await wait(10)
  const trial = breaker.execute(request, { timeoutMs: 100 })
  expect(breaker.state).toBe('half-open')
  spin(400)
  expect(await trial).toBe('ok')
  expect(breaker.state).toBe('closed')
  expect(breaker.snapshot().totals.localStalls).toBeGreaterThan(0)
})
