/**
 * The names of Resilience4j, for boards and alerts that were made for it: those that
 * TaggedCircuitBreakerMetrics of its Micrometer module has in Prometheus.
 *
 * Only what means the same is given: a series that is missing is seen at once, one that is not
 * quite what its name says is not.
 */
import { by, counts, type Metric, metric, ofBreakers, oneOf, single } from './metrics.ts'

export const RESILIENCE4J_LABELS = ['name', 'state', 'kind'] as const

const RESILIENCE4J_STATES = [
  'disabled',
  'metrics_only',
  'closed',
  'open',
  'forced_open',
  'half_open',
] as const

/** Rates are percentages there, and -1 below the minimum number of calls. */
function percent(rate: number | null): number {
  return rate === null ? -1 : rate * 100
}

export const RESILIENCE4J_METRICS: readonly Metric[] = [
  metric(
    'gauge',
    'resilience4j_circuitbreaker_state',
    'The states of the circuit breaker',
    ofBreakers('name', ({ seen }) => {
      const state = seen.state.replace('-', '_') as (typeof RESILIENCE4J_STATES)[number]
      return oneOf('state', RESILIENCE4J_STATES, state)
    }),
  ),
  metric(
    'gauge',
    'resilience4j_circuitbreaker_buffered_calls',
    'The number of calls in the window',
    ofBreakers('name', ({ seen: { window } }) =>
      by('kind', { failed: window.failures, successful: window.calls - window.failures }),
    ),
  ),
  metric(
    'gauge',
    'resilience4j_circuitbreaker_slow_calls',
    'The number of calls in the window that were slower than the threshold',
    ofBreakers('name', ({ seen: { window } }) => {
      const { slowCalls, slowFailures } = window
      return by('kind', { failed: slowFailures, successful: slowCalls - slowFailures })
    }),
  ),
  metric(
    'gauge',
    'resilience4j_circuitbreaker_failure_rate',
    'The failure rate of the circuit breaker',
    ofBreakers('name', ({ seen }) => single(percent(seen.window.failureRate))),
    'average',
  ),
  metric(
    'gauge',
    'resilience4j_circuitbreaker_slow_call_rate',
    'The slow call rate of the circuit breaker',
    ofBreakers('name', ({ seen }) => single(percent(seen.window.slowCallRate))),
    'average',
  ),
  // Without _sum and _max: busbar keeps durations of all outcomes together.
  metric(
    'summary',
    'resilience4j_circuitbreaker_calls_seconds',
    'Total number of calls by kind',
    ofBreakers('name', ({ seen: { totals } }) => {
      const { succeeded, failed, ignored } = totals
      return counts(by('kind', { successful: succeeded, failed, ignored }))
    }),
  ),
  metric(
    'counter',
    'resilience4j_circuitbreaker_not_permitted_calls_total',
    'Total number of not permitted calls',
    ofBreakers('name', ({ seen }) => by('kind', { not_permitted: seen.totals.refused })),
  ),
]
