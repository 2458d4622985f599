/**
 * The metrics as OpenTelemetry names them, and where each is read. Names are `busbar.` and a
 * namespace, units those of UCUM with `{things}` in braces, times in seconds. A state is one series
 * for each that there is, 1 for the one that holds and 0 for the others, as in `hw.status` of the
 * semantic conventions: so a sum counts and nothing has to know numbers of states.
 *
 * OpenTelemetry has no observable histogram, and measurements that other threads made cannot be
 * recorded one by one. So durations are a count, a sum and quantiles, which the region has ready.
 *
 * The SDK for JavaScript goes on reporting the last value of a series that is observed no more. So
 * each series that a breaker ever has, it has always: a ratio of too few calls is 0.
 */
import { STATE_NAMES, type State } from '../memory/words/state.ts'
import type { KeeperState } from '../memory/words/tick.ts'
import type { RegistrySnapshot } from '../registry-snapshot.ts'
import { type BreakerLook, COUNTED_FROM_START, hasRates, judgesSlowCalls } from './metrics.ts'
import type { Attributes, InstrumentOptions } from './opentelemetry-types.ts'

type Point = readonly [value: number, attributes?: Attributes]

/** One metric, and its points in something seen at one moment. */
export interface Metric<Seen> extends InstrumentOptions {
  readonly kind: 'counter' | 'up-down' | 'gauge'
  readonly name: string
  read(seen: Seen): readonly Point[]
}

export const NAME = 'busbar.circuit_breaker.name'
const STATE = 'busbar.circuit_breaker.state'
const OUTCOME = 'busbar.circuit_breaker.outcome'
const FROM = 'busbar.circuit_breaker.from_state'
const TO = 'busbar.circuit_breaker.to_state'
const QUANTILE = 'busbar.circuit_breaker.quantile'
const SLOT_STATE = 'busbar.region.slot.state'
const KEEPER_STATE = 'busbar.region.keeper.state'

const STATES: readonly State[] = STATE_NAMES
const OUTCOMES = ['succeeded', 'failed', 'ignored', 'late', 'abandoned'] as const
const SLOT_STATES = ['live', 'silent', 'dead'] as const
const KEEPER_STATES: readonly KeeperState[] = ['none', 'asleep', 'awake']

/** One point for each that there is, 1 for the one that holds. */
function oneOf(attribute: string, all: readonly string[], current: string): Point[] {
  return all.map(each => [each === current ? 1 : 0, { [attribute]: each }])
}

function secondsOf(ms: number): number {
  return ms / 1000
}

type Durations = BreakerLook['seen']['durations']

function quantilesOf({ p50Ms, p90Ms, p99Ms }: Durations): Point[] {
  const quantiles = [
    [0.5, p50Ms],
    [0.9, p90Ms],
    [0.99, p99Ms],
  ] as const
  return quantiles.flatMap(([quantile, ms]) =>
    ms === null ? [] : [[secondsOf(ms), { [QUANTILE]: quantile }] as const],
  )
}

function transitionsOf(counts: BreakerLook['seen']['transitionCounts']): Point[] {
  const points = new Map<string, Point>()
  const put = (from: State, to: State, count: number): void => {
    points.set(`${from} ${to}`, [count, { [FROM]: from, [TO]: to }])
  }
  for (const [from, to] of COUNTED_FROM_START) put(from, to, 0)
  for (const { from, to, count } of counts) put(from, to, count)
  return [...points.values()]
}

const CALLS: Metric<BreakerLook>[] = [
  {
    kind: 'counter',
    name: 'busbar.circuit_breaker.calls',
    unit: '{call}',
    description: 'Permitted calls that have ended, by what came of them.',
    read: ({ seen: { totals } }) =>
      OUTCOMES.map(outcome => [totals[outcome], { [OUTCOME]: outcome }]),
  },
  {
    kind: 'counter',
    name: 'busbar.circuit_breaker.refused_calls',
    unit: '{call}',
    description: 'Calls that the circuit breaker refused, by the state that refused them.',
    read: ({ seen: { totals } }) => {
      const { refused, refusedHalfOpen, refusedForcedOpen } = totals
      return [
        [refused - refusedHalfOpen - refusedForcedOpen, { [STATE]: 'open' }],
        [refusedHalfOpen, { [STATE]: 'half-open' }],
        [refusedForcedOpen, { [STATE]: 'forced-open' }],
      ]
    },
  },
  {
    kind: 'counter',
    name: 'busbar.circuit_breaker.slow_calls',
    unit: '{call}',
    description: 'Calls that took longer than the slow threshold, whatever came of them.',
    read: ({ seen: { totals } }) => [[totals.slow]],
  },
  {
    kind: 'counter',
    name: 'busbar.circuit_breaker.local_stalls',
    unit: '{timeout}',
    description: "Timeouts that fired late because the thread's own event loop was blocked.",
    read: ({ seen: { totals } }) => [[totals.localStalls]],
  },
  {
    kind: 'up-down',
    name: 'busbar.circuit_breaker.in_flight_calls',
    unit: '{call}',
    description: 'Permitted calls that have not ended.',
    read: ({ seen: { totals } }) => [[totals.inFlight]],
  },
]

const DURATIONS: Metric<BreakerLook>[] = [
  {
    kind: 'counter',
    name: 'busbar.circuit_breaker.call_duration.count',
    unit: '{call}',
    description: 'Calls whose duration was given.',
    read: ({ seen: { durations } }) => [[durations.count]],
  },
  {
    kind: 'counter',
    name: 'busbar.circuit_breaker.call_duration.sum',
    unit: 's',
    description: 'The durations of those calls together.',
    read: ({ seen: { durations } }) => [[secondsOf(durations.sumMs)]],
  },
  {
    kind: 'gauge',
    name: 'busbar.circuit_breaker.call_duration.quantile',
    unit: 's',
    description: 'Quantiles of those durations, off by at most 5 %.',
    read: ({ seen: { durations } }) => quantilesOf(durations),
  },
]

export const BREAKER_METRICS: readonly Metric<BreakerLook>[] = [
  {
    kind: 'up-down',
    name: 'busbar.circuit_breaker.state',
    unit: '{circuit_breaker}',
    description: '1 for the state that the circuit breaker is in, 0 for all others.',
    read: ({ seen: { state } }) => oneOf(STATE, STATES, state),
  },
  {
    kind: 'counter',
    name: 'busbar.circuit_breaker.transitions',
    unit: '{transition}',
    description: 'Transitions from one state to another.',
    read: ({ seen: { transitionCounts } }) => transitionsOf(transitionCounts),
  },
  {
    kind: 'gauge',
    name: 'busbar.circuit_breaker.failure_ratio',
    unit: '1',
    description: 'Failed calls by all calls of the window; 0 below the minimum number of calls.',
    read: ({ seen, breaker: { options } }) =>
      hasRates(options) ? [[seen.window.failureRate ?? 0]] : [],
  },
  {
    kind: 'gauge',
    name: 'busbar.circuit_breaker.slow_call_ratio',
    unit: '1',
    description: 'Slow calls by all calls of the window; 0 below the minimum number of calls.',
    read: ({ seen, breaker: { options } }) =>
      judgesSlowCalls(options) ? [[seen.window.slowCallRate ?? 0]] : [],
  },
  {
    kind: 'gauge',
    name: 'busbar.circuit_breaker.last_sum_age',
    unit: 's',
    description: 'Age of the sum that the ratios are of. Grows while there are no calls.',
    read: ({ seen }) => [[secondsOf(seen.windowAgeMs)]],
  },
  ...CALLS,
  ...DURATIONS,
]

export const REGION_METRICS: readonly Metric<RegistrySnapshot>[] = [
  {
    kind: 'up-down',
    name: 'busbar.region.slot.count',
    unit: '{slot}',
    description: 'Slots that threads hold, by how those threads are.',
    read: ({ slots }) =>
      SLOT_STATES.map(state => [
        slots.filter(slot => slot.state === state).length,
        { [SLOT_STATE]: state },
      ]),
  },
  {
    kind: 'up-down',
    name: 'busbar.region.slot.limit',
    unit: '{slot}',
    description: 'Slots that there are.',
    read: ({ maxThreads }) => [[maxThreads]],
  },
  {
    kind: 'counter',
    name: 'busbar.region.threads_without_slot',
    unit: '{thread}',
    description: 'Threads that found no free slot and share one.',
    read: ({ threadsWithoutSlot }) => [[threadsWithoutSlot]],
  },
  {
    kind: 'counter',
    name: 'busbar.region.damaged_words',
    unit: '{word}',
    description: 'Damaged words met; each made a call go unguarded.',
    read: ({ damaged }) => [[damaged]],
  },
  {
    kind: 'up-down',
    name: 'busbar.region.keeper.state',
    unit: '{keeper}',
    description: '1 for the state that the keeper is in, 0 for all others.',
    read: ({ keeper }) => oneOf(KEEPER_STATE, KEEPER_STATES, keeper),
  },
]
