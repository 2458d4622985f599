/**
 * The count window: the last `size` outcomes over all threads, in one ring. Contended by nature:
 * every record adds to one shared word. See docs/ for what that costs.
 *
 * HEAD gives each outcome its index. A ring word is { generation, lap, outcome }, lap being the
 * index's turn around the ring, so a word that its writer has not (or a dead one never) replaced
 * reads as empty, and one of another generation too. There are no running counts that could drift:
 * a sum reads back from HEAD until it has `size` outcomes.
 *
 * 1. Indices are given once, so each outcome has one place, and the order of indices is the order
 *    of outcomes.
 * 2. An index that was taken and not yet filled is passed over: whoever is in the midst of a record
 *    (or died there) costs the window nothing. The ring has room for 64 of those.
 * 3. A late writer finds HEAD a ring past its index and keeps its hands off. It looks there only
 *    when its place does not hold the outcome of the lap before, which it nearly always does.
 * 4. The ring's capacity is a power of two, so HEAD may wrap at 2^32.
 */
import { add, compareExchange, load, peek } from '#atomics'
import type { Memory } from '../memory/atomics.ts'
import { OPTION } from '../memory/layout.ts'
import { generationOf } from '../memory/words/state.ts'
import {
  holdsMinimumOf,
  isOfLapBefore,
  packRing,
  ringKindOf,
  stockOf,
} from '../memory/words/windows.ts'
import type { Cell } from './cell.ts'
import { judge, spend } from './stock.ts'
import type { Counts, Thresholds } from './threshold.ts'
import { addKind, clearCounts, emptyCounts, GOOD, type Window } from './window.ts'

const ATTEMPTS = 8

export class CountWindow implements Window {
  readonly hasRates = true
  readonly #cell: Cell
  readonly #memory: Memory
  readonly #thresholds: Thresholds
  readonly #size: number
  readonly #head: number
  readonly #ring: number
  readonly #mask: number
  readonly #lapShift: number
  readonly #counts = emptyCounts()
  /** The generation for which this thread has published a stock, and found the minimum of calls. */
  #reliesOnGeneration = -1
  #sparesGoodOf = -1

  constructor(cell: Cell, thresholds: Thresholds) {
    this.#cell = cell
    this.#memory = cell.memory
    this.#thresholds = thresholds
    this.#size = cell.numbers[OPTION.WINDOW_LENGTH] as number
    this.#head = cell.record + cell.shape.head
    this.#ring = cell.record + cell.shape.ring
    this.#mask = cell.shape.ringCapacity - 1
    this.#lapShift = Math.log2(cell.shape.ringCapacity)
  }

  moveToOverflow(): void {
    // The ring is shared by all threads anyway.
  }

  record(seen: number, kind: number): void {
    const generation = generationOf(seen)
    // ATOMIC count.take
    //   publishes: that this index is taken; its word reads as empty until count.put.
    //   dies here: the index stays empty and is passed over.
    //   wraps:     at 2^32, seamless, since the ring's capacity divides it.
    const index = add(this.#memory, this.#head, 1)
    this.#put(index, generation, kind)
    if (kind === GOOD && this.#sparesGoodOf === generation) return
    const stock = spend(this.#cell, seen)
    const relies = this.#reliesOnGeneration === generation
    if (stockOf(stock) <= 1 || !relies) this.#judge(seen, generation)
    else if (holdsMinimumOf(stock)) this.#sparesGoodOf = generation
  }

  #judge(seen: number, generation: number): void {
    const summedAt = judge(this.#cell, this, this.#thresholds, seen, this.#counts)
    this.#reliesOnGeneration = summedAt >= 0 ? generation : -1
    const isFull = this.#counts.calls >= this.#thresholds.minimumNumberOfCalls
    this.#sparesGoodOf = isFull ? this.#reliesOnGeneration : -1
  }

  #put(index: number, generation: number, kind: number): void {
    const at = this.#ring + (index & this.#mask)
    const lap = this.#lapOf(index)
    const word = packRing(generation, lap, kind)
    // Only a hint of what is there: an old one fails in the exchange.
    let found = peek(this.#memory, at)
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      // ATOMIC count.put
      //   observes:  the outcome that ours evicts; else HEAD, which says whether ours is late.
      //   publishes: our outcome.
      //   loses to:  a later lap: ours has left the window; an earlier one, late: try again, at
      //              the bound the window is one outcome short.
      //   dies here: as count.take.
      //   wraps:     2^32 outcomes between the take and the put.
      if (!isOfLapBefore(found, lap) && this.#hasLeft(index)) return
      const expected = found
      found = compareExchange(this.#memory, at, expected, word)
      if (found === expected) return
    }
  }

  /** Whether the place of that index has been given to a later one. */
  #hasLeft(index: number): boolean {
    return (load(this.#memory, this.#head) - index) >>> 0 > this.#mask + 1
  }

  tend(): void {
    // Nothing of it is published apart.
  }

  sum(generation: number, _now: number, into: Counts): void {
    const { memory } = this.#cell
    clearCounts(into)
    // ATOMIC count.read
    //   observes: HEAD, then the words before it; one replaced meanwhile reads as empty.
    const head = load(memory, this.#head)
    for (let back = 1; back <= this.#mask && into.calls < this.#size; back++) {
      const index = head - back
      const word = load(memory, this.#ring + (index & this.#mask))
      const kind = ringKindOf(word, generation, this.#lapOf(index))
      if (kind >= 0) addKind(into, kind, 1)
    }
  }

  #lapOf(index: number): number {
    return (index >>> 0) >>> this.#lapShift
  }
}
