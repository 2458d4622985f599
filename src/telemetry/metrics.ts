/**
 * The words for metrics, whatever writes them out: a metric has a name, a type, and a rule by which
 * its series follow from one look at a registry. Nothing is kept between two looks, so any thread
 * can answer for the whole process.
 */
import type { CircuitBreaker } from '../breaker.ts'
import type { State } from '../memory/words/state.ts'
import type { Registry } from '../registry.ts'
import type { RegistrySnapshot } from '../registry-snapshot.ts'

type MetricType = 'counter' | 'gauge' | 'histogram' | 'summary'

export type Labels = Readonly<Record<string, string>>

export interface Series {
  /** Besides those of its group. */
  readonly labels: Labels
  readonly value: number
  /** What histograms and summaries put behind their names. */
  readonly suffix?: '_bucket' | '_sum' | '_count'
}

/** Series that have some labels in common. */
interface Group {
  readonly labels: Labels
  readonly series: readonly Series[]
}

/** A registry of this or of another copy of the package. */
export type MetricsSource = Pick<Registry, 'snapshot'> & {
  get(name: string): MeasuredBreaker | undefined
}

type MeasuredBreaker = Pick<CircuitBreaker, 'durations' | 'options'>

/** A breaker as `registry.snapshot()` shows it, and what else there is to ask it. */
export interface BreakerLook {
  readonly seen: RegistrySnapshot['breakers'][number]
  readonly breaker: MeasuredBreaker
}

export interface Look {
  readonly region: RegistrySnapshot
  readonly breakers: readonly BreakerLook[]
}

export interface Metric {
  readonly name: string
  readonly type: MetricType
  readonly help: string
  /** How the values of several processes become one in prom-client's cluster mode. */
  readonly aggregator: 'sum' | 'average' | 'max'
  groups(look: Look): Group[]
}

/** @throws NoRegistryError when the registry is closed */
export function lookAt(source: MetricsSource): Look {
  const region = source.snapshot()
  const breakers = region.breakers.flatMap(seen => {
    const breaker = source.get(seen.name)
    return breaker === undefined ? [] : [{ seen, breaker }]
  })
  return { region, breakers }
}

export function metric(
  type: MetricType,
  name: string,
  help: string,
  groups: (look: Look) => Group[],
  aggregator: Metric['aggregator'] = 'sum',
): Metric {
  return { name, type, help, aggregator, groups }
}

/** A group for each breaker, with its name as the label `key`. */
export function ofBreakers(
  key: string,
  series: (look: BreakerLook) => readonly Series[],
): (look: Look) => Group[] {
  return ({ breakers }) =>
    breakers.map(breaker => ({ labels: { [key]: breaker.seen.name }, series: series(breaker) }))
}

export function ofRegion(series: (region: RegistrySnapshot) => readonly Series[]) {
  return ({ region }: Look): Group[] => [{ labels: {}, series: series(region) }]
}

/** One series without labels of its own; none where there is no number to give. */
export function single(value: number | null | undefined): Series[] {
  return value === null || value === undefined ? [] : [{ labels: {}, value }]
}

/** A series for each of `values`, by the label `key`. */
export function by(key: string, values: Readonly<Record<string, number>>): Series[] {
  return Object.entries(values).map(([label, value]) => ({ labels: { [key]: label }, value }))
}

/** 1 for the state that it is in, 0 for the others. */
export function oneOf<T extends string>(key: string, states: readonly T[], current: T): Series[] {
  return states.map(state => ({ labels: { [key]: state }, value: state === current ? 1 : 0 }))
}

/** The series as counts of a summary. */
export function counts(series: Series[]): Series[] {
  return series.map(one => ({ ...one, suffix: '_count' }))
}

/**
 * Transitions that breakers make by themselves. They start at 0, else the first one of each kind
 * would be the first sample of its series and `increase()` would not see it.
 */
export const COUNTED_FROM_START: readonly (readonly [State, State])[] = [
  ['closed', 'open'],
  ['open', 'half-open'],
  ['half-open', 'open'],
  ['half-open', 'closed'],
]

type Options = BreakerLook['breaker']['options']

/** Consecutive windows have none. */
export function hasRates(options: Options): boolean {
  return options.slidingWindow.type !== 'consecutive'
}

export function judgesSlowCalls(options: Options): boolean {
  return hasRates(options) && options.slowCallDurationThresholdMs !== undefined
}
