/**
 * One bulkhead as one thread sees it: permits that are places (places.ts), and who goes first where
 * calls wait (waiting.ts, waiting-turns.ts). Numbers in, numbers out.
 *
 * Which permit holds which of the thread's places stands in the thread alone. So a permit that was
 * settled before, or made up, frees nothing.
 */
import { BULKHEAD_OPTION } from '../memory/controls.ts'
import { LINE_WORDS, TOTAL } from '../memory/layout.ts'
import { lastClaimOf, packPermit, placeBitsOf, placeOfPermit } from '../memory/words/bulkhead.ts'
import { REFUSED } from '../memory/words/trials.ts'
import { placesOf } from './bulkhead.ts'
import type { Control } from './control.ts'
import { freePlace, type PlaceRange, takePlace } from './places.ts'
import { OVERFLOW_SLOT } from './slots.ts'
import { counterOf, countOne } from './totals.ts'
import { announceRelease, clearHint, seemsAwaited, someoneMayWait } from './waiting.ts'
import { Turns } from './waiting-turns.ts'

/** The calls of this thread that wait. */
export interface Waiters {
  readonly size: number
  /** Lets the first of them in if it is its turn; whether it was. */
  admitNext(): boolean
}

const NO_WAITERS: Waiters = Object.freeze({ size: 0, admitNext: () => false })

/** What stands for a place that none of our permits holds. No permit. */
const SETTLED = 0

export class BulkheadCore {
  readonly cell: Control
  readonly measures = false
  lastError: unknown
  /** Whether calls may wait. */
  readonly mayWait: boolean
  /** Set by who keeps them. */
  waiters: Waiters = NO_WAITERS
  readonly #places: PlaceRange
  readonly #turns: Turns
  /** Our permit in each place. */
  readonly #permits: number[]
  readonly #placeBits: number
  readonly #lastClaim: number
  /** The place with which to begin: the one last freed here, most likely still free. */
  #next: number
  #claim = 0
  #admitted = 0
  #succeeded = 0
  #failed = 0
  #ignored = 0
  #late = 0
  #refused = 0

  constructor(control: Control, slot: number) {
    this.cell = control
    this.#places = placesOf(control)
    this.#turns = new Turns(control)
    this.mayWait = (control.numbers[BULKHEAD_OPTION.MAX_QUEUED] as number) > 0
    this.#permits = new Array<number>(this.#places.count).fill(SETTLED)
    this.#placeBits = placeBitsOf(this.#places.count)
    this.#lastClaim = lastClaimOf(this.#placeBits)
    // Threads begin on lines of their own, where there are several.
    this.#next = (control.thread * LINE_WORDS) % this.#places.count
    this.#countIn(slot)
  }

  #countIn(slot: number): void {
    const counter = (total: number): number => counterOf(this.cell, slot, total)
    this.#admitted = counter(TOTAL.ADMITTED)
    this.#succeeded = counter(TOTAL.SUCCEEDED)
    this.#failed = counter(TOTAL.FAILED)
    this.#ignored = counter(TOTAL.IGNORED)
    this.#late = counter(TOTAL.LATE)
    this.#refused = counter(TOTAL.REFUSED)
  }

  /** For a thread that has given its slot back and still holds this object. */
  moveToOverflow(): void {
    this.#countIn(OVERFLOW_SLOT)
  }

  tryAcquire(): number {
    const permit = this.take()
    return permit === REFUSED ? this.refuse() : permit
  }

  /** Counts a call that was refused. */
  refuse(): number {
    countOne(this.cell.memory, this.#refused)
    return REFUSED
  }

  /** As `tryAcquire`, for a call that waits when there is no place: not counted as refused. */
  take(): number {
    if (this.mayWait) {
      // Calls of this thread have waited for longer.
      if (this.waiters.size > 0) return REFUSED
      if (seemsAwaited(this.cell)) return this.#takeAsNewcomer()
    }
    return this.#takeAny()
  }

  #takeAsNewcomer(): number {
    const permit = this.takeInTurn(this.cell.clock.now(), 0)
    if (this.#turns.foundNobody) clearHint(this.cell)
    return permit
  }

  /** For a call that has waited for so long, before all others of this thread. */
  takeInTurn(now: number, waitedMs: number): number {
    return this.#turns.mayTake(now, waitedMs) ? this.#takeAny() : REFUSED
  }

  #takeAny(): number {
    const place = takePlace(this.#places, this.cell.thread, this.#next)
    if (place < 0) return REFUSED
    this.#claim = this.#claim < this.#lastClaim ? this.#claim + 1 : 1
    const permit = packPermit(this.#claim, place, this.#placeBits)
    this.#permits[place] = permit
    countOne(this.cell.memory, this.#admitted)
    return permit
  }

  /** The answer: whether the permit was one of ours, and not settled before. */
  recordSuccess(permit: number): boolean {
    return this.#settle(permit, this.#succeeded)
  }

  recordFailure(permit: number): boolean {
    return this.#settle(permit, this.#failed)
  }

  release(permit: number): void {
    this.#settle(permit, this.#ignored)
  }

  #settle(permit: number, counter: number): boolean {
    const { memory, thread } = this.cell
    const place = placeOfPermit(permit, this.#placeBits)
    if (!(permit > SETTLED && this.#permits[place] === permit)) {
      // Counted as admitted as well: so what is in flight is what was not settled.
      countOne(memory, this.#admitted)
      countOne(memory, this.#late)
      return false
    }
    this.#permits[place] = SETTLED
    this.#next = place
    countOne(memory, counter)
    freePlace(this.#places, thread, place)
    if (this.mayWait && someoneMayWait(this.cell)) this.#passOn()
    return true
  }

  /** To a call of this thread, or it is announced to the others. */
  #passOn(): void {
    if (!this.waiters.admitNext()) announceRelease(this.cell)
  }
}
