/** The caller's signal: it ends a call at once, wherever it is, and nothing is left of it. */
import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type RetryAttempt, retry } from '../../src/retry/retry.ts'
import {
  AT_ONCE,
  dead,
  failing,
  fakeBudget,
  isSettled,
  rejectionOf,
  withoutUnhandled,
} from './support.ts'

const NEVER = new Promise<never>(() => {})
const LONG = { backoff: { initialMs: 60_000, maxMs: 60_000, jitter: 'none' } } as const
const boom = new Error('boom')
const REASONS = [new Error('changed my mind'), 'a string', null, 0, Object.freeze({ frozen: true })]

function listeners(signal: AbortSignal): number {
  return getEventListeners(signal, 'abort').length
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

describe('aborted before', () => {
  it.each(REASONS)('rejects with the reason (%#) and calls nothing', async reason => {
    const fn = failing()
    const signal = AbortSignal.abort(reason)
    expect(await rejectionOf(retry(fn, { signal }))).toBe(reason)
    expect(fn).not.toHaveBeenCalled()
    expect(listeners(signal)).toBe(0)
  })
})

describe('aborted during an attempt', () => {
  it.each(REASONS)('rejects with the reason (%#) at once', async reason => {
    const { budget, asked } = fakeBudget(10)
    const controller = new AbortController()
    const { signal } = controller
    const fn = vi.fn(() => NEVER)
    const retryOn = vi.fn(() => true)
    const call = retry(fn, { signal, budget, retryOn })
    expect(listeners(signal)).toBe(1)
    expect(await isSettled(call)).toBe(false)
    controller.abort(reason)
    expect(listeners(signal)).toBe(0)
    expect(await rejectionOf(call)).toBe(reason)
    expect(fn).toHaveBeenCalledTimes(1)
    expect(retryOn).not.toHaveBeenCalled()
    expect(asked).toEqual(['call'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('an attempt that heeds it and throws something else is not made again', async () => {
    const controller = new AbortController()
    const { signal } = controller
    const fn = vi.fn(
      (attempt: RetryAttempt) =>
        new Promise((_, reject) => attempt.signal.addEventListener('abort', () => reject(boom))),
    )
    const call = retry(fn, { ...AT_ONCE, signal })
    controller.abort('over')
    expect(await rejectionOf(call)).toBe('over')
    await vi.runAllTimersAsync()
    expect(fn).toHaveBeenCalledTimes(1)
  })

  it.each(['resolves', 'rejects'] as const)('what it does later is ignored: %s', later =>
    withoutUnhandled(async () => {
      let settle: Record<typeof later, () => void> | undefined
      const answer = new Promise<string>((resolve, reject) => {
        settle = { resolves: () => resolve('late'), rejects: () => reject(boom) }
      })
      const controller = new AbortController()
      const fn = vi.fn(() => answer)
      const call = retry(fn, { ...AT_ONCE, signal: controller.signal })
      controller.abort('over')
      expect(await rejectionOf(call)).toBe('over')
      settle?.[later]()
      await vi.runAllTimersAsync()
      expect(fn).toHaveBeenCalledTimes(1)
    }),
  )

  it.each(['returns', 'throws', 'rejects'])('by the function itself, which then %s', end =>
    withoutUnhandled(async () => {
      const controller = new AbortController()
      const fn = vi.fn(() => {
        controller.abort('over')
        if (end === 'throws') throw boom
        return end === 'rejects' ? Promise.reject(boom) : NEVER
      })
      const { signal } = controller
      expect(await rejectionOf(retry(fn, { ...AT_ONCE, signal }))).toBe('over')
      expect(fn).toHaveBeenCalledTimes(1)
      expect(listeners(signal)).toBe(0)
      expect(vi.getTimerCount()).toBe(0)
    }),
  )

  it('and the event kept from us: there is no further attempt', async () => {
    const controller = new AbortController()
    const { signal } = controller
    signal.addEventListener('abort', event => event.stopImmediatePropagation())
    const fn = vi.fn(async () => {
      await Promise.resolve()
      controller.abort('over')
      throw boom
    })
    expect(await rejectionOf(retry(fn, { ...AT_ONCE, signal }))).toBe('over')
    expect(fn).toHaveBeenCalledTimes(1)
  })
})

describe('aborted during a wait', () => {
  it.each(REASONS)('rejects with the reason (%#) at once, the timer is gone', async reason => {
    const controller = new AbortController()
    const { signal } = controller
    const fn = dead()
    const call = retry(fn, { ...LONG, signal })
    expect(await isSettled(call)).toBe(false)
    expect(vi.getTimerCount()).toBe(1)
    expect(listeners(signal)).toBe(1)
    controller.abort(reason)
    expect(vi.getTimerCount()).toBe(0)
    expect(listeners(signal)).toBe(0)
    expect(await rejectionOf(call)).toBe(reason)
    expect(fn).toHaveBeenCalledTimes(1)
  })

  it.each(['retryOn', 'budget'])('or just before it, by the %s', async by => {
    const controller = new AbortController()
    const { signal } = controller
    const abort = (): boolean => {
      controller.abort('over')
      return true
    }
    const options =
      by === 'retryOn' ? { retryOn: abort } : { budget: { recordCall() {}, tryRetry: abort } }
    const fn = dead()
    expect(await rejectionOf(retry(fn, { ...LONG, ...options, signal }))).toBe('over')
    expect(fn).toHaveBeenCalledTimes(1)
    expect(vi.getTimerCount()).toBe(0)
    expect(listeners(signal)).toBe(0)
  })

  it('and the event kept from us: there is no further attempt', async () => {
    const controller = new AbortController()
    const { signal } = controller
    signal.addEventListener('abort', event => event.stopImmediatePropagation())
    const fn = dead()
    const call = retry(fn, { ...LONG, signal })
    expect(await isSettled(call)).toBe(false)
    controller.abort('over')
    const error = rejectionOf(call)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await error).toBe('over')
    expect(fn).toHaveBeenCalledTimes(1)
  })
})

describe('not aborted', () => {
  it('is what every attempt is given, and is left without listeners', async () => {
    const { signal } = new AbortController()
    const fn = failing(boom, boom)
    const call = retry(fn, { ...AT_ONCE, signal })
    await vi.runAllTimersAsync()
    expect(await call).toBe('attempt 3')
    expect(fn.mock.calls.map(([attempt]) => attempt.signal)).toEqual([signal, signal, signal])
    expect(listeners(signal)).toBe(0)
  })

  it('carries one listener at a time, however many attempts there are', async () => {
    const { signal } = new AbortController()
    const counts: number[] = []
    const fn = vi.fn(async () => {
      await Promise.resolve()
      counts.push(listeners(signal))
      throw boom
    })
    const error = rejectionOf(retry(fn, { ...AT_ONCE, attempts: 100, signal }))
    await vi.runAllTimersAsync()
    expect(await error).toBe(boom)
    expect(counts).toEqual(Array(100).fill(1))
    expect(listeners(signal)).toBe(0)
  })

  it('is left when a thenable throws or no further attempt is made', async () => {
    const { signal } = new AbortController()
    const hostile = Object.defineProperty(Promise.resolve(), 'constructor', {
      get() {
        throw boom
      },
    })
    expect(await rejectionOf(retry(() => hostile, { attempts: 1, signal }))).toBe(boom)
    expect(await rejectionOf(retry(dead(), { retryOn: () => false, signal }))).toEqual(
      new Error('attempt 1'),
    )
    expect(listeners(signal)).toBe(0)
  })
})
