/** What is used of OpenTelemetry's API for metrics, by shape: nothing of it is imported. */

export type Attributes = Readonly<Record<string, string | number | boolean>>

/** An observable counter, up-down counter or gauge: only handed back to the meter that made it. */
export type Instrument = object

export interface InstrumentOptions {
  readonly unit: string
  readonly description: string
}

export interface BatchResult {
  observe(instrument: Instrument, value: number, attributes: Attributes): void
}

type BatchCallback = (result: BatchResult) => void

/** `Meter` of `@opentelemetry/api` 1.3 and later. */
export interface Meter {
  createObservableCounter(name: string, options: InstrumentOptions): Instrument
  createObservableUpDownCounter(name: string, options: InstrumentOptions): Instrument
  createObservableGauge(name: string, options: InstrumentOptions): Instrument
  addBatchObservableCallback(callback: BatchCallback, instruments: Instrument[]): void
  removeBatchObservableCallback(callback: BatchCallback, instruments: Instrument[]): void
}
