/** One breaker as one thread asks it: permits, refusals, and what askers carry out. */
import { add64, load, writeOwnDouble } from '#atomics'
import type { Memory } from '../memory/atomics.ts'
import { TALLY, TOTAL } from '../memory/layout.ts'
import {
  CLOSED,
  FORCED_OPEN,
  generationOf,
  HALF_OPEN,
  OPEN,
  STATE_NAMES,
  stateOf,
} from '../memory/words/state.ts'
import { REFUSED } from '../memory/words/trials.ts'
import type { Clock } from '../time/clock.ts'
import { type Cell, reportDamage, tallyOf } from './cell.ts'
import { Follower, type Home } from './follower.ts'
import { OVERFLOW_SLOT } from './slots.ts'
import { at, readTime, transition } from './state.ts'
import { counterOf, countOne, refusalsOf } from './totals.ts'
import { claimTrial, MOVED, type Verdict, verdictForAsker, viewTrials } from './trials.ts'

/** How often a thread looks again because a transition got in its way; then it refuses. */
export const ATTEMPTS = 16

/** There is no room for the breaker any more: the call goes on as if there were none. */
const UNGUARDED = -3

export abstract class Asker extends Follower {
  protected readonly memory: Memory
  protected readonly clock: Clock
  protected state = 0
  /** The STATE word that this thread last met, if that says closed. */
  protected closed = -1
  /** Counters of the totals that asking counts. */
  #admitted = 0
  #refused = 0
  /** The STATE word by which this thread was last refused, and until when that is sure. */
  #refusedBy = -1
  #refusedUntil = 0
  #usedAt = -1

  constructor(cell: Cell, slot: number, home?: Home) {
    super(cell, slot, home)
    this.memory = cell.memory
    this.clock = cell.clock
    this.#begin()
  }

  #begin(): void {
    this.state = this.cell.state
    this.closed = -1
    this.#refusedBy = -1
    this.#usedAt = -1
    this.#useCounters()
  }

  protected override settle(): void {
    this.#begin()
  }

  #useCounters(): void {
    this.#admitted = counterOf(this.cell, this.slot, TOTAL.ADMITTED)
    this.#refused = refusalsOf(this.cell, this.slot, stateOf(this.#refusedBy))
  }

  /** For a thread that has given its slot back and still holds this object. */
  moveToOverflow(): void {
    this.slot = OVERFLOW_SLOT
    this.closed = -1
    this.#useCounters()
  }

  /** Notes that the breaker was looked up by its key, for who looks for one that is idle. */
  noteUse(): void {
    this.clock.glance()
    const now = this.clock.latest
    if (now === this.#usedAt) return
    this.#usedAt = now
    writeOwnDouble(this.memory, tallyOf(this.cell, this.slot) + TALLY.USED_DOUBLE, now)
  }

  /** The STATE word by which this thread was last refused. */
  get refusedBy(): number {
    return this.#refusedBy
  }

  tryAcquire(): number {
    // ATOMIC breaker.ask
    //   observes:  the current generation and state (pairs with state.publish).
    //   dies here: a permit given while closed is in flight until the thread's death is known.
    const seen = load(this.memory, this.state)
    if (seen === this.closed) {
      countOne(this.memory, this.#admitted)
      return generationOf(seen)
    }
    if (seen === this.#refusedBy) {
      this.clock.glance()
      if (this.clock.latest < this.#refusedUntil) {
        countOne(this.memory, this.#refused)
        return REFUSED
      }
    }
    return this.#askAndCount(seen)
  }

  #askAndCount(seen: number): number {
    const permit = this.#isStillRefused(seen) ? REFUSED : this.#ask(seen)
    if (permit === UNGUARDED) {
      this.carry(1)
      return generationOf(seen)
    }
    countOne(this.memory, permit === REFUSED ? this.#refused : this.#admitted)
    if (this.slot === OVERFLOW_SLOT && permit !== REFUSED) this.#confirm()
    return permit
  }

  /** Whoever begins a new breaker in this record has cleared its shared counters by now. */
  #confirm(): void {
    // ATOMIC breaker.confirm
    //   observes:  whether the breaker that admitted is still there, after it counted.
    //   publishes: that it has not admitted, where it is gone; the permit is late.
    //   dies here: the new breaker has a call in flight that nobody settles.
    this.sharedInFlight++
    const { memory } = this
    const counter = ~this.#admitted
    if (this.isThere()) return
    add64(memory, counter, -1n)
  }

  /** Where a glance at the clock does not tell. */
  #isStillRefused(seen: number): boolean {
    if (seen !== this.#refusedBy) return false
    this.clock.refresh()
    return this.clock.current < this.#refusedUntil
  }

  #ask(first: number): number {
    let seen = first
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const permit = this.#askOnce(seen)
      if (permit === REFUSED) break
      if (permit !== MOVED) return permit
      seen = load(this.memory, this.state)
    }
    if (seen !== this.#refusedBy) this.#refuseUntil(seen, 0)
    return REFUSED
  }

  #refuseUntil(seen: number, until: number): void {
    this.#refusedBy = seen
    this.#refusedUntil = until
    this.#refused = refusalsOf(this.cell, this.slot, stateOf(seen))
  }

  /** A STATE word that is another than the last one, and of which the options are known. */
  protected meet(seen: number): void {
    this.met = seen
    const isShort = seen >= 0 && stateOf(seen) === CLOSED && this.slot !== OVERFLOW_SLOT
    this.closed = isShort ? seen : -1
    this.cell.news.notice()
  }

  #askOnce(seen: number): number {
    if (seen !== this.met) {
      if (!this.knows(seen)) return this.follow() ? MOVED : UNGUARDED
      this.meet(seen)
    }
    const state = stateOf(seen)
    if (!(seen >= 0 && state in STATE_NAMES)) {
      reportDamage(this.memory, `state word ${seen} of a breaker`)
      return generationOf(seen)
    }
    if (state === OPEN || state === FORCED_OPEN) return this.#askOpen(seen)
    if (state === HALF_OPEN) return this.#askHalfOpen(seen)
    return generationOf(seen)
  }

  #askOpen(seen: number): number {
    const until = readTime(this.cell, generationOf(seen))
    const now = this.clock.now()
    const isLegal =
      until !== undefined &&
      (stateOf(seen) === FORCED_OPEN || until - now <= this.cell.longestWaitMs)
    if (isLegal && now < until) {
      this.#refuseUntil(seen, until)
      return REFUSED
    }
    if (!isLegal) {
      if (load(this.memory, this.state) !== seen) return MOVED
      reportDamage(this.memory, 'the end of a wait')
    }
    transition(this.cell, seen, HALF_OPEN, at(now))
    return MOVED
  }

  #askHalfOpen(seen: number): number {
    const now = this.clock.now()
    const view = viewTrials(this.cell, generationOf(seen), now)
    const verdict = verdictForAsker(this.cell, view, now)
    if (verdict === undefined) return claimTrial(this.cell, seen, this.slot)
    this.carryOut(seen, verdict)
    return MOVED
  }

  protected carryOut(seen: number, verdict: Verdict): void {
    const { target, sinceMs, succeeded, failed } = verdict
    const counts = { calls: succeeded + failed, failures: failed, slowCalls: 0, slowFailures: 0 }
    transition(this.cell, seen, target, at(sinceMs, counts))
  }
}
