/**
 * What the dashboard's stream says: for the page, for `busbar top`, and for whoever wants it. Times
 * are milliseconds of the registry's clock unless their name ends in `Ms`.
 *
 *   event: snapshot   everything, to a client that is new or has missed frames
 *   event: frame      what is new since the frame before
 *   event: closed     { message }; the stream ends
 */
import type { SourceSlot, SourceTransition } from './source.ts'

export const WIRE_VERSION = 1

/**
 * One breaker in a frame is an array with these fields, in this order: 500 of them a second must
 * stay small. `Snapshot.fields` names them, so that nobody need know the order by heart.
 */
export const ROW_FIELDS = [
  'id',
  'state',
  'generation',
  'since',
  /** When a call may be admitted again: 0 when one would be now, null by command only. */
  'until',
  'calls',
  'failures',
  'slowCalls',
  'failureRate',
  'slowCallRate',
  /** [calls, failures, slow calls] of the window that opened it; null where none did. */
  'openedBy',
  /** [permitted, in flight, succeeded, failed] while half-open, else null. */
  'trials',
  'callsPerSecond',
  'refusedPerSecond',
  /** Of the calls of the last ten seconds; null where there were none with a duration. */
  'p50Ms',
  'p99Ms',
  'admitted',
  'refused',
  'inFlight',
  /** [slot, calls in the last ten seconds, in flight] of each thread that has any, flat. */
  'shares',
  /** [succeeded, failed, refused] since the frame before. */
  'recent',
] as const

export type RowValue = string | number | null | readonly number[]
export type Row = readonly RowValue[]

/** A breaker's name and what does not change about it. */
export interface Introduction {
  readonly id: number
  readonly name: string
  /** Failures in a row that open it; null for windows with rates. */
  readonly failuresInARow: number | null
  readonly failureRateThreshold: number
  readonly minimumNumberOfCalls: number
  readonly slowCallDurationThresholdMs: number | null
  readonly slowCallRateThreshold: number
  readonly permittedTrials: number
}

export interface RegistryView {
  readonly threads: number
  readonly maxThreads: number
  readonly threadsWithoutSlot: number
  readonly maxBreakers: number
  readonly damaged: number
  readonly keeper: string
  readonly slots: readonly Pick<SourceSlot, 'slot' | 'thread' | 'state'>[]
}

export interface Frame {
  readonly now: number
  /** Since the frame before. */
  readonly elapsedMs: number
  /** The sparklines' column that `recent` belongs to; it counts up with time. */
  readonly column: number
  /** Where it has changed. */
  readonly registry?: RegistryView
  readonly added?: readonly Introduction[]
  /** Ids of breakers that are no more. */
  readonly gone?: readonly number[]
  /** Breakers of which anything has changed, or that were called. */
  readonly rows: readonly Row[]
  readonly transitions?: readonly SourceTransition[]
}

/** A sparkline's past: `[succeeded, failed, refused, ms]` a column, flat; ms 0: not looked at. */
export interface Past {
  readonly id: number
  /** The number of the first column; they follow one another. */
  readonly from: number
  readonly columns: readonly number[]
}

export interface Snapshot extends Frame {
  readonly version: typeof WIRE_VERSION
  readonly intervalMs: number
  readonly columnMs: number
  /** Columns in two minutes. */
  readonly columns: number
  readonly fields: typeof ROW_FIELDS
  readonly registry: RegistryView
  readonly added: readonly Introduction[]
  readonly transitions: readonly SourceTransition[]
  readonly past: readonly Past[]
}

/** One event of a stream. JSON has no line ends, so the data is one line whatever names hold. */
export function eventText(event: 'snapshot' | 'frame' | 'closed', data: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
