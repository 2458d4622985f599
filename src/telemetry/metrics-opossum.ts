/**
 * The names of opossum-prometheus, for boards and alerts that were made for it: a counter for each
 * event of a breaker.
 *
 * Only what means the same is given: a series that is missing is seen at once, one that is not
 * quite what its name says is not.
 */
import type { State } from '../memory/words/state.ts'
import { type BreakerLook, by, counts, type Metric, metric, ofBreakers } from './metrics.ts'

export const OPOSSUM_LABELS = ['name', 'event', 'quantile'] as const

export const OPOSSUM_METRICS: readonly Metric[] = [
  metric(
    'counter',
    'circuit',
    "A count of all circuit' events",
    ofBreakers('name', look => by('event', eventsOf(look))),
  ),
  // Without _sum and quantiles: busbar keeps durations of all outcomes together.
  metric(
    'summary',
    'circuit_perf',
    "A summary of all circuit's events",
    ofBreakers('name', ({ seen: { totals } }) =>
      counts(by('event', { success: totals.succeeded, failure: totals.failed })),
    ),
  ),
]

function eventsOf({ seen }: BreakerLook): Record<string, number> {
  const { succeeded, failed, ignored, late, abandoned, refused } = seen.totals
  const entered = (...states: State[]): number =>
    seen.transitionCounts
      .filter(({ to }) => states.includes(to))
      .reduce((sum, { count }) => sum + count, 0)
  return {
    // When the call ends, not when it begins: the number of those begun may dip while a thread
    // hands its calls in flight over, and a counter must not.
    fire: succeeded + failed + ignored + late + abandoned + refused,
    success: succeeded,
    failure: failed,
    reject: refused,
    open: entered('open', 'forced-open'),
    halfOpen: entered('half-open'),
    close: entered('closed'),
  }
}
