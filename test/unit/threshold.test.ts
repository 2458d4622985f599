/** The threshold rule and the stock (pure): tables, and a search that the formula must not beat. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Counts,
  reachesThreshold,
  stockUntilThreshold,
  surelyReaches,
  type Thresholds,
} from '../../src/protocol/threshold.ts'
import { addKind, GOOD } from '../../src/protocol/window.ts'

const OFF = Number.POSITIVE_INFINITY

const rates = fc.oneof(fc.constant(1), fc.double({ min: 0.01, max: 1, noNaN: true }))

function counts(calls: number, failures: number, slowCalls = 0): Counts {
  return { calls, failures, slowCalls, slowFailures: 0 }
}

function thresholds(failure: number, slow = OFF, minimum = 1, capacity = OFF): Thresholds {
  return {
    failureRateThreshold: failure,
    slowCallRateThreshold: slow,
    minimumNumberOfCalls: minimum,
    capacity,
  }
}

describe('reachesThreshold', () => {
  it.each([
    // calls, failures, slow, failure threshold, slow threshold, minimum, opens
    [25, 14, 0, 0.56, OFF, 1, true], // 14 / 25 is 0.56, although 0.56 * 25 > 14
    [25, 13, 0, 0.56, OFF, 1, false],
    [3, 1, 0, 1 / 3, OFF, 1, true],
    [10, 7, 0, 0.7, OFF, 1, true], // 0.7 * 10 is 7 exactly, 7 / 10 is 0.7
    [100, 29, 0, 0.29, OFF, 1, true], // 0.29 * 100 is 28.999999999999996
    [100, 28, 0, 0.29, OFF, 1, false],
    [1, 1, 0, 1, OFF, 1, true],
    [100, 99, 0, 1, OFF, 1, false],
    [19, 19, 0, 0.5, OFF, 20, false],
    [20, 10, 0, 0.5, OFF, 20, true],
    [20, 0, 20, 0.5, 1, 20, true],
    [20, 0, 19, 0.5, 1, 20, false],
    [20, 0, 20, 0.5, OFF, 20, false],
    [0, 0, 0, 0.5, 0.5, 1, false],
    [1, 1, 0, Number.MIN_VALUE, OFF, 1, true],
    [1, 0, 0, Number.MIN_VALUE, OFF, 1, false],
  ])('%i calls, %i failures, %i slow against %d and %d from %i calls: %s', (...row) => {
    const [calls, failures, slow, failureRate, slowRate, minimum, opens] = row
    const rule = thresholds(failureRate, slowRate, minimum)
    expect(reachesThreshold(counts(calls, failures, slow), rule)).toBe(opens)
  })
})

describe('surelyReaches', () => {
  it.each([
    // first sum, second sum, failure threshold, slow threshold, opens
    [counts(4, 4), counts(4, 4), 1, OFF, true],
    [counts(4, 4), counts(6, 6), 1, OFF, true], // failures that came in between take nothing away
    [counts(3, 3), counts(6, 3), 0.75, OFF, false], // three successes were missed: 3 of 6
    [counts(4, 3), counts(5, 4), 0.75, OFF, true], // a failure more: still 3 of 4 at the least
    [counts(4, 2), counts(3, 2), 0.5, OFF, true], // a success has left the window meanwhile
    [counts(4, 0, 4), counts(8, 4, 4), 0.9, 0.5, true], // 4 slow of 8
    [counts(4, 0, 4), counts(9, 5, 4), 0.9, 0.5, false], // 4 slow of 9
    [counts(3, 0), counts(3, 0), 0.5, OFF, false],
  ])('%o, then %o, against %d and %d: %s', (first, second, failureRate, slowRate, opens) => {
    expect(surelyReaches(first, second, thresholds(failureRate, slowRate, 3))).toBe(opens)
  })

  it('needs the minimum of calls in the first sum', () => {
    expect(surelyReaches(counts(2, 2), counts(9, 9), thresholds(0.5, OFF, 3))).toBe(false)
  })

  it('says what reachesThreshold says when nothing came in between', () => {
    fc.assert(
      fc.property(fc.nat(50), fc.nat(50), fc.nat(50), rates, rates, (n, f, s, failure, slow) => {
        const sum = counts(n, Math.min(f, n), Math.min(s, n))
        const rule = thresholds(failure, slow)
        expect(surelyReaches(sum, sum, rule)).toBe(reachesThreshold(sum, rule))
      }),
    )
  })
})

describe('stockUntilThreshold', () => {
  it.each([
    [20, 0, 0.5, OFF, 20], // (0 + 20) / (20 + 20)
    [20, 9, 0.5, OFF, 2], // 11 / 22
    [100, 49, 0.5, OFF, 2], // 51 / 102
    [100, 49, 0.5, 100, 1], // 50 / 100: a full window does not grow
    [100, 0, 0.5, 100, 50],
    [60, 0, 0.5, 100, 50], // 50 failures fill 40 places and evict 10 successes
    [3, 2, 1, 5, 3], // the whole window has to fail
    [10, 9, 1, OFF, 4095], // only expiry can bring 9 of 10 to 1
    [1_000_000, 0, 0.5, OFF, 4095],
    [1, 0, Number.MIN_VALUE, OFF, 1],
  ])('%i calls, %i failures at %d, capacity %d: %i', (calls, failures, rate, capacity, stock) => {
    const rule = thresholds(rate, OFF, 1, capacity)
    expect(stockUntilThreshold(counts(calls, failures), rule)).toBe(stock)
  })

  it('is what the nearer of the two thresholds says', () => {
    expect(stockUntilThreshold(counts(20, 0, 0), thresholds(0.5, 0.1))).toBe(2)
  })

  it('never says more than the fewest bad outcomes that reach the threshold', () => {
    const rate = fc.oneof(fc.double({ min: 0.001, max: 1, noNaN: true }), fc.constant(1))
    const calls = fc.integer({ min: 1, max: 400 })
    fc.assert(
      fc.property(calls, fc.nat(400), rate, fc.boolean(), fc.nat(200), (n, f, t, full, room) => {
        const capacity = full ? n + room : OFF
        const rule = thresholds(t, OFF, 1, capacity)
        const failures = Math.min(n, f)
        fc.pre(!reachesThreshold(counts(n, failures), rule))
        const stock = stockUntilThreshold(counts(n, failures), rule)
        // One bad outcome fewer than the stock must never suffice, good ones in between or not.
        for (let bad = 1; bad < Math.min(stock, 300); bad++) {
          const after = counts(Math.min(capacity, n + bad), Math.min(failures + bad, capacity))
          expect(reachesThreshold(after, rule)).toBe(false)
        }
      }),
      { numRuns: 500 },
    )
  })

  it.each([
    // calls, failures, minimum, capacity
    [0, 0, 20, OFF, 20], // whatever these are, the next sum can wait for 20
    [1, 1, 20, OFF, 19],
    [19, 0, 20, OFF, 1], // one more reaches the minimum,
    [19, 19, 20, OFF, 1], // failures or not
    [20, 0, 20, OFF, 20], // from here on only bad ones count: (0 + 20) / (20 + 20)
    [20, 9, 20, OFF, 2], // 11 / 22
    [3, 3, 10, 10, 7], // a count window whose minimum is its size
    [0, 0, 100_000, OFF, 4095],
    [95_904, 0, 100_000, OFF, 4095],
    [95_906, 0, 100_000, OFF, 4094],
  ])('%i calls, %i failures, minimum %i, capacity %d: %i', (...row) => {
    const [calls, failures, minimum, capacity, stock] = row
    const rule = thresholds(0.5, OFF, minimum, capacity)
    expect(stockUntilThreshold(counts(calls, failures), rule)).toBe(stock)
  })

  it('below the minimum no rate matters', () => {
    fc.assert(
      fc.property(fc.nat(50), fc.nat(50), fc.nat(50), rates, rates, (n, f, s, failure, slow) => {
        const rule = thresholds(failure, slow, n + 7)
        expect(stockUntilThreshold(counts(n, Math.min(f, n), Math.min(s, n)), rule)).toBe(7)
      }),
    )
  })

  it('never says more than the outcomes that reach the threshold from below the minimum', () => {
    const kinds = fc.array(fc.nat(3), { minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(kinds, rates, rates, fc.integer({ min: 1, max: 40 }), (all, failure, slow, m) => {
        const rule = thresholds(failure, slow, m)
        const sum = counts(0, 0)
        let left = stockUntilThreshold(sum, rule)
        for (const kind of all) {
          const isBelow = sum.calls < m
          addKind(sum, kind, 1)
          if (isBelow || kind !== GOOD) left--
          if (reachesThreshold(sum, rule)) {
            expect(left).toBeLessThanOrEqual(0)
            return
          }
          // Whoever used the stock up sums.
          if (left <= 0) left = stockUntilThreshold(sum, rule)
        }
      }),
      { numRuns: 2000 },
    )
  })
})
