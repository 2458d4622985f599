/** Metrics handed to prom-client, which writes them out beside others. */
import { InvalidOptionError } from '../errors.ts'
import { type Labels, type Look, lookAt, type Metric, type MetricsSource } from './metrics.ts'
import { type MetricsOptions, readMetricsOptions, requireSource } from './prometheus-options.ts'

/** A registry of prom-client, by shape: prom-client is not a dependency. */
export interface PromClientRegistry {
  /** `never`, because it is said here what a metric is, and prom-client has classes for it. */
  registerMetric(metric: never): void
  getSingleMetric(name: string): unknown
  removeSingleMetric(name: string): void
}

/**
 * Adds the metrics of `registry` to a registry of prom-client (tested with 15.1), computed at each
 * scrape from one look for all of them. Returns a function that takes them out again; do so before
 * you close `registry`, else the next scrape rejects with NoRegistryError.
 *
 * @throws InvalidOptionError, also where `register` has a metric of such a name; then nothing was
 *   added. NoRegistryError when `registry` is closed
 */
export function collectInto(
  register: PromClientRegistry,
  registry: MetricsSource,
  options?: MetricsOptions,
): () => void {
  const { metrics, labels } = readMetricsOptions(options)
  requireSource(registry)
  requireRegister(register)
  lookAt(registry)
  for (const { name } of metrics) {
    if (register.getSingleMetric(name) === undefined) continue
    const limit = `such that names are new: this registry of prom-client has ${name} already`
    throw new InvalidOptionError('options.prefix', options?.prefix, limit)
  }
  const look = oncePerTurn(() => lookAt(registry))
  const added = metrics.map(metric => promClientMetric(metric, look, labels))
  for (const metric of added) register.registerMetric(metric as never)
  return () => {
    for (const [index, { name }] of metrics.entries()) {
      if (register.getSingleMetric(name) === added[index]) register.removeSingleMetric(name)
    }
  }
}

function requireRegister(register: unknown): void {
  const methods = Object(register) as Record<keyof PromClientRegistry, unknown>
  const { registerMetric, getSingleMetric, removeSingleMetric } = methods
  const all = [registerMetric, getSingleMetric, removeSingleMetric]
  if (all.every(method => typeof method === 'function')) return
  throw new InvalidOptionError('register', register, 'a registry of prom-client')
}

/** prom-client asks all its metrics in one turn: they get the same answer, at the cost of one. */
function oncePerTurn<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    if (made !== undefined) return made.value
    made = { value: make() }
    queueMicrotask(() => {
      made = undefined
    })
    return made.value
  }
}

/**
 * What a registry of prom-client asks of a metric. Its own classes add up what they are told, and
 * its Histogram can be told nothing but single observations; here the sums come from the region.
 */
function promClientMetric(metric: Metric, look: () => Look, constant: Labels): object {
  const { help, type, aggregator, groups } = metric
  const made = {
    // prom-client cuts `_total` off where it writes OpenMetrics, which adds it again.
    name: metric.name,
    help,
    type,
    aggregator,
    async get() {
      const values = groups(look()).flatMap(group =>
        group.series.map(({ labels, value, suffix }) => ({
          labels: { ...group.labels, ...labels, ...constant },
          value,
          ...(suffix === undefined ? {} : { metricName: metric.name + suffix }),
        })),
      )
      return { name: made.name, help, type, aggregator, values }
    },
    /** `resetMetrics()` sets nothing back: the totals are those of the process. */
    reset() {},
  }
  return made
}
