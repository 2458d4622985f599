/**
 * The series of throttles, bulkheads, retry budgets and host groups, said once for Prometheus and
 * OpenTelemetry: the one writes `throttle_calls_total{throttle,outcome}`, the other
 * `busbar.throttle.calls` with `busbar.throttle.name` and `busbar.throttle.outcome`.
 */
import type { RegistrySnapshot } from '../registry-snapshot.ts'
import type { Labels, Metric } from './metrics.ts'
import type { Attributes } from './opentelemetry-types.ts'

type Point = readonly [value: number, labels?: Labels]

/** What of a snapshot is about controls. */
type Lists = Pick<RegistrySnapshot, 'throttles' | 'bulkheads' | 'retryBudgets' | 'hostGroups'>

/** The control as names and labels call it, and where a snapshot has it. */
const LISTS = {
  throttle: 'throttles',
  bulkhead: 'bulkheads',
  retry_budget: 'retryBudgets',
  host_group: 'hostGroups',
} as const satisfies Record<string, keyof Lists>

type Part = keyof typeof LISTS
type Seen<P extends Part> = Lists[(typeof LISTS)[P]][number]

interface ControlMetric {
  readonly part: Part
  readonly name: string
  readonly kind: 'counter' | 'gauge' | 'up-down'
  readonly unit: string
  readonly help: string
  /** Of each control, with its name. */
  read(region: RegistrySnapshot): (readonly [name: string, points: readonly Point[]])[]
}

function metric<P extends Part>(
  part: P,
  [kind, name, unit]: readonly [ControlMetric['kind'], name: string, unit: string],
  help: string,
  points: (seen: Seen<P>) => readonly Point[],
): ControlMetric {
  const read = (region: RegistrySnapshot) =>
    (region[LISTS[part]] as readonly Seen<P>[]).map(seen => [seen.name, points(seen)] as const)
  return { part, kind, name, unit, help, read }
}

function byOutcome(outcomes: Readonly<Record<string, number>>): Point[] {
  return Object.entries(outcomes).map(([outcome, count]) => [count, { outcome }])
}

const THROTTLE_METRICS: readonly ControlMetric[] = [
  metric(
    'throttle',
    ['gauge', 'rejection_probability', '1'],
    'The probability with which the throttle refuses a call.',
    ({ rejectionProbability }) => [[rejectionProbability]],
  ),
  metric(
    'throttle',
    ['counter', 'calls', '{call}'],
    'Calls that the throttle let through and that have ended, by outcome.',
    ({ totals: { accepted, rejected, ignored, abandoned } }) =>
      byOutcome({ accepted, rejected, ignored, abandoned }),
  ),
  metric(
    'throttle',
    ['counter', 'refused_calls', '{call}'],
    'Calls that the throttle refused.',
    ({ totals }) => [[totals.refused]],
  ),
]

const BULKHEAD_METRICS: readonly ControlMetric[] = [
  metric(
    'bulkhead',
    ['up-down', 'in_flight_calls', '{call}'],
    'Calls that hold a place, over all threads.',
    ({ inFlight }) => [[inFlight]],
  ),
  metric(
    'bulkhead',
    ['up-down', 'in_flight_calls_limit', '{call}'],
    'Places that there are (maxConcurrentCalls).',
    ({ maxConcurrentCalls }) => [[maxConcurrentCalls]],
  ),
  metric(
    'bulkhead',
    ['up-down', 'queued_calls', '{call}'],
    'Calls that wait for a place, over all threads.',
    ({ queued }) => [[queued]],
  ),
  metric(
    'bulkhead',
    ['counter', 'calls', '{call}'],
    'Calls that had a place and have ended, by outcome; abandoned: their threads died.',
    ({ totals: { completed, abandoned } }) => byOutcome({ completed, abandoned }),
  ),
  metric(
    'bulkhead',
    ['counter', 'refused_calls', '{call}'],
    'Calls that found no place, or waited for too long.',
    ({ totals }) => [[totals.refused]],
  ),
]

const RETRY_METRICS: readonly ControlMetric[] = [
  metric(
    'retry_budget',
    ['counter', 'calls', '{call}'],
    'Calls that may be tried again, retries apart.',
    ({ totals }) => [[totals.calls]],
  ),
  metric(
    'retry_budget',
    ['counter', 'retries', '{retry}'],
    'Retries that the budget allowed.',
    ({ totals }) => [[totals.retries]],
  ),
  metric(
    'retry_budget',
    ['counter', 'refused_retries', '{retry}'],
    'Retries that it did not allow.',
    ({ totals }) => [[totals.refused]],
  ),
]

const HOST_METRICS: readonly ControlMetric[] = [
  metric(
    'host_group',
    ['up-down', 'hosts', '{host}'],
    'Hosts that the group knows.',
    ({ hosts }) => [[hosts.length]],
  ),
  metric(
    'host_group',
    ['gauge', 'host_ejected', '1'],
    'Whether the host is ejected: 1 or 0.',
    ({ hosts }) => hosts.map(({ host, ejected }) => [ejected ? 1 : 0, { host }]),
  ),
  metric(
    'host_group',
    ['counter', 'host_calls', '{call}'],
    'Calls of the host whose outcome was recorded.',
    ({ hosts }) =>
      hosts.flatMap(({ host, totals: { succeeded, failed } }): Point[] => [
        [succeeded, { host, outcome: 'succeeded' }],
        [failed, { host, outcome: 'failed' }],
      ]),
  ),
]

const CONTROL_METRICS = [
  ...THROTTLE_METRICS,
  ...BULKHEAD_METRICS,
  ...RETRY_METRICS,
  ...HOST_METRICS,
]

/** The labels that they use, besides those of breakers. */
export const CONTROL_LABELS = [...Object.keys(LISTS), 'host'] as const

/** For Prometheus. */
export const PROMETHEUS_CONTROL_METRICS: readonly Metric[] = CONTROL_METRICS.map(
  ({ part, name, kind, help, read }) => ({
    name: `${part}_${name}${kind === 'counter' ? '_total' : ''}`,
    type: kind === 'counter' ? 'counter' : 'gauge',
    help,
    aggregator: name === 'rejection_probability' ? 'max' : 'sum',
    groups: ({ region }) =>
      read(region).map(([control, points]) => ({
        labels: { [part]: control },
        series: points.map(([value, labels = {}]) => ({ labels, value })),
      })),
  }),
)

/** For OpenTelemetry. */
export const OPENTELEMETRY_CONTROL_METRICS = CONTROL_METRICS.map(
  ({ part, name, kind, unit, help, read }) => ({
    kind,
    name: `busbar.${part}.${name}`,
    unit,
    description: help,
    read: (region: RegistrySnapshot): (readonly [number, Attributes])[] =>
      read(region).flatMap(([control, points]) =>
        points.map(([value, labels]) => [value, attributesOf(part, control, labels)] as const),
      ),
  }),
)

function attributesOf(part: Part, control: string, labels: Labels = {}): Attributes {
  const own = Object.entries(labels).map(([key, value]) => [`busbar.${part}.${key}`, value])
  return { [`busbar.${part}.name`]: control, ...Object.fromEntries(own) }
}
