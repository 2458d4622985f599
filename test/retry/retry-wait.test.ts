/** How long `retry` waits between its attempts. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { RetryOptions } from '../../src/retry/options.ts'
import { retry } from '../../src/retry/retry.ts'
import { dead, failing, fakeBudget, rejectionOf } from './support.ts'

const NOW_MS = Date.UTC(1994, 10, 6, 8, 49, 0)

/** The milliseconds from each attempt to the next, in time that passes only for timers. */
async function waitsOf(errors: unknown[], options: RetryOptions): Promise<number[]> {
  const times: number[] = []
  const next = failing(...errors)
  const call = retry(
    attempt => {
      times.push(Date.now())
      return next(attempt)
    },
    { attempts: errors.length + 1, ...options },
  )
  await vi.runAllTimersAsync()
  await call
  return times.slice(1).map((time, i) => time - (times[i] as number))
}

const four = Array(4).fill(new Error('boom'))

describe('in time that stands still', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: NOW_MS })
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  it.each<[RetryOptions['backoff'], number[]]>([
    [{ jitter: 'none' }, [100, 200, 400, 800]],
    [{ jitter: 'none', initialMs: 4000 }, [4000, 8000, 10_000, 10_000]],
    [{ jitter: 'none', initialMs: 10, multiplier: 3, maxMs: 100 }, [10, 30, 90, 100]],
    [{ jitter: 'none', initialMs: 0.25 }, [1, 1, 1, 2]],
    [{ initialMs: 0 }, [0, 0, 0, 0]],
  ])('%o: %o', async (backoff, waits) => {
    expect(await waitsOf(four, { backoff })).toEqual(waits)
  })

  it.each([
    [0, [0, 0, 0, 0]],
    [0.5, [50, 100, 200, 400]],
    [0.999, [100, 200, 400, 800]],
  ])('full jitter, a random number of %d: %o', async (random, waits) => {
    vi.spyOn(Math, 'random').mockReturnValue(random)
    expect(await waitsOf(four, {})).toEqual(waits)
    expect(await waitsOf(four, { backoff: { jitter: 'full' } })).toEqual(waits)
  })

  it.each<[string, object, number]>([
    ['a longer one', { headers: { 'Retry-After': '3' } }, 3000],
    ['a shorter one', { retryAfterMs: 20 }, 100],
    [
      'a date',
      { headers: new Headers({ 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' }) },
      37_000,
    ],
    ['the longest allowed', { retryAfterMs: 60_000 }, 60_000],
    ['not whole', { retryAfterMs: 250.25 }, 251],
  ])('a Retry-After is the least wait: %s', async (_, error, waitMs) => {
    expect(await waitsOf([error], { backoff: { jitter: 'none' } })).toEqual([waitMs])
  })

  it.each<[unknown, number | undefined]>([
    [{ retryAfterMs: 60_001 }, undefined],
    [{ retryAfterMs: Number.POSITIVE_INFINITY }, undefined],
    [{ retryAfterMs: Number.POSITIVE_INFINITY }, 2 ** 31 - 1],
    [{ headers: { 'retry-after': '9'.repeat(400) } }, 2 ** 31 - 1],
    [{ retryAfterMs: 101 }, 100],
    [{ retryAfterMs: 0.1 }, 0],
  ])('%o with maxRetryAfterMs: %s ends the attempts', async (error, maxRetryAfterMs) => {
    const { budget, asked } = fakeBudget(10)
    const fn = failing(error)
    expect(await rejectionOf(retry(fn, { maxRetryAfterMs, budget }))).toBe(error)
    expect(fn).toHaveBeenCalledTimes(1)
    expect(asked).toEqual(['call'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('the longest wait that there is fits a timer', async () => {
    const longestMs = 2 ** 31 - 1
    const options = { maxRetryAfterMs: longestMs, backoff: { maxMs: longestMs } }
    expect(await waitsOf([{ retryAfterMs: longestMs }], options)).toEqual([longestMs])
  })
})

describe('in real time', () => {
  it('waits as long', async () => {
    const startMs = performance.now()
    const backoff = { initialMs: 20, jitter: 'none' } as const
    await rejectionOf(retry(dead(), { backoff }))
    // A timer of Node may come a millisecond early.
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(20 + 40 - 2)
  })

  it('a process does not exit in the midst of it', async () => {
    const script = fileURLToPath(new URL('waits.mjs', import.meta.url))
    const { stdout } = await promisify(execFile)(process.execPath, [script], { timeout: 20_000 })
    expect(stdout).toBe('attempt 1\nattempt 2\nattempt 3\n')
  })
})
