/**
 * Failures in a row over all threads, in one word { generation, failures }. A success that finds no
 * row writes nothing, so a healthy breaker shares a line that nobody writes.
 */
import { compareExchange, load } from '#atomics'
import { OPTION } from '../memory/layout.ts'
import { CLOSED, generationOf, OPEN, stateOf } from '../memory/words/state.ts'
import { MAX_ROW, packRow, rowOf } from '../memory/words/windows.ts'
import type { Cell } from './cell.ts'
import { isStill } from './seen.ts'
import { at, transition } from './state.ts'
import type { Counts } from './threshold.ts'
import { clearCounts, emptyCounts, GOOD, type Window } from './window.ts'

/** Each one lost is an outcome of another thread. A cold thread beside a hot one loses dozens. */
const ATTEMPTS = 65_536

export class ConsecutiveWindow implements Window {
  readonly hasRates = false
  readonly #cell: Cell
  readonly #row: number
  readonly #failures: number

  constructor(cell: Cell) {
    this.#cell = cell
    this.#row = cell.record + cell.shape.head
    this.#failures = cell.numbers[OPTION.WINDOW_LENGTH] as number
  }

  moveToOverflow(): void {
    // One word for all threads anyway.
  }

  /** Any bad kind lengthens the row: a slow success counts as a failure here (spec 2.3). */
  record(seen: number, kind: number): void {
    const cell = this.#cell
    const generation = generationOf(seen)
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      // ATOMIC consecutive.record
      //   observes:  the row so far (pairs with itself).
      //   publishes: the row with this outcome at its end.
      //   loses to:  another outcome: look again, at the bound ours stays out of the row.
      //   dies here: the outcome is in the row or it is not; a full row opens at the next failure.
      //   wraps:     20 bits of generation: a row left alone for exactly 1,048,576 transitions.
      const found = load(cell.memory, this.#row)
      const row = rowOf(found, generation)
      if (kind === GOOD && row === 0) return
      if (!isStill(cell, seen)) return
      const length = kind === GOOD ? 0 : Math.min(row + 1, MAX_ROW)
      const after = packRow(generation, length)
      if (compareExchange(cell.memory, this.#row, found, after) !== found) continue
      if (length >= this.#failures && stateOf(seen) === CLOSED) this.#open(seen, length)
      return
    }
  }

  #open(seen: number, length: number): void {
    const trip = emptyCounts()
    trip.calls = length
    trip.failures = length
    transition(this.#cell, seen, OPEN, at(this.#cell.clock.now(), trip))
  }

  tend(): void {
    // Nothing of it is published apart.
  }

  sum(generation: number, _now: number, into: Counts): void {
    const row = rowOf(load(this.#cell.memory, this.#row), generation)
    clearCounts(into)
    into.calls = row
    into.failures = row
  }
}
