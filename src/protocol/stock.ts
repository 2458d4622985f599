/**
 * When to add a window up (P4). Summing at every outcome would undo the sharding; so a sum says how
 * many bad outcomes are needed at the least before the next one can matter, and puts that number
 * into one word, the stock. Every bad outcome takes one out. Who empties it sums again.
 *
 * Invariant, while some thread relies on it: stock <= the bad outcomes still needed, plus those
 * recorded and not yet taken out.
 *
 * 1. A thread relies on the stock only after it has itself published one, for this generation (and,
 *    in a time window, this bucket) from a window that held the minimum of calls. Until then it
 *    sums at each of its outcomes.
 * 2. Within a bucket and a generation calls only come in, so good outcomes move the threshold away
 *    and each bad one brings it nearer by one at the most (threshold.ts).
 * 3. The CAS that publishes a stock expects the word read before the sum. A bad outcome taken out
 *    in between changes it, and the sum is made again. One recorded in between and not yet taken
 *    out is missing from the sum at the worst, and comes out of the new stock.
 * 4. The clock and STATE are read after that word: a sum for an older bucket or generation cannot
 *    replace the stock of a newer one, whose publication would have changed the word.
 * 5. So the outcomes that come between the one that fills the threshold and the opening are at most
 *    as many as there are recorders in the midst of a record; with none in its midst, none.
 * 6. A sum that reaches the threshold is held against a second one (`surelyReaches`): no stalled
 *    sum opens by failures that it saw and successes before them that it missed.
 *
 * One shared word for bad outcomes costs the healthy path nothing, and needs no share for each
 * thread, no count of threads and no memory of what was seen when.
 */
import { add, compareExchange, load } from '#atomics'
import { CLOSED, generationOf, OPEN, stateOf } from '../memory/words/state.ts'
import { restock, stockOf } from '../memory/words/windows.ts'
import type { Cell } from './cell.ts'
import { at, transition } from './state.ts'
import {
  type Counts,
  reachesThreshold,
  stockUntilThreshold,
  surelyReaches,
  type Thresholds,
} from './threshold.ts'
import type { Window } from './window.ts'

const ATTEMPTS = 4

function stockWord(cell: Cell): number {
  return cell.record + cell.shape.stock
}

/** Takes one bad outcome out while closed; what is left. Metrics-only has no use for a stock. */
export function spend(cell: Cell, seen: number): number {
  if (stateOf(seen) !== CLOSED) return 1
  // ATOMIC stock.spend
  //   observes: the stock of the last sum (pairs with stock.publish).
  //   dies here: before it, after the record: one outcome is missing until the next sum, so the
  //              breaker may open one outcome late.
  return stockOf(add(cell.memory, stockWord(cell), -1)) - 1
}

/**
 * Sums, opens the breaker if the threshold is reached, and publishes the new stock if not. The time
 * of the sum when the thread may rely on that stock, else NaN.
 */
export function judge(
  cell: Cell,
  window: Window,
  thresholds: Thresholds,
  seen: number,
  counts: Counts,
): number {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    // ATOMIC stock.publish
    //   observes:  the word before everything that the sum reads.
    //   publishes: how many bad outcomes the next sum may wait for.
    //   loses to:  a bad outcome or another sum: sum again, at the bound go on unrelying.
    //   dies here: the old stock stands; every thread that relies on it published it or one later.
    //   wraps:     18 bits of version: a late CAS needs 262,144 sums and the same stock.
    const before = load(cell.memory, stockWord(cell))
    if (load(cell.memory, cell.state) !== seen || stateOf(seen) !== CLOSED) return Number.NaN
    const now = cell.clock.now()
    window.sum(generationOf(seen), now, counts)
    if (reachesThreshold(counts, thresholds)) {
      const first = { ...counts }
      window.sum(generationOf(seen), now, counts)
      if (surelyReaches(first, counts, thresholds)) {
        transition(cell, seen, OPEN, at(now, first))
        return Number.NaN
      }
    }
    const after = restock(before, stockUntilThreshold(counts, thresholds))
    if (compareExchange(cell.memory, stockWord(cell), before, after) === before) {
      return counts.calls >= thresholds.minimumNumberOfCalls ? now : Number.NaN
    }
  }
  return Number.NaN
}
