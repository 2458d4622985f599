/** A timer that fires late, by a clock that the test moves: what counts, and what is heard first. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { CallTimeoutError, type CircuitBreaker, createRegistry } from '../../../src/index.ts'
import type * as monotonic from '../../../src/time/monotonic.ts'

const time = vi.hoisted(() => ({ now: 1000 }))

vi.mock('../../../src/time/monotonic.ts', async importOriginal => ({
  ...(await importOriginal<typeof monotonic>()),
  monotonicNow: () => time.now,
}))

const NEVER = new Promise<never>(() => {})
const TIMEOUT_MS = 100
/** What is late by no more is on time. */
const TOLERANCE_MS = 20

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})

afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

function make(): CircuitBreaker {
  const registry = createRegistry({ clock: 'manual', maxBreakers: 2, maxThreads: 2 })
  return registry.breaker('b', {
    slidingWindow: { type: 'time', durationMs: 1000, buckets: 1 },
    minimumNumberOfCalls: 1,
  })
}

/** The next timer fires, so much too late. */
function fireLate(lateMs: number, timeoutMs = TIMEOUT_MS): void {
  time.now += timeoutMs + lateMs
  vi.advanceTimersByTime(timeoutMs)
}

async function rejectionOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    error => error,
  )
}

function totalsOf(breaker: CircuitBreaker): object {
  const { succeeded, failed, ignored, inFlight, localStalls } = breaker.snapshot().totals
  return { succeeded, failed, ignored, inFlight, localStalls }
}

it.each([
  [0, TIMEOUT_MS],
  [TOLERANCE_MS, TIMEOUT_MS],
  [100, 1000],
  [-5, TIMEOUT_MS],
])('%d ms late of %d is on time: a failure at once', async (lateMs, timeoutMs) => {
  const breaker = make()
  const call = breaker.execute(() => NEVER, { timeoutMs })
  fireLate(lateMs, timeoutMs)
  expect(await rejectionOf(call)).toBeInstanceOf(CallTimeoutError)
  const totals = { succeeded: 0, failed: 1, ignored: 0, inFlight: 0, localStalls: 0 }
  expect(totalsOf(breaker)).toEqual(totals)
  expect(breaker.state).toBe('open')
})

it.each([
  [TOLERANCE_MS + 1, TIMEOUT_MS],
  [101, 1000],
])('%d ms late of %d listens on for the whole time again', async (lateMs, timeoutMs) => {
  const breaker = make()
  const call = breaker.execute(() => NEVER, { timeoutMs })
  fireLate(lateMs, timeoutMs)
  const still = { succeeded: 0, failed: 0, ignored: 0, inFlight: 1, localStalls: 1 }
  expect(totalsOf(breaker)).toEqual(still)
  vi.advanceTimersByTime(timeoutMs - 1)
  expect(totalsOf(breaker)).toEqual(still)
  time.now += timeoutMs
  vi.advanceTimersByTime(1)
  expect(await rejectionOf(call)).toBeInstanceOf(CallTimeoutError)
  expect(totalsOf(breaker)).toEqual({ ...still, failed: 1, inFlight: 0 })
  expect(breaker.state).toBe('open')
})

it('an answer that is heard after a stall counts as itself', async () => {
  const breaker = make()
  let answer = (_value: string): void => {}
  const call = breaker.execute(() => new Promise<string>(resolve => (answer = resolve)), {
    timeoutMs: TIMEOUT_MS,
  })
  fireLate(500)
  answer('here')
  expect(await call).toBe('here')
  const totals = { succeeded: 1, failed: 0, ignored: 0, inFlight: 0, localStalls: 1 }
  expect(totalsOf(breaker)).toEqual(totals)
})

it('so does an error', async () => {
  const breaker = make()
  const boom = new Error('boom')
  let fail = (_error: Error): void => {}
  const call = breaker.execute(() => new Promise((_, reject) => (fail = reject)), {
    timeoutMs: TIMEOUT_MS,
  })
  fireLate(500)
  fail(boom)
  expect(await rejectionOf(call)).toBe(boom)
  const totals = { succeeded: 0, failed: 1, ignored: 0, inFlight: 0, localStalls: 1 }
  expect(totalsOf(breaker)).toEqual(totals)
})

it('a second timer that is late as well says nothing of the dependency; there is no third', async () => {
  const breaker = make()
  const call = breaker.execute(() => NEVER, { timeoutMs: TIMEOUT_MS })
  fireLate(500)
  fireLate(500)
  expect(await rejectionOf(call)).toBeInstanceOf(CallTimeoutError)
  const totals = { succeeded: 0, failed: 0, ignored: 1, inFlight: 0, localStalls: 2 }
  expect(totalsOf(breaker)).toEqual(totals)
  expect(breaker.state).toBe('closed')
})

it('a caller who gives up meanwhile is not kept', async () => {
  const breaker = make()
  const controller = new AbortController()
  const call = breaker.execute(() => NEVER, { timeoutMs: TIMEOUT_MS, signal: controller.signal })
  fireLate(500)
  controller.abort(new Error('enough'))
  expect(await rejectionOf(call)).toMatchObject({ message: 'enough' })
  const totals = { succeeded: 0, failed: 0, ignored: 1, inFlight: 0, localStalls: 1 }
  expect(totalsOf(breaker)).toEqual(totals)
})

it('how long a call took that was in flight during a stall, nobody knows', async () => {
  const registry = createRegistry({ clock: 'manual', maxBreakers: 2, maxThreads: 2 })
  const breaker = registry.breaker('b', {
    slidingWindow: { type: 'time', durationMs: 1000, buckets: 1 },
    minimumNumberOfCalls: 1,
    slowCallDurationThresholdMs: 10,
  })
  let answer = (_value: string): void => {}
  const call = breaker.execute(() => new Promise<string>(resolve => (answer = resolve)), {
    timeoutMs: TIMEOUT_MS,
  })
  registry.advance(600)
  fireLate(500)
  answer('here')
  await call
  const { totals, durations, state } = breaker.snapshot()
  expect(totals).toMatchObject({ succeeded: 1, slow: 0 })
  expect(durations.count).toBe(0)
  expect(state).toBe('closed')
})

it('a trial of a half-open breaker is heard likewise', async () => {
  const registry = createRegistry({ clock: 'manual', maxBreakers: 2, maxThreads: 2 })
  const breaker = registry.breaker('b', {
    permittedNumberOfCallsInHalfOpenState: 1,
    waitDurationInOpenStateMs: 1000,
  })
  breaker.open()
  registry.advance(1000)
  let answer = (_value: string): void => {}
  const call = breaker.execute(() => new Promise<string>(resolve => (answer = resolve)), {
    timeoutMs: TIMEOUT_MS,
  })
  expect(breaker.state).toBe('half-open')
  fireLate(500)
  expect(breaker.state).toBe('half-open')
  answer('here')
  await call
  expect(breaker.state).toBe('closed')
  expect(breaker.snapshot().totals.localStalls).toBe(1)
})
