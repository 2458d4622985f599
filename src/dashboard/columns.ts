/**
 * What happened in the last two minutes, a column for every two seconds: kept here so that who
 * opens the page in an outage sees how it began. Bounded: 60 columns of four numbers a breaker.
 */
import type { Past } from './wire.ts'

const SPAN_MS = 120_000
const COLUMN_MS = 2_000
/** succeeded, failed, refused, ms. */
const VALUES = 4

export class Columns {
  readonly columnMs: number
  readonly count: number
  readonly #intervalMs: number
  #zero: number | undefined
  readonly #past = new Map<number, { values: Uint32Array; newest: number }>()

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs
    this.columnMs = Math.max(COLUMN_MS, intervalMs)
    this.count = Math.ceil(SPAN_MS / this.columnMs)
  }

  /**
   * The column of a sample taken now. Half an interval is added, so that a timer that is late by a
   * little does not put one sample in a column and three in the next.
   */
  columnAt(now: number): number {
    this.#zero ??= now
    return Math.floor((now - this.#zero + this.#intervalMs / 2) / this.columnMs)
  }

  /** Adds a breaker's counts of the last `elapsedMs` to a column not older than its newest. */
  add(id: number, column: number, recent: readonly number[], elapsedMs: number): void {
    const past = this.#past.get(id) ?? this.#start(id, column)
    this.#forget(past, column)
    const at = (column % this.count) * VALUES
    const [succeeded = 0, failed = 0, refused = 0] = recent
    for (const [offset, value] of [succeeded, failed, refused, elapsedMs].entries()) {
      past.values[at + offset] = (past.values[at + offset] ?? 0) + Math.round(value)
    }
  }

  #start(id: number, column: number): { values: Uint32Array; newest: number } {
    const past = { values: new Uint32Array(this.count * VALUES), newest: column }
    this.#past.set(id, past)
    return past
  }

  /** Empties what lies between the newest column and this one: the places of older ones. */
  #forget(past: { values: Uint32Array; newest: number }, column: number): void {
    const first = Math.max(past.newest + 1, column - this.count + 1)
    for (let each = first; each <= column; each++) {
      const at = (each % this.count) * VALUES
      past.values.fill(0, at, at + VALUES)
    }
    past.newest = Math.max(past.newest, column)
  }

  remove(id: number): void {
    this.#past.delete(id)
  }

  /** The past of every breaker that was called in the last two minutes, up to `column`. */
  all(column: number): Past[] {
    const found: Past[] = []
    for (const [id, { values, newest }] of this.#past) {
      const from = Math.max(0, column - this.count + 1)
      const columns: number[] = []
      for (let each = from; each <= newest; each++) {
        const at = (each % this.count) * VALUES
        columns.push(...values.subarray(at, at + VALUES))
      }
      if (columns.some((value, at) => value > 0 && at % VALUES < VALUES - 1)) {
        found.push({ id, from, columns })
      }
    }
    return found
  }
}
