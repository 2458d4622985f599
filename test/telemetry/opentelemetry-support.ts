/** OpenTelemetry's own SDK, collected from by hand. */
import {
  type AggregationTemporality,
  type CollectionResult,
  type DataPoint,
  MeterProvider,
  type MetricData,
  MetricReader,
} from '@opentelemetry/sdk-metrics'
import type { Meter } from '../../src/telemetry/opentelemetry.ts'

class HandReader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

export class Sdk {
  readonly #reader: HandReader
  readonly meter: Meter

  constructor(temporality?: AggregationTemporality) {
    this.#reader = new HandReader(
      temporality === undefined ? {} : { aggregationTemporalitySelector: () => temporality },
    )
    this.meter = new MeterProvider({ readers: [this.#reader] }).getMeter('test')
  }

  /** What one collection gives, by the names of the metrics. Fails where a callback failed. */
  async collect(): Promise<Collected> {
    const { resourceMetrics, errors }: CollectionResult = await this.#reader.collect()
    if (errors.length > 0) throw new AggregateError(errors, 'the collection failed')
    return new Collected(resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics))
  }
}

export class Collected {
  readonly metrics: ReadonlyMap<string, MetricData>

  constructor(metrics: readonly MetricData[]) {
    const filled = metrics.filter(({ dataPoints }) => dataPoints.length > 0)
    this.metrics = new Map(filled.map(metric => [metric.descriptor.name, metric]))
  }

  points(name: string): DataPoint<number>[] {
    return (this.metrics.get(name)?.dataPoints ?? []) as DataPoint<number>[]
  }

  /** The values of a metric by the attribute that tells them apart; '' where none does. */
  values(name: string, attribute = ''): Record<string, number> {
    const entries = this.points(name).map(({ attributes, value }) => [
      String(attributes[attribute] ?? ''),
      value,
    ])
    return Object.fromEntries(entries)
  }

  value(name: string): number | undefined {
    return this.points(name)[0]?.value
  }
}
