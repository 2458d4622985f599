/**
 * How a breaker goes, and how another gets its record.
 *
 *   remove   STATE { g, closed }    ->  { g + 1, removed }       a transition like any other
 *   make     the entry names the new breaker, from generation g + 2 on (making.ts)
 *   begin    STATE { g + 1, removed } -> { g + 2, closed }       by whoever finds it so
 *
 * 1. Generations go on, so what the old one left in the record reads as empty, as after every
 *    transition; permits of the old one are late.
 * 2. Whoever still holds the old one meets a STATE word that it has not met, before it acts on
 *    it; so it looks at the entry, and finds that this is another's (follower.ts). The same
 *    word again needs no look.
 * 3. Totals and durations have no generation. A slot's owner empties its own before it counts for
 *    the new breaker, and then says so (`take`); until then readers pass them over. Those of the
 *    shared slot are emptied by who begins, while the state is removed and nobody counts there.
 * 4. Who dies on the way leaves a state from which the next goes on: removed and vacant, or named
 *    and not begun.
 */
import { compareExchange64, load, load64, store, zeroOwn } from '#atomics'
import { HEADER, TALLY, TALLY_WORDS, TOTAL } from '../memory/layout.ts'
import { CLOSED, generationOf, nextGeneration, REMOVED, stateOf } from '../memory/words/state.ts'
import { type Cell, firstWord, isCountedFor, shardOf, tallyOf } from './cell.ts'
import { OVERFLOW_SLOT } from './slots.ts'
import { at, transition } from './state.ts'

const TOTALS = Object.keys(TOTAL).length

/** Removes the breaker, whatever its state; false when something came in between. */
export function removeBreaker(cell: Cell): boolean {
  begin(cell)
  // ATOMIC removal.remove
  //   observes:  STATE before the entry: so it is a word of this breaker.
  //   publishes: that it is gone, by state.decide.
  const seen = load(cell.memory, cell.state)
  if (stateOf(seen) === REMOVED || load64(cell.memory, cell.entryLong) !== cell.entry) return false
  return transition(cell, seen, REMOVED, at(cell.clock.now()))
}

/** Whether the STATE word `seen` says that the record is to begin as this breaker's. */
export function isToBegin(cell: Cell, seen: number): boolean {
  return stateOf(seen) === REMOVED && nextGeneration(generationOf(seen)) === cell.first
}

/** Begins a breaker that was made in a record which another had before. */
export function begin(cell: Cell): void {
  const seen = load(cell.memory, cell.state)
  if (!isToBegin(cell, seen)) return
  if (load(cell.memory, HEADER.OVERFLOW_USED) !== 0) {
    clear(cell, seen, shardOf(cell, OVERFLOW_SLOT) / 2, TOTALS)
    clear(cell, seen, tallyOf(cell, OVERFLOW_SLOT), TALLY.USED_DOUBLE)
  }
  transition(cell, seen, CLOSED, at(cell.createdAt))
}

function clear(cell: Cell, seen: number, from: number, longs: number): void {
  for (let long = from; long < from + longs; long++) {
    // ATOMIC removal.clear
    //   observes:  a counter of the shared slot while the record is nobody's.
    //   publishes: that the new breaker has counted nothing there.
    //   loses to:  another helper.
    //   dies here: the next helper goes on.
    const old = load64(cell.memory, long)
    if (old === 0n) continue
    if (load(cell.memory, cell.state) !== seen) return
    compareExchange64(cell.memory, long, old, 0n)
  }
}

/** Empties the counters of the caller's own slot where they are an earlier breaker's. */
export function takeCounters(cell: Cell, slot: number): void {
  if (isCountedFor(cell, slot)) return
  const { memory } = cell
  const totals = shardOf(cell, slot) / 2
  const tally = tallyOf(cell, slot)
  for (let long = totals; long < totals + TOTALS; long++) zeroOwn(memory, long)
  for (let long = tally; long < tally + TALLY_WORDS / 2; long++) {
    if (long * 2 !== firstWord(cell, slot)) zeroOwn(memory, long)
  }
  // ATOMIC removal.take
  //   publishes: that these counters are empty and this breaker's.
  //   dies here: before the store they count for nobody.
  store(memory, firstWord(cell, slot), cell.first)
}
