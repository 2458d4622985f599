/** The series of each breaker under busbar's own names. */
import { STATE_NAMES, type State } from '../memory/words/state.ts'
import {
  type BreakerLook,
  by,
  COUNTED_FROM_START,
  hasRates,
  judgesSlowCalls,
  type Labels,
  type Metric,
  metric,
  ofBreakers,
  oneOf,
  type Series,
  single,
} from './metrics.ts'

/** The labels that these metrics use themselves. */
export const BREAKER_LABELS = ['breaker', 'state', 'outcome', 'from', 'to', 'le'] as const

/**
 * Bounds of the histogram: every octave that the region counts from 1.6 ms to 52 s, so its buckets
 * are exact. Finer ones stand in the region; `snapshot()` has percentiles from them.
 */
const FIRST_BOUND_MS = 1.6
const LAST_BOUND_MS = 52_428.8
/** Buckets of the region to an octave. */
const STEPS = 10

export const BREAKER_METRICS: readonly Metric[] = [
  metric(
    'gauge',
    'circuit_breaker_state',
    'Whether the circuit breaker is in this state: 1 or 0.',
    ofBreakers('breaker', ({ seen }) => oneOf('state', STATE_NAMES, seen.state)),
  ),
  metric(
    'counter',
    'circuit_breaker_calls_total',
    'Calls that were permitted and have ended, by outcome, over all threads.',
    ofBreakers('breaker', ({ seen: { totals } }) => {
      const { succeeded, failed, ignored, late, abandoned } = totals
      return by('outcome', { succeeded, failed, ignored, late, abandoned })
    }),
  ),
  metric(
    'counter',
    'circuit_breaker_refused_calls_total',
    'Calls that were refused, by the state that refused them, over all threads.',
    ofBreakers('breaker', ({ seen: { totals } }) => {
      const { refused, refusedHalfOpen, refusedForcedOpen } = totals
      const open = refused - refusedHalfOpen - refusedForcedOpen
      const others = { 'half-open': refusedHalfOpen, 'forced-open': refusedForcedOpen }
      return by('state', { open, ...others })
    }),
  ),
  metric(
    'counter',
    'circuit_breaker_slow_calls_total',
    'Calls that took longer than the slow threshold, over all threads.',
    ofBreakers('breaker', ({ seen }) => single(seen.totals.slow)),
  ),
  metric(
    'counter',
    'circuit_breaker_local_stalls_total',
    "Timeouts that fired late because the calling thread's own event loop was blocked.",
    ofBreakers('breaker', ({ seen }) => single(seen.totals.localStalls)),
  ),
  metric(
    'counter',
    'circuit_breaker_transitions_total',
    'Transitions between states.',
    ofBreakers('breaker', transitionsOf),
  ),
  metric(
    'gauge',
    'circuit_breaker_in_flight_calls',
    'Calls that were permitted and have not ended, over all threads.',
    ofBreakers('breaker', ({ seen }) => single(seen.totals.inFlight)),
  ),
  metric(
    'gauge',
    'circuit_breaker_failure_ratio',
    'Failed part of the calls in the window; no series below the minimum number of calls.',
    ofBreakers('breaker', ({ seen }) => single(seen.window.failureRate)),
    'average',
  ),
  metric(
    'gauge',
    'circuit_breaker_failure_ratio_threshold',
    'The failure ratio that opens the circuit breaker; no series where failures in a row do.',
    ofBreakers('breaker', ({ breaker: { options } }) =>
      single(hasRates(options) ? options.failureRateThreshold : undefined),
    ),
    'max',
  ),
  metric(
    'gauge',
    'circuit_breaker_slow_call_ratio',
    'Slow part of the calls in the window; no series below the minimum number of calls.',
    ofBreakers('breaker', ({ seen, breaker: { options } }) =>
      single(judgesSlowCalls(options) ? seen.window.slowCallRate : undefined),
    ),
    'average',
  ),
  metric(
    'gauge',
    'circuit_breaker_slow_call_ratio_threshold',
    'The slow call ratio that opens the circuit breaker; no series where none does.',
    ofBreakers('breaker', ({ breaker: { options } }) =>
      single(judgesSlowCalls(options) ? options.slowCallRateThreshold : undefined),
    ),
    'max',
  ),
  metric(
    'gauge',
    'circuit_breaker_last_sum_age_seconds',
    'Age of the window sum that the ratios are of. Grows while there are no calls.',
    ofBreakers('breaker', ({ seen }) => single(seen.windowAgeMs / 1000)),
    'max',
  ),
  metric(
    'histogram',
    'circuit_breaker_call_duration_seconds',
    'Durations of the calls whose outcome was given with one; no series before the first.',
    ofBreakers('breaker', durationsOf),
  ),
]

function transitionsOf({ seen }: BreakerLook): Series[] {
  const counts = new Map<string, Series>()
  const put = (from: State, to: State, value: number): void => {
    counts.set(`${from} ${to}`, { labels: { from, to }, value })
  }
  for (const [from, to] of COUNTED_FROM_START) put(from, to, 0)
  for (const { from, to, count } of seen.transitionCounts) put(from, to, count)
  return [...counts.values()]
}

function durationsOf({ seen, breaker }: BreakerLook): Series[] {
  if (seen.durations.count === 0) return []
  const { sumMs, buckets } = breaker.durations()
  const shown = buckets.filter(
    ({ leMs }, index) =>
      leMs === Number.POSITIVE_INFINITY || (index % STEPS === 0 && isWithinBounds(leMs)),
  )
  // Of the buckets themselves, so that the three fit whatever is recorded meanwhile.
  const count = shown.at(-1)?.count ?? 0
  const series = (suffix: Series['suffix'] & string, value: number, labels: Labels = {}) => ({
    labels,
    value,
    suffix,
  })
  return [
    ...shown.map(({ leMs, count }) => series('_bucket', count, { le: boundOf(leMs) })),
    series('_sum', sumMs / 1000),
    series('_count', count),
  ]
}

function isWithinBounds(leMs: number): boolean {
  return leMs > 0.99 * FIRST_BOUND_MS && leMs < 1.01 * LAST_BOUND_MS
}

/** In seconds, to a tenth of a millisecond: doubling leaves no rounding behind in the label. */
function boundOf(leMs: number): string {
  if (leMs === Number.POSITIVE_INFINITY) return '+Inf'
  return String(Math.round(leMs * 10) / 10_000)
}
