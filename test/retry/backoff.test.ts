/** The wait before a retry: growth, limit, jitter, and the largest powers that there are. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { backoffMsOf } from '../../src/retry/backoff.ts'
import { type Backoff, type BackoffOptions, readRetryOptions } from '../../src/retry/options.ts'

function backoff(options: BackoffOptions): Backoff {
  return readRetryOptions({ backoff: options }).backoff
}

function waits(options: BackoffOptions, random: number, retries = [1, 2, 3, 4]): number[] {
  return retries.map(retry => backoffMsOf(backoff(options), retry, random))
}

describe('without jitter', () => {
  it.each<[BackoffOptions, number[]]>([
    [{}, [100, 200, 400, 800]],
    [{ initialMs: 50 }, [50, 100, 200, 400]],
    [{ initialMs: 100, multiplier: 3, maxMs: 1000 }, [100, 300, 900, 1000]],
    [{ initialMs: 100, multiplier: 1 }, [100, 100, 100, 100]],
    [{ initialMs: 2.5, multiplier: 1.5 }, [2.5, 3.75, 5.625, 8.4375]],
    [{ initialMs: 0, multiplier: 1000 }, [0, 0, 0, 0]],
    [{ initialMs: 700_000 }, [700_000, 700_000, 700_000, 700_000]],
  ])('%o: %o', (options, expected) => {
    expect(waits({ ...options, jitter: 'none' }, 0.5)).toEqual(expected)
  })
})

it('the last retry with the steepest backoff', () => {
  expect(waits({ initialMs: 0, multiplier: 1000, jitter: 'none' }, 0, [99])).toEqual([0])
  const steep = { initialMs: 2 ** 31 - 1, multiplier: 1000, jitter: 'none' } as const
  expect(waits(steep, 0, [99])).toEqual([2 ** 31 - 1])
})

describe('with full jitter', () => {
  it.each<[number, number[]]>([
    [0, [0, 0, 0, 0]],
    [0.25, [25, 50, 100, 125]],
    [0.5, [50, 100, 200, 250]],
    [1 - 2 ** -53, [100, 200, 400, 500]],
  ])('a random number of %d: that part of the longest wait, %o', (random, expected) => {
    const given = waits({ initialMs: 100, maxMs: 500 }, random)
    given.forEach((ms, i) => {
      expect(ms).toBeCloseTo(expected[i] as number, 10)
    })
  })
})

const anyBackoff = fc
  .record({
    initialMs: fc.double({ min: 0, max: 2 ** 31 - 1, noNaN: true }),
    multiplier: fc.double({ min: 1, max: 1000, noNaN: true }),
    above: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ initialMs, multiplier, above }) => ({
    initialMs,
    multiplier,
    maxMs: Math.min(2 ** 31 - 1, initialMs + above * (2 ** 31 - 1 - initialMs)),
  }))
const anyRetry = fc.integer({ min: 1, max: 98 })
const anyRandom = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

describe('any backoff', () => {
  it('waits from 0 to its limit, and without jitter exactly its limit', () => {
    fc.assert(
      fc.property(anyBackoff, anyRetry, anyRandom, (options, retry, random) => {
        const longest = backoffMsOf(backoff({ ...options, jitter: 'none' }), retry, random)
        const ms = backoffMsOf(backoff(options), retry, random)
        expect(longest).toBeGreaterThanOrEqual(0)
        expect(longest).toBeLessThanOrEqual(options.maxMs)
        expect(ms).toBe(longest * random)
      }),
    )
  })

  it('never gets shorter from one retry to the next', () => {
    fc.assert(
      fc.property(anyBackoff, anyRetry, anyRandom, (options, retry, random) => {
        const [first = Number.NaN, second] = waits(options, random, [retry, retry + 1])
        // Powers are rounded.
        expect(second).toBeGreaterThanOrEqual(first * (1 - 1e-12))
      }),
    )
  })
})
