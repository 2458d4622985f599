/**
 * A registry's metrics for OpenTelemetry, as observable instruments: they are read when a reader
 * collects, and nothing is done meanwhile. The region has the counts of all threads, so one thread
 * exports for the process, though every thread may call this; a lease in the region decides which.
 *
 *   collect   in any thread: take or renew the lease; without it observe nothing
 *   takeover  the holder stopped, died or hangs: who collects first after the lease's end has it
 *   withdraw  who had the lease and lost it: observe 0 once for all but counters
 *
 * Counters come from the region, so they go on from the value that they had, whoever exports. The
 * SDK for JavaScript goes on reporting what was observed last, hence the withdrawal: from then on a
 * sum over all threads is that of the new holder. Counters stand still: that adds nothing to rates.
 */
import { InvalidOptionError } from '../errors.ts'
import { between, type Fields, numberOf, readFields } from '../options/read.ts'
import { MAX_LEASE_MS } from '../protocol/lease.ts'
import type { Registry } from '../registry.ts'
import type { RegistrySnapshot } from '../registry-snapshot.ts'
import { type BreakerLook, lookAt } from './metrics.ts'
import { OPENTELEMETRY_CONTROL_METRICS } from './metrics-controls.ts'
import { BREAKER_METRICS, type Metric, NAME, REGION_METRICS } from './opentelemetry-metrics.ts'
import type { Attributes, BatchResult, Instrument, Meter } from './opentelemetry-types.ts'

export type {
  Attributes,
  BatchResult,
  Instrument,
  InstrumentOptions,
  Meter,
} from './opentelemetry-types.ts'

export interface InstrumentationOptions {
  /**
   * How long the exporting thread keeps its lease after a collection, in milliseconds. More than
   * the time between two collections, or threads take turns; as long as you can do without metrics
   * when that thread dies. 1 to 86,400,000 (a day); default 90,000: one and a half of the 60 s
   * that OpenTelemetry collects at by default.
   */
  readonly leaseMs?: number | undefined
  /** For every series: what tells two registries of one process apart, say. Default: none. */
  readonly attributes?: Attributes | undefined
}

export interface Instrumentation {
  /** Gives up the lease, if this thread has it. Its next collection is the last. */
  stop(): void
  [Symbol.dispose](): void
}

const DEFAULT_LEASE_MS = 90_000
const LEASE_MS = between(1, MAX_LEASE_MS)

const METHODS = [
  'createObservableCounter',
  'createObservableUpDownCounter',
  'createObservableGauge',
  'addBatchObservableCallback',
  'removeBatchObservableCallback',
]

/**
 * Gives `meter` the instruments of `registry`. A collection costs the exporting thread what
 * `registry.snapshot()` does and about twenty observations a breaker, and other threads a
 * microsecond; once the registry is closed it gives nothing.
 *
 * Where several threads call this, export with cumulative temporality, OpenTelemetry's default: a
 * thread that takes over would report all that went before as one delta.
 *
 * @throws InvalidOptionError, NoRegistryError when the registry is closed
 */
export function instrument(
  registry: Registry,
  meter: Meter,
  options?: InstrumentationOptions,
): Instrumentation {
  requireMeter(meter)
  const { leaseMs, attributes } = readOptions(options)
  registry.names() // Throws when closed.
  return new Exporter(registry, meter, leaseMs, attributes)
}

class Exporter implements Instrumentation {
  readonly #registry: Registry
  readonly #meter: Meter
  readonly #leaseMs: number
  readonly #attributes: Attributes
  readonly #ofBreakers: Made<BreakerLook>[]
  readonly #ofRegion: Made<RegistrySnapshot>[]
  readonly #instruments: Instrument[]
  readonly #callback = (result: BatchResult): void => this.#observe(result)
  /** What the SDK goes on reporting. */
  #shown: (readonly [Instrument, Attributes])[] = []
  #isStopped = false

  constructor(registry: Registry, meter: Meter, leaseMs: number, attributes: Attributes) {
    this.#registry = registry
    this.#meter = meter
    this.#leaseMs = leaseMs
    this.#attributes = attributes
    this.#ofBreakers = makeAll(meter, BREAKER_METRICS)
    this.#ofRegion = makeAll(meter, [...OPENTELEMETRY_CONTROL_METRICS, ...REGION_METRICS])
    this.#instruments = [...this.#ofBreakers, ...this.#ofRegion].map(made => made.instrument)
    meter.addBatchObservableCallback(this.#callback, this.#instruments)
  }

  stop(): void {
    if (this.#isStopped) return
    this.#isStopped = true
    if (!this.#registry.closed) this.#registry.leads(0)
    if (this.#shown.length === 0) this.#remove()
  }

  [Symbol.dispose](): void {
    this.stop()
  }

  #observe(result: BatchResult): void {
    const isOver = this.#isStopped || this.#registry.closed
    if (isOver || !this.#registry.leads(this.#leaseMs)) {
      this.#withdraw(result)
      // Later: the SDK is going through its callbacks.
      if (isOver) queueMicrotask(() => this.#remove())
      return
    }
    this.#shown = []
    const { region, breakers } = lookAt(this.#registry)
    this.#observeAll(result, this.#ofRegion, region, this.#attributes)
    for (const look of breakers) {
      const attributes = { ...this.#attributes, [NAME]: look.seen.name }
      this.#observeAll(result, this.#ofBreakers, look, attributes)
    }
  }

  #observeAll<Seen>(
    result: BatchResult,
    all: readonly Made<Seen>[],
    seen: Seen,
    common: Attributes,
  ): void {
    for (const { metric, instrument } of all) {
      for (const [value, own] of metric.read(seen)) {
        const attributes = { ...common, ...own }
        result.observe(instrument, value, attributes)
        if (metric.kind !== 'counter') this.#shown.push([instrument, attributes])
      }
    }
  }

  #withdraw(result: BatchResult): void {
    for (const [instrument, attributes] of this.#shown) result.observe(instrument, 0, attributes)
    this.#shown = []
  }

  #remove(): void {
    this.#meter.removeBatchObservableCallback(this.#callback, this.#instruments)
  }
}

interface Made<Seen> {
  readonly metric: Metric<Seen>
  readonly instrument: Instrument
}

function makeAll<Seen>(meter: Meter, metrics: readonly Metric<Seen>[]): Made<Seen>[] {
  return metrics.map(metric => ({ metric, instrument: make(meter, metric) }))
}

function make(meter: Meter, { kind, name, unit, description }: Metric<never>): Instrument {
  const options = { unit, description }
  if (kind === 'counter') return meter.createObservableCounter(name, options)
  if (kind === 'gauge') return meter.createObservableGauge(name, options)
  return meter.createObservableUpDownCounter(name, options)
}

function requireMeter(meter: unknown): void {
  const isMeter =
    typeof meter === 'object' &&
    meter !== null &&
    METHODS.every(name => typeof Reflect.get(meter, name) === 'function')
  if (!isMeter) throw new InvalidOptionError('meter', meter, 'a Meter of OpenTelemetry')
}

function readOptions(options: unknown): { leaseMs: number; attributes: Attributes } {
  const fields: Fields =
    options === undefined ? new Map() : readFields('options', options, ['leaseMs', 'attributes'])
  return {
    leaseMs: numberOf('options', fields, 'leaseMs', LEASE_MS, DEFAULT_LEASE_MS),
    attributes: readAttributes(fields.get('attributes')),
  }
}

const ATTRIBUTE_TYPES = ['string', 'number', 'boolean']

function readAttributes(attributes: unknown): Attributes {
  if (attributes === undefined) return {}
  const isRecord =
    typeof attributes === 'object' && attributes !== null && !Array.isArray(attributes)
  const copy: unknown = isRecord ? { ...attributes } : undefined
  if (!isAttributes(copy)) {
    const limit = 'an object of strings, numbers and booleans'
    throw new InvalidOptionError('options.attributes', attributes, limit)
  }
  return copy
}

function isAttributes(value: unknown): value is Attributes {
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).every(each => ATTRIBUTE_TYPES.includes(typeof each))
}
