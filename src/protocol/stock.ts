/**
 * When to add a window up (P4). Summing at every outcome would undo the sharding; so a sum says how
 * many outcomes are needed at the least before the next one can matter, and puts that number into
 * one word, the stock. Outcomes take one out each. Who empties it sums again.
 *
 * Below the minimum of calls every outcome takes one out. From there on bad ones do; a thread whose
 * good outcome takes one out finds in the word that they need not any more.
 *
 * Invariant, while some thread relies on it: stock <= the outcomes still needed, plus those
 * recorded and not yet taken out.
 *
 * 1. A thread relies on the stock only after it has itself published one, for this generation (and,
 *    in a time window, this bucket). Until then it sums at each of its outcomes. It spares its good
 *    outcomes once a sum for this or a later bucket has found the minimum of calls.
 * 2. Within a bucket and a generation calls only come in. So the minimum, once reached, stays so,
 *    for every later sum; good outcomes then move the threshold away, and each bad one brings it
 *    nearer by one at the most (threshold.ts).
 * 3. A stock is published from the word read before the sum, less what was taken out since. An
 *    outcome that the sum missed is recorded after that look; so it is taken out in between, and
 *    subtracted, or from the new stock. Where nothing is left to publish one is: each outcome that
 *    used the old stock up sums by itself, and the next one will.
 * 4. The clock and STATE are read after that word: a sum for an older bucket or generation cannot
 *    replace the stock of a newer one, whose publication would have changed the version.
 * 5. So the outcomes that come between the one that fills the threshold and the opening are at most
 *    as many as there are recorders in the midst of a record; with none in its midst, none. (A good
 *    outcome that was spared while its bucket ended counts as in its midst until the next sum.)
 * 6. A sum that reaches the threshold is held against a second one (`surelyReaches`): no stalled
 *    sum opens by failures that it saw and successes before them that it missed.
 *
 * 7. Where calls count that hang (ages.ts), a thread relies on the stock within a step only, and
 *    spares good outcomes only if none hung in it. During a step the window changes by outcomes, as
 *    in 2, and by calls that hang no more: who settles one sums, and publishes. A sum reads them
 *    after the outcomes, and they only become fewer: so those that it saw were all there, with the
 *    bad outcomes that it saw, when it had read the last outcome.
 *
 * One shared word costs the healthy path nothing, and needs no share for each thread, no count of
 * threads and no memory of what was seen when.
 */
import { add, compareExchange, load } from '#atomics'
import { CLOSED, generationOf, OPEN, stateOf } from '../memory/words/state.ts'
import { isSameStock, MAX_STOCK, restock, stockOf } from '../memory/words/windows.ts'
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
/** Each one lost is an outcome of another thread. */
const PUBLISH_ATTEMPTS = 1024

function stockWord(cell: Cell): number {
  return cell.record + cell.shape.stock
}

/** What metrics-only, which has no use for a stock, finds in it. */
const PLENTY = restock(0, MAX_STOCK, true)

/** Takes one outcome out while closed; the word from which it was taken. */
export function spend(cell: Cell, seen: number): number {
  if (stateOf(seen) !== CLOSED) return PLENTY
  // ATOMIC stock.spend
  //   observes: the stock of the last sum (pairs with stock.publish).
  //   dies here: before it, after the record: one outcome is missing until the next sum, so the
  //              breaker may open one outcome late.
  return add(cell.memory, stockWord(cell), -1)
}

/**
 * Sums into `counts`, opens the breaker if the threshold is reached, and publishes the new stock if
 * not. The time of the sum when the thread may rely on that stock, else NaN.
 */
export function judge(
  cell: Cell,
  window: Window,
  thresholds: Thresholds,
  seen: number,
  counts: Counts,
): number {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    // ATOMIC stock.read
    //   observes: the word before everything that the sum reads (pairs with stock.publish).
    const before = load(cell.memory, stockWord(cell))
    const current = load(cell.memory, cell.state)
    if (generationOf(current) !== generationOf(seen) || stateOf(seen) !== CLOSED) return Number.NaN
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
    // Nobody may rely on a stock by options that others have replaced meanwhile.
    if (current !== seen) return Number.NaN
    const left = stockUntilThreshold(counts, thresholds)
    const holdsMinimum = counts.calls >= thresholds.minimumNumberOfCalls
    if (publish(cell, before, left, holdsMinimum)) return now
  }
  return Number.NaN
}

function publish(cell: Cell, before: number, left: number, holdsMinimum: boolean): boolean {
  let found = before
  for (let attempt = 0; attempt < PUBLISH_ATTEMPTS; attempt++) {
    // ATOMIC stock.publish
    //   observes:  the word read before the sum, or the same with outcomes taken out since.
    //   publishes: how many outcomes the next sum may wait for.
    //   loses to:  an outcome: subtract it; another sum: sum again, at the bound go on unrelying.
    //   dies here: the old stock stands; every thread that relies on it published it or one later.
    //   wraps:     17 bits of version: a late CAS needs 131,072 sums and the same stock.
    const spent = stockOf(before) - stockOf(found)
    const after = restock(before, Math.max(1, left - spent), holdsMinimum)
    const expected = found
    found = compareExchange(cell.memory, stockWord(cell), expected, after)
    if (found === expected) return true
    if (!isSameStock(found, before)) return false
  }
  return false
}
