/**
 * When a window opens the breaker, and how far from that it is. Pure: counts in, numbers out.
 *
 * A breaker opens when calls >= minimum and a rate reaches its threshold, rates being quotients in
 * double precision (spec 2.4): 14 of 25 reaches 0.56, although 0.56 * 25 is more than 14.
 */
import { MAX_STOCK } from '../memory/words/windows.ts'

/** What a window holds. A call can be a failure, slow, both or neither. */
export interface Counts {
  calls: number
  failures: number
  slowCalls: number
  slowFailures: number
}

/** The fixed numbers that a verdict needs. A rate that cannot open is `Infinity`. */
export interface Thresholds {
  readonly minimumNumberOfCalls: number
  readonly failureRateThreshold: number
  readonly slowCallRateThreshold: number
  /** The most calls the window can hold; `Infinity` for a time window. */
  readonly capacity: number
}

export function reachesThreshold(counts: Counts, thresholds: Thresholds): boolean {
  return (
    counts.calls >= thresholds.minimumNumberOfCalls &&
    (counts.failures / counts.calls >= thresholds.failureRateThreshold ||
      counts.slowCalls / counts.calls >= thresholds.slowCallRateThreshold)
  )
}

/**
 * As `reachesThreshold(first)`, for a first sum that may have missed good outcomes which came
 * before bad ones that it saw. The bad outcomes that it saw were all there when it ended, and so,
 * in the second sum, are all good ones until then. A rate only falls by good outcomes: with the
 * first's bad ones and the second's good ones it is at most what it was at that moment.
 */
export function surelyReaches(first: Counts, second: Counts, thresholds: Thresholds): boolean {
  const good = (bad: 'failures' | 'slowCalls'): number =>
    Math.max(first.calls - first[bad], second.calls - second[bad])
  const { failures, slowCalls } = first
  return (
    first.calls >= thresholds.minimumNumberOfCalls &&
    (failures / (failures + good('failures')) >= thresholds.failureRateThreshold ||
      slowCalls / (slowCalls + good('slowCalls')) >= thresholds.slowCallRateThreshold)
  )
}

/**
 * The stock: a number of further outcomes that are needed at the least before the window can reach
 * a threshold, given that it has not yet, and that none of its calls leaves it but by a new one.
 * Below the minimum of calls all outcomes count, from there on only bad ones (failed or slow). In
 * [1, 4095].
 *
 * With x more bad outcomes and any number of good ones the rate is at most (f + x) / (n + x), or
 * (f + x) / capacity once the window is full. So x >= (t n - f) / (1 - t), or x >= t capacity - f.
 * Rounded down: being too low costs a sum, being too high would open late.
 */
export function stockUntilThreshold(counts: Counts, thresholds: Thresholds): number {
  const { failureRateThreshold, slowCallRateThreshold, capacity } = thresholds
  const { calls, failures, slowCalls } = counts
  const missing = thresholds.minimumNumberOfCalls - calls
  if (missing > 0) return Math.min(missing, MAX_STOCK)
  const left = Math.min(
    badOutcomesUntil(failureRateThreshold, calls, failures, capacity),
    badOutcomesUntil(slowCallRateThreshold, calls, slowCalls, capacity),
    MAX_STOCK,
  )
  return left >= 1 ? Math.floor(left) : 1
}

function badOutcomesUntil(rate: number, calls: number, bad: number, capacity: number): number {
  if (!(rate <= 1)) return MAX_STOCK
  const whileGrowing = rate < 1 ? (rate * calls - bad) / (1 - rate) : MAX_STOCK
  // calls === bad at rate 1 has reached the threshold; otherwise only expiry or eviction can.
  const whenFull = rate * capacity - bad
  return calls + whileGrowing <= capacity ? whileGrowing : Math.min(whileGrowing, whenFull)
}
