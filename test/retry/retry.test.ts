/** `retry`: how often it calls, what comes of it, what it never calls again. */
import { execFile } from 'node:child_process'
import { getEventListeners, setMaxListeners } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it, vi } from 'vitest'
import {
  BulkheadFullError,
  CallTimeoutError,
  CircuitOpenError,
  InvalidOptionError,
  ThrottledError,
} from '../../src/errors.ts'
import { type RetryAttempt, retry } from '../../src/retry/retry.ts'
import { AT_ONCE, dead, failing, fakeBudget, rejectionOf, withoutUnhandled } from './support.ts'

const run = promisify(execFile)
const boom = new Error('boom')

describe('attempts', () => {
  it('a first success is all there is', async () => {
    const fn = failing()
    expect(await retry(fn)).toBe('attempt 1')
    expect(fn).toHaveBeenCalledTimes(1)
  })

  it('calls until it succeeds', async () => {
    const fn = failing(boom, boom)
    expect(await retry(fn, AT_ONCE)).toBe('attempt 3')
    expect(fn.mock.calls.map(([{ attempt }]) => attempt)).toEqual([1, 2, 3])
  })

  it.each([
    [undefined, 3],
    [1, 1],
    [2, 2],
    [100, 100],
  ])('attempts: %s: gives the last error of %d', async (attempts, calls) => {
    const fn = dead()
    const error = await rejectionOf(retry(fn, { ...AT_ONCE, attempts }))
    expect(fn).toHaveBeenCalledTimes(calls)
    expect(error).toEqual(new Error(`attempt ${calls}`))
  })

  it.each([boom, 'text', null, undefined, 0, Object.freeze({ frozen: true })])(
    'whatever is thrown (%#) comes out unchanged',
    async thrown => {
      const fn = failing(thrown, thrown, thrown)
      expect(await rejectionOf(retry(fn, AT_ONCE))).toBe(thrown)
      expect(fn).toHaveBeenCalledTimes(3)
    },
  )

  it('a synchronous throw is a failure like any other, a plain value a success', async () => {
    const fn = vi.fn(({ attempt }: RetryAttempt) => {
      if (attempt === 1) throw boom
      return attempt
    })
    expect(await retry(fn, AT_ONCE)).toBe(2)
  })

  it('thenables are followed; one that throws has failed', async () => {
    // biome-ignore lint/suspicious/noThenProperty: what it is about
    const good: PromiseLike<string> = { then: (...given) => Promise.resolve('good').then(...given) }
    const bad = Object.defineProperty({}, 'then', { get: () => expect.unreachable('bad') })
    const fn = vi.fn(({ attempt }: RetryAttempt) => (attempt === 1 ? bad : good))
    expect(await retry(fn, AT_ONCE)).toBe('good')
    expect(fn).toHaveBeenCalledTimes(2)
  })

  it('the first attempt is made at once', () => {
    const fn = failing()
    const call = retry(fn)
    expect(fn).toHaveBeenCalledTimes(1)
    return call
  })

  it('each has a signal of its own, the same whenever it is read', async () => {
    const signals: AbortSignal[] = []
    await retry(attempt => {
      signals.push(attempt.signal)
      expect(attempt.signal).toBe(attempt.signal)
      if (attempt.attempt < 3) throw boom
    }, AT_ONCE)
    expect(new Set(signals).size).toBe(3)
    expect(signals.every(signal => !signal.aborted)).toBe(true)
  })
})

const refusals = [
  new CircuitOpenError('b', { state: 'open', retryAfterMs: 1 }),
  new ThrottledError('t', () => 1),
  new BulkheadFullError('b', 1),
]

describe('a refusal', () => {
  it.each(refusals)('$name is never retried, whatever retryOn says', async refusal => {
    const fn = failing(refusal)
    const { budget, asked } = fakeBudget(10)
    const retryOn = vi.fn(() => true)
    expect(await rejectionOf(retry(fn, { budget, retryOn }))).toBe(refusal)
    expect(fn).toHaveBeenCalledTimes(1)
    expect(retryOn).not.toHaveBeenCalled()
    expect(asked).toEqual(['call'])
  })

  it('ends the attempts when it comes later', async () => {
    const [refusal] = refusals
    const fn = failing(boom, refusal)
    expect(await rejectionOf(retry(fn, AT_ONCE))).toBe(refusal)
    expect(fn).toHaveBeenCalledTimes(2)
  })

  it('behind another error does not count', async () => {
    const [, cause] = refusals
    const fn = failing(new Error('no stock', { cause }))
    expect(await retry(fn, AT_ONCE)).toBe('attempt 2')
  })

  it('a timeout is none', async () => {
    expect(await retry(failing(new CallTimeoutError('circuit breaker', 'b', 5)), AT_ONCE)).toBe(
      'attempt 2',
    )
  })
})

describe('retryOn', () => {
  it('is asked about each error but the last, and false ends the attempts', async () => {
    const errors = [new Error('a'), new Error('b'), new Error('c')]
    const retryOn = vi.fn((error: unknown) => error !== errors[1])
    expect(await rejectionOf(retry(failing(...errors), { ...AT_ONCE, retryOn }))).toBe(errors[1])
    expect(retryOn.mock.calls).toEqual([[errors[0]], [errors[1]]])
    retryOn.mockReset().mockReturnValue(true)
    expect(await rejectionOf(retry(failing(...errors), { ...AT_ONCE, retryOn }))).toBe(errors[2])
    expect(retryOn.mock.calls).toEqual([[errors[0]], [errors[1]]])
  })

  it('takes no retry from the budget when it says no', async () => {
    const { budget, asked } = fakeBudget(10)
    await rejectionOf(retry(dead(), { ...AT_ONCE, budget, retryOn: () => false }))
    expect(asked).toEqual(['call'])
  })

  it('what it throws comes out in place of the error', async () => {
    const broken = new Error('broken')
    const fn = dead()
    const retryOn = (): never => {
      throw broken
    }
    expect(await rejectionOf(retry(fn, { retryOn }))).toBe(broken)
    expect(fn).toHaveBeenCalledTimes(1)
  })

  it('has to answer at once', () =>
    withoutUnhandled(async () => {
      const fn = dead()
      // It would be true, whatever it comes to.
      const retryOn = (() => Promise.reject(boom)) as unknown as () => boolean
      const error = await rejectionOf(retry(fn, { retryOn }))
      expect(error).toBeInstanceOf(InvalidOptionError)
      expect(error).toMatchObject({ option: 'retryOn(error)' })
      expect(fn).toHaveBeenCalledTimes(1)
    }))
})

describe('a budget', () => {
  it('hears of each call once and is asked for each retry', async () => {
    const { budget, asked } = fakeBudget(10)
    const fn = vi.fn(({ attempt }: RetryAttempt) => {
      asked.push(`attempt ${attempt}`)
      if (attempt < 3) throw boom
    })
    await retry(fn, { ...AT_ONCE, attempts: 5, budget })
    expect(asked).toEqual(['call', 'attempt 1', 'retry', 'attempt 2', 'retry', 'attempt 3'])
  })

  it('is not asked when the attempts are used up', async () => {
    const { budget, asked } = fakeBudget(10)
    await rejectionOf(retry(dead(), { ...AT_ONCE, attempts: 2, budget }))
    expect(asked).toEqual(['call', 'retry'])
  })

  it('that is empty ends the attempts with the last error, without a wait', async () => {
    const { budget, asked } = fakeBudget(1)
    const fn = failing(boom, new Error('second'))
    const backoff = { initialMs: 2, multiplier: 1000, maxMs: 2 ** 31 - 1, jitter: 'none' } as const
    const error = await rejectionOf(retry(fn, { attempts: 9, backoff, budget }))
    expect(error).toEqual(new Error('second'))
    expect(asked).toEqual(['call', 'retry', 'retry'])
  })

  it('bounds all calls that share it', async () => {
    const { budget, asked } = fakeBudget(5)
    const fn = dead()
    const options = { ...AT_ONCE, budget }
    await Promise.all(Array.from({ length: 20 }, () => rejectionOf(retry(fn, options))))
    expect(fn).toHaveBeenCalledTimes(25)
    expect(asked.filter(word => word === 'call')).toHaveLength(20)
  })

  it('hears of no call that is not made', async () => {
    const { budget, asked } = fakeBudget(1)
    await rejectionOf(retry(dead(), { budget, signal: AbortSignal.abort() }))
    await rejectionOf(retry(undefined as never, { budget }))
    expect(asked).toEqual([])
  })
})

describe('many', () => {
  it('10,000 calls with two retries each leave no listener and no rejection behind', () =>
    withoutUnhandled(async () => {
      const { signal } = new AbortController()
      setMaxListeners(0, signal)
      const options = { ...AT_ONCE, signal }
      for (let round = 0; round < 10; round++) {
        const calls = Array.from({ length: 1000 }, () => retry(failing(boom, boom), options))
        expect(new Set(await Promise.all(calls))).toEqual(new Set(['attempt 3']))
      }
      expect(getEventListeners(signal, 'abort')).toEqual([])
    }))

  it('and no memory', async () => {
    const script = fileURLToPath(new URL('memory.mjs', import.meta.url))
    const { stdout } = await run(process.execPath, ['--expose-gc', script], { timeout: 25_000 })
    expect(JSON.parse(stdout).bytesPerCall).toBeLessThan(20)
  })
})
