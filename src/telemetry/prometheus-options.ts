/** Reads the options of the metrics. */
import { InvalidOptionError } from '../errors.ts'
import { readFields } from '../options/read.ts'
import type { Labels, Metric, MetricsSource } from './metrics.ts'
import { BREAKER_LABELS, BREAKER_METRICS } from './metrics-breakers.ts'
import { CONTROL_LABELS, PROMETHEUS_CONTROL_METRICS } from './metrics-controls.ts'
import { OPOSSUM_LABELS, OPOSSUM_METRICS } from './metrics-opossum.ts'
import { REGION_METRICS } from './metrics-region.ts'
import { RESILIENCE4J_LABELS, RESILIENCE4J_METRICS } from './metrics-resilience4j.ts'

export interface MetricsOptions {
  /**
   * The names and labels of another project in place of busbar's own: of Resilience4j's Micrometer
   * module, or of opossum-prometheus. The README says which of them there are.
   */
  readonly compat?: 'resilience4j' | 'opossum' | undefined
  /** Put before every name. Letters, digits, `_` and `:`, no digit first. Default: nothing. */
  readonly prefix?: string | undefined
  /** Labels with the same value on every series. Names that the metrics use are refused. */
  readonly labels?: Readonly<Record<string, string | undefined>> | undefined
}

export interface ResolvedMetrics {
  readonly metrics: readonly Metric[]
  readonly labels: Labels
}

interface Dialect {
  readonly metrics: readonly Metric[]
  readonly labels: readonly string[]
}

const OWN: Dialect = {
  metrics: [...BREAKER_METRICS, ...PROMETHEUS_CONTROL_METRICS, ...REGION_METRICS],
  labels: [...BREAKER_LABELS, ...CONTROL_LABELS],
}

const DIALECTS: ReadonlyMap<unknown, Dialect> = new Map([
  [undefined, OWN],
  ['resilience4j', { metrics: RESILIENCE4J_METRICS, labels: RESILIENCE4J_LABELS }],
  ['opossum', { metrics: OPOSSUM_METRICS, labels: OPOSSUM_LABELS }],
])

const PREFIX = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/
const LABEL = /^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/

/** @throws InvalidOptionError */
export function readMetricsOptions(options: unknown = {}): ResolvedMetrics {
  const fields = readFields('options', options, ['compat', 'prefix', 'labels'])
  const { compat, prefix = '', labels = {} } = Object.fromEntries(fields)
  const dialect = DIALECTS.get(compat)
  if (dialect === undefined) {
    throw new InvalidOptionError('options.compat', compat, "'resilience4j' or 'opossum'")
  }
  if (typeof prefix !== 'string' || !(prefix === '' || PREFIX.test(prefix))) {
    const limit = 'letters, digits, _ and :, with no digit first'
    throw new InvalidOptionError('options.prefix', prefix, limit)
  }
  return {
    metrics: dialect.metrics.map(metric => ({ ...metric, name: prefix + metric.name })),
    labels: readLabels(labels, dialect.labels),
  }
}

function readLabels(given: unknown, used: readonly string[]): Labels {
  const keys = typeof given === 'object' && given !== null ? Reflect.ownKeys(given) : []
  const names = keys.filter(key => typeof key === 'string')
  const labels: Record<string, string> = {}
  for (const [name, value] of readFields('options.labels', given, names)) {
    const option = `options.labels.${name}`
    if (!LABEL.test(name)) {
      const limit = 'named with letters, digits and _, with no digit and no __ first'
      throw new InvalidOptionError(option, value, limit)
    }
    if (used.includes(name)) {
      throw new InvalidOptionError(option, value, 'named otherwise: the metrics use this label')
    }
    if (typeof value !== 'string' || !value.isWellFormed()) {
      throw new InvalidOptionError(option, value, 'a well-formed string (no lone surrogates)')
    }
    labels[name] = value
  }
  return labels
}

/** @throws InvalidOptionError for what is no registry */
export function requireSource(registry: unknown): asserts registry is MetricsSource {
  const { snapshot, get } = Object(registry) as Record<string, unknown>
  if (typeof snapshot === 'function' && typeof get === 'function') return
  throw new InvalidOptionError('registry', registry, 'a registry of busbar')
}
