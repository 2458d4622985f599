import type { Counts, Outcome, Settings, Window } from './reference-types.ts'

/** 2.3: what the window holds now, of the outcomes of one generation, oldest first. */
export function windowAt(outcomes: Outcome[], window: Window, now: number): Counts {
  if (window.type === 'consecutive') {
    const row = rowOfFailures(outcomes)
    return { calls: row, failures: row, slowCalls: 0, slowFailures: 0 }
  }
  if (window.type === 'count') return countsOf(outcomes.slice(-window.size))
  // The window at time t is t's bucket and the `buckets - 1` before it, aligned to time zero.
  const first = bucketOf(now, window) - (window.buckets - 1)
  return countsOf(outcomes.filter(({ at }) => bucketOf(at, window) >= first))
}

export function bucketOf(at: number, window: { durationMs: number; buckets: number }): number {
  return Math.floor((at * window.buckets) / window.durationMs)
}

function countsOf(outcomes: Outcome[]): Counts {
  return {
    calls: outcomes.length,
    failures: outcomes.filter(outcome => outcome.failed).length,
    slowCalls: outcomes.filter(outcome => outcome.slow).length,
    slowFailures: outcomes.filter(outcome => outcome.failed && outcome.slow).length,
  }
}

/** 2.3: a success ends the row; a slow success counts as a failure. */
function rowOfFailures(outcomes: Outcome[]): number {
  const lastGood = outcomes.findLastIndex(outcome => !outcome.failed && !outcome.slow)
  return outcomes.length - 1 - lastGood
}

/** 2.4: for count windows the minimum is at most `size`. */
export function minimumNumberOfCalls(options: Settings): number {
  const { slidingWindow, minimumNumberOfCalls } = options
  if (slidingWindow.type !== 'count') return minimumNumberOfCalls
  return Math.min(minimumNumberOfCalls, slidingWindow.size)
}

/** 2.4: what opens a closed breaker after an outcome. Rates are compared as quotients. */
export function saysOpen({ calls, failures, slowCalls }: Counts, options: Settings): boolean {
  const { slidingWindow, failureRateThreshold, slowCallRateThreshold } = options
  if (slidingWindow.type === 'consecutive') return failures >= slidingWindow.failures
  if (calls < minimumNumberOfCalls(options)) return false
  if (failures / calls >= failureRateThreshold) return true
  const slowSet = options.slowCallDurationThresholdMs !== undefined
  return slowSet && slowCalls / calls >= slowCallRateThreshold
}

/** 2.5: the wait of the i-th opening in a row. Decision: multiplier 2, maxMs ten minutes. */
export function waitMs(wait: Settings['waitDurationInOpenStateMs'], opening: number): number {
  if (typeof wait === 'number') return wait
  const { initialMs, multiplier = 2, maxMs = Math.max(initialMs, 600_000) } = wait
  return Math.min(maxMs, initialMs * multiplier ** opening)
}
