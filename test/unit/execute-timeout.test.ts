/**
 * Spec section 4, `execute`: "Timeout: CallTimeoutError, the call's own signal aborts, a failure;
 * what fn does later changes nothing."
 */
import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Call, CallTimeoutError, createRegistry } from '../../src/index.ts'
import {
  DEPENDENCY,
  deferred,
  expectSettled,
  isSettled,
  make,
  makeBrittle,
  nextMacrotask,
  rejectionOf,
  thrownBy,
} from './execute-support.ts'

const NEVER = new Promise<never>(() => {})
const boom = new Error('boom')

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})

afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

it('rejects with CallTimeoutError when the time is over, not before; counts a failure', async () => {
  const { breaker } = makeBrittle()
  const call = breaker.execute(() => NEVER, { timeoutMs: 20 })
  call.catch(() => {})
  vi.advanceTimersByTime(19)
  expect(await isSettled(call)).toBe(false)
  expect(breaker.snapshot().totals.inFlight).toBe(1)
  vi.advanceTimersByTime(1)
  const error = await rejectionOf(call)
  expect(error).toBeInstanceOf(CallTimeoutError)
  expect(error).toMatchObject({
    code: 'ERR_CALL_TIMEOUT',
    breaker: DEPENDENCY,
    timeoutMs: 20,
    message: expect.stringContaining('20 ms'),
  })
  expectSettled(breaker, { failed: 1 })
  expect(breaker.state).toBe('open')
})

it("aborts the call's own signal with the very error", async () => {
  const { breaker } = make()
  const seen: unknown[] = []
  const call = breaker.execute(
    ({ signal }) => {
      signal.addEventListener('abort', () => seen.push(signal.reason))
      return NEVER
    },
    { timeoutMs: 20 },
  )
  vi.advanceTimersByTime(20)
  expect(seen).toHaveLength(1)
  expect(seen[0]).toBe(await rejectionOf(call))
})

it('the signal read for the first time afterwards is aborted already', async () => {
  const { breaker } = make()
  const held: Call[] = []
  const promise = breaker.execute(
    call => {
      held.push(call)
      return NEVER
    },
    { timeoutMs: 20 },
  )
  vi.advanceTimersByTime(20)
  const error = await rejectionOf(promise)
  expect(held[0]?.signal.aborted).toBe(true)
  expect(held[0]?.signal.reason).toBe(error)
})

it('a function that rejects with the reason of its own signal is counted once', async () => {
  const { breaker } = make()
  const call = breaker.execute(
    ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    { timeoutMs: 20 },
  )
  vi.advanceTimersByTime(20)
  expect(await rejectionOf(call)).toBeInstanceOf(CallTimeoutError)
  await nextMacrotask()
  expectSettled(breaker, { failed: 1 })
})

describe('what the function does later changes nothing', () => {
  const isFailure = vi.fn(() => true)
  const classifyError = vi.fn((): 'failure' => 'failure')
  const fallback = vi.fn(() => 'stand-in')
  beforeEach(() => {
    vi.clearAllMocks()
  })

  it.each(['resolves', 'rejects'] as const)('%s', async later => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    const { breaker } = make({ isFailure, classifyError })
    const { promise, resolve, reject } = deferred()
    const call = breaker.execute(() => promise, { timeoutMs: 20 })
    vi.advanceTimersByTime(20)
    const error = await rejectionOf(call)
    const before = breaker.snapshot()
    if (later === 'resolves') resolve('late')
    else reject(boom)
    await nextMacrotask()
    expect(breaker.snapshot()).toEqual(before)
    expect(await rejectionOf(call)).toBe(error)
    expect(isFailure).not.toHaveBeenCalled()
    expect(classifyError).not.toHaveBeenCalled()
    expect(unhandled).not.toHaveBeenCalled()
    expectSettled(breaker, { failed: 1 })
    process.off('unhandledRejection', unhandled)
  })

  it('also where a fallback has answered', async () => {
    const { breaker } = make()
    const { promise, reject } = deferred()
    const call = breaker.execute(() => promise, { timeoutMs: 20, fallback })
    vi.advanceTimersByTime(20)
    expect(await call).toBe('stand-in')
    reject(boom)
    await nextMacrotask()
    expect(fallback).toHaveBeenCalledTimes(1)
    expectSettled(breaker, { failed: 1 })
  })

  it("the caller's abort afterwards neither", async () => {
    const { breaker } = make()
    const controller = new AbortController()
    const { signal } = controller
    const call = breaker.execute(() => NEVER, { timeoutMs: 20, signal })
    vi.advanceTimersByTime(20)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    controller.abort()
    expect(await rejectionOf(call)).toBeInstanceOf(CallTimeoutError)
    expectSettled(breaker, { failed: 1 })
  })
})

describe('no timer is left', () => {
  it.each([
    ['resolves', async () => 'value'],
    ['returns', () => 'value'],
    ['rejects', () => Promise.reject(boom)],
    [
      'throws',
      () => {
        throw boom
      },
    ],
  ])('when the function %s in time, and the call is none too late', async (_, fn) => {
    const { breaker } = make()
    await breaker.execute(fn, { timeoutMs: 20 }).catch(() => {})
    expect(vi.getTimerCount()).toBe(0)
    vi.advanceTimersByTime(100)
    expect(breaker.snapshot().totals).toMatchObject({ admitted: 1, inFlight: 0, late: 0 })
  })

  it.each([
    ['isFailure', { isFailure: () => thrown() }],
    ['classifyError', { classifyError: () => thrown() }],
  ])('when %s throws', async (_, options) => {
    const { breaker } = make(options)
    await breaker.execute(() => 'value', { timeoutMs: 20 }).catch(() => {})
    await breaker.execute(() => Promise.reject(boom), { timeoutMs: 20 }).catch(() => {})
    expect(vi.getTimerCount()).toBe(0)
  })

  it('when refused', async () => {
    const { breaker } = make()
    breaker.forceOpen()
    await rejectionOf(breaker.execute(() => 'value', { timeoutMs: 20 }))
    expect(vi.getTimerCount()).toBe(0)
  })
})

function thrown(): never {
  throw boom
}

describe('which timeout holds', () => {
  const timeoutOf = async (start: () => Promise<unknown>): Promise<unknown> => {
    const call = start()
    call.catch(() => {})
    vi.runAllTimers()
    const error = await rejectionOf(call)
    return error instanceof CallTimeoutError ? error.timeoutMs : error
  }

  it("the breaker's, unless the call gives one", async () => {
    const { breaker } = make({ timeoutMs: 30 })
    expect(await timeoutOf(() => breaker.execute(() => NEVER))).toBe(30)
    expect(await timeoutOf(() => breaker.execute(() => NEVER, {}))).toBe(30)
    expect(await timeoutOf(() => breaker.execute(() => NEVER, { timeoutMs: 40 }))).toBe(40)
    expect(await timeoutOf(() => breaker.execute(() => NEVER, { timeoutMs: 10 }))).toBe(10)
    expectSettled(breaker, { failed: 4 })
  })

  it("wrapped functions have the breaker's", async () => {
    const { breaker } = make({ timeoutMs: 30 })
    expect(await timeoutOf(breaker.wrap(() => NEVER))).toBe(30)
  })

  it("the registry's default, unless the breaker has one", async () => {
    const registry = createRegistry({ clock: 'manual', defaults: { timeoutMs: 50 } })
    const without = registry.breaker('without')
    const withOne = registry.breaker('with', { timeoutMs: 60 })
    expect(await timeoutOf(() => without.execute(() => NEVER))).toBe(50)
    expect(await timeoutOf(() => withOne.execute(() => NEVER))).toBe(60)
  })

  it('executeSync has none: nothing can interrupt a function that returns its result', () => {
    const { breaker } = make({ timeoutMs: 30 })
    expect(breaker.executeSync(() => 'value')).toBe('value')
    expect(thrownBy(() => breaker.executeSync(thrown))).toBe(boom)
    expectSettled(breaker, { succeeded: 1, failed: 1 })
  })
})

it('works with real timers', async () => {
  vi.useRealTimers()
  const { breaker } = make()
  const error = await rejectionOf(breaker.execute(() => NEVER, { timeoutMs: 10 }))
  expect(error).toBeInstanceOf(CallTimeoutError)
  expectSettled(breaker, { failed: 1 })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
