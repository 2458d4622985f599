/**
 * How a thread that holds a breaker keeps up with it: with its options, and with its place, for a
 * breaker may be removed and its record given to another (removal.ts).
 *
 * Whoever meets a STATE word that is not the last one asks first whether it is of the edition that
 * it knows, and not `removed`. Only then does anybody act on it. So a steady breaker costs nothing:
 * the same word again needs no look, and any change of options or place changes the word.
 */
import { add64, compareExchange, load, load64 } from '#atomics'
import { TOTAL } from '../memory/layout.ts'
import { generationOf, isOfEdition, packState, REMOVED, stateOf } from '../memory/words/state.ts'
import { editionOfEntry } from '../memory/words/threads.ts'
import { type Cell, isCountedFor, shardOf } from './cell.ts'
import { begin, isToBegin, takeCounters } from './removal.ts'
import { OVERFLOW_SLOT } from './slots.ts'
import { inFlightOf } from './totals.ts'

/** Where a breaker is looked up again. */
export interface Home {
  /** The slot in which that holder is to count. */
  slotOf(holder: Follower): number
  /** The same breaker as it is now, by a new cell where it has other options; undefined: gone. */
  look(cell: Cell): Cell | undefined
  /** That holder's breaker, which is gone: found elsewhere, or made again. Throws without room. */
  again(holder: Follower): Cell
  /** Says that calls go unguarded, because of what `again` threw. */
  warn(error: unknown): void
}

/** Of who looks after records, whosever they are. */
export const STAYS: Home = Object.freeze({
  slotOf: () => OVERFLOW_SLOT,
  look: (cell: Cell) => cell,
  again: ({ cell }: Follower) => cell,
  warn: () => {},
})

/** Each one lost is a transition or another edition. */
const RAISE_ATTEMPTS = 64

/**
 * Brings the edition that STATE says up to the entry's. STATE is read first, so the entry is not
 * behind it.
 */
export function raiseEdition({ memory, state, entryLong }: Cell): void {
  for (let attempt = 0; attempt < RAISE_ATTEMPTS; attempt++) {
    // ATOMIC edition.raise
    //   observes:  a STATE word of an older edition than the entry (pairs with directory.replace).
    //   publishes: to all who meet the word that there are other options, or another breaker.
    //   loses to:  a transition or another raise: look again, at the bound the next one does.
    //   dies here: who looks at the entry next raises it; until then others go by what they know.
    //   wraps:     6 bits of edition: who sleeps through 64 of them and no transition.
    const seen = load(memory, state)
    const edition = editionOfEntry(load64(memory, entryLong))
    if (isOfEdition(seen, edition)) return
    const raised = packState(generationOf(seen), stateOf(seen), edition)
    if (compareExchange(memory, state, seen, raised) === seen) return
  }
}

export abstract class Follower {
  /** The breaker as it was when this thread last looked; another object once it is another. */
  cell: Cell
  protected slot: number
  /** The STATE word that this thread last met. */
  protected met = -1
  /** This holder's calls in flight, as far as they are counted in the slot that many share. */
  protected sharedInFlight = 0
  #edition: number
  readonly #home: Home
  /** Calls in flight that no record counts, for the breaker is gone; undefined while it is not. */
  #carried: number | undefined

  constructor(cell: Cell, slot: number, home: Home = STAYS) {
    this.cell = cell
    this.slot = slot
    this.#home = home
    this.#edition = editionOfEntry(cell.entry)
    if (slot !== OVERFLOW_SLOT) takeCounters(cell, slot)
  }

  /** Makes anew what depends on the cell. */
  protected abstract settle(): void

  /** Whether this thread knows the options that the STATE word stands for, and it is not gone. */
  protected knows(seen: number): boolean {
    return isOfEdition(seen, this.#edition) && stateOf(seen) !== REMOVED
  }

  /** Looks the breaker up: true when it is there; false when it is gone. */
  protected lookAgain(): boolean {
    const found = this.#home.look(this.cell)
    if (found === undefined) {
      this.#leave()
      return false
    }
    if (found !== this.cell) this.#use(found)
    else if (isToBegin(found, load(found.memory, found.state))) begin(found)
    raiseEdition(found)
    return true
  }

  /** As `lookAgain`, and elsewhere; false when there is no room to make it again. */
  protected follow(): boolean {
    if (this.lookAgain()) return true
    try {
      this.#use(this.#home.again(this))
      return true
    } catch (error) {
      this.#home.warn(error)
      return false
    }
  }

  /** Whether the breaker has not been removed. */
  isThere(): boolean {
    return this.knows(load(this.cell.memory, this.cell.state)) || this.lookAgain()
  }

  /** The breaker as it is at this moment; made again if it is gone. @throws RegistryFullError */
  current(): Cell {
    this.currentState()
    return this.cell
  }

  /** Its STATE word then, which is this breaker's; undefined: it changes all the time. */
  currentState(): number | undefined {
    for (let attempt = 0; attempt < RAISE_ATTEMPTS; attempt++) {
      const { memory, state } = this.cell
      const seen = load(memory, state)
      if (this.knows(seen)) return seen
      if (!this.lookAgain()) this.#use(this.#home.again(this))
    }
    return undefined
  }

  /** Its record is another breaker's from now on. */
  vacate(): void {
    this.lookAgain()
  }

  /**
   * What is in flight here is settled wherever the breaker is by then (P6): until that is known,
   * this holder counts it.
   */
  #leave(): void {
    if (this.#carried !== undefined) return
    const { cell, slot } = this
    this.#carried = this.sharedInFlight
    if (slot === OVERFLOW_SLOT || !isCountedFor(cell, slot)) return
    // ATOMIC follower.leave
    //   publishes: that nothing is in flight in a record whose breaker is gone.
    //   dies here: these calls died with the thread.
    const inFlight = inFlightOf(cell, slot)
    add64(cell.memory, shardOf(cell, slot) / 2 + TOTAL.ADMITTED, -inFlight)
    this.#carried = Math.max(0, Number(inFlight))
  }

  /** Whether the breaker is gone, as far as this holder knows: no record counts its calls. */
  protected get isAway(): boolean {
    return this.#carried !== undefined
  }

  /** A call is let in, or settled, that no record counts. */
  protected carry(calls: 1 | -1): void {
    this.#carried = Math.max(0, (this.#carried ?? 0) + calls)
  }

  #use(cell: Cell): void {
    this.cell = cell
    this.#edition = editionOfEntry(cell.entry)
    this.met = -1
    if (this.#carried !== undefined) this.#arrive(this.#carried)
    this.settle()
  }

  /** The breaker stands in another record. */
  #arrive(carried: number): void {
    const { cell } = this
    this.slot = this.#home.slotOf(this)
    if (this.slot !== OVERFLOW_SLOT) takeCounters(cell, this.slot)
    this.sharedInFlight = this.slot === OVERFLOW_SLOT ? carried : 0
    this.#carried = undefined
    if (carried === 0) return
    // ATOMIC follower.arrive
    //   publishes: what was in flight elsewhere as in flight here.
    add64(cell.memory, shardOf(cell, this.slot) / 2 + TOTAL.ADMITTED, BigInt(carried))
  }
}
