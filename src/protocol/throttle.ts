/**
 * Adaptive throttling as one thread sees it. Each thread counts what came of its calls in buckets
 * of its own; once in 100 ms one of them adds up and publishes the probability to refuse with as
 * one word (PROBABILITY). A decision is one load of that word and, where it is not 0, one random
 * number.
 *
 * 1. Only the taker of the duty publishes, and only while the duty is its own after it read the
 *    word that it replaces: a late taker puts nothing over a later round's word.
 * 2. Nobody is refused by an old word. Before a refusal, its thread finds that the word is of the
 *    last round and the next is not due, or adds up itself. It finds so once for each word, and
 *    then only glances at the clock: a late keeper may mislead it, for 256 calls (monotonic.ts).
 * 3. A taker that dies leaves the word of the round before, and by 2. that refuses nobody. The next
 *    round comes an interval later.
 * 4. An admission needs no such look: too few refusals are the rule's own error, for an interval.
 */
import { compareExchange, load, load64 } from '#atomics'
import type { Memory } from '../memory/atomics.ts'
import { CONTROL } from '../memory/controls.ts'
import { TOTAL } from '../memory/layout.ts'
import {
  isLegalRejection,
  isOfRound,
  packRejection,
  partsOf,
  probabilityOf,
  rejectionOf,
} from '../memory/words/throttle.ts'
import { timedTagOf } from '../memory/words/timed.ts'
import { REFUSED } from '../memory/words/trials.ts'
import type { Clock } from '../time/clock.ts'
import { reportDamage } from './cell.ts'
import type { Control } from './control.ts'
import { Duty } from './duty.ts'
import { RollingCounts } from './rolling.ts'
import { OVERFLOW_SLOT } from './slots.ts'
import { Draws } from './throttle-draw.ts'
import { rejectionProbability, ruleOf, type ThrottleRule } from './throttle-rule.ts'
import { counterOf, countOne } from './totals.ts'

/** Kinds of the rolling counts. */
const ACCEPTED = 0
const REJECTED = 1
const REFUSED_HERE = 2

const THROTTLE_INTERVAL_MS = 100

/** The one permit there is. */
const PERMIT = 0

/** An earlier taker is late once at the most; after more than so many the word stays as it is. */
const ATTEMPTS = 4

/** No word that is ever published. */
const NONE = -1

/** What the window holds, and what follows from it. */
export interface ThrottleLook {
  readonly rejectionProbability: number
  /** Calls whose outcome is known: accepted, rejected or refused here. */
  readonly requests: number
  readonly accepts: number
  /** Of the requests: refused here. */
  readonly refused: number
}

export class ThrottleCore {
  readonly cell: Control
  readonly measures = false
  /** The last error that this thread counted as a rejection. */
  lastError: unknown
  readonly #memory: Memory
  readonly #clock: Clock
  readonly #word: number
  readonly #dutyLong: number
  readonly #rule: ThrottleRule
  readonly #most: number
  readonly #counts: RollingCounts
  readonly #sums = [0, 0, 0, 0]
  readonly #duty: Duty
  readonly #draws: Draws
  #slot: number
  /** Counters of the totals that hot paths count. */
  #admitted = 0
  #refused = 0
  #accepted = 0
  #rejected = 0
  /** Before this time the bucket is the same and no sum is due. */
  #quietUntil = 0
  /** The word that this thread last found worth refusing by, or not, and by what to refuse. */
  #known = NONE
  #knownRejection = 0

  /** `seed`: of the decisions; a whole number other than 0 in 32 bits. */
  constructor(control: Control, slot: number, seed: number) {
    this.cell = control
    this.#memory = control.memory
    this.#clock = control.clock
    this.#word = control.record + CONTROL.PROBABILITY
    this.#dutyLong = control.record / 2 + CONTROL.DUTY_LONG
    this.#rule = ruleOf(control.numbers)
    this.#most = partsOf(this.#rule.maxProbability)
    this.#counts = new RollingCounts(control, slot, this.#rule.windowMs)
    this.#duty = new Duty(control.memory, this.#dutyLong, THROTTLE_INTERVAL_MS)
    this.#draws = new Draws(seed)
    this.#slot = slot
    this.#useCounters()
  }

  /** For a thread that has given its slot back and still holds this object. */
  moveToOverflow(): void {
    this.#slot = OVERFLOW_SLOT
    this.#useCounters()
    this.#counts.moveToOverflow()
  }

  #useCounters(): void {
    this.#admitted = this.#counterOf(TOTAL.ADMITTED)
    this.#refused = this.#counterOf(TOTAL.REFUSED)
    this.#accepted = this.#counterOf(TOTAL.SUCCEEDED)
    this.#rejected = this.#counterOf(TOTAL.FAILED)
  }

  #counterOf(total: number): number {
    return counterOf(this.cell, this.#slot, total)
  }

  tryAcquire(): number {
    // ATOMIC throttle.ask
    //   observes:  the published probability (pairs with throttle.publish).
    //   dies here: a permit given is in flight until the thread's death is known.
    const word = load(this.#memory, this.#word)
    if (rejectionOf(word) !== 0 && this.#refuses(word)) {
      countOne(this.#memory, this.#refused)
      this.#counts.count(REFUSED_HERE)
      return REFUSED
    }
    countOne(this.#memory, this.#admitted)
    return PERMIT
  }

  /** Decides by the word. Where it refuses, the bucket to count that in has been entered. */
  #refuses(word: number): boolean {
    if (!isLegalRejection(word, this.#most)) {
      reportDamage(this.#memory, `probability ${word} of a throttle`)
      return false
    }
    const draw = this.#draws.next()
    if (draw >= rejectionOf(word)) return false
    this.#clock.glance()
    if (word !== this.#known || !(this.#clock.latest < this.#quietUntil)) this.#check(word)
    return draw < this.#knownRejection
  }

  /** Where a glance at the clock does not tell. */
  #check(word: number): void {
    this.#clock.refresh()
    if (word !== this.#known || !(this.#clock.current < this.#quietUntil)) this.#learn(word)
  }

  /** Finds out by what to refuse in place of that word: by itself, if it is the last round's. */
  #learn(word: number): void {
    this.#counts.enter()
    this.#known = word
    if (this.#duty.take(this.#clock.current)) this.#knownRejection = this.#publish()
    else if (this.#isOfLastRound(word)) this.#knownRejection = rejectionOf(word)
    else this.#knownRejection = this.#sumUp()
    this.#beQuiet()
  }

  /** False while the taker of the last round has not published, because it is at it or dead. */
  #isOfLastRound(word: number): boolean {
    return isOfRound(word, timedTagOf(load64(this.#memory, this.#dutyLong)))
  }

  #beQuiet(): void {
    this.#quietUntil = Math.min(this.#counts.end, this.#duty.nextLook)
  }

  /** Adds up and publishes what it finds, for a thread that has just taken the duty. */
  #publish(): number {
    const rejection = this.#sumUp()
    const mine = packRejection(this.#duty.fence, rejection)
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      // ATOMIC throttle.publish
      //   observes:  the duty still ours after the word was read.
      //   publishes: the probability of this round.
      //   loses to:  the next taker: stop; an earlier one, which was late: again.
      //   dies here: the word stays that of an earlier round, by which nobody is refused.
      //   wraps:     7 bits of fence: a late taker needs the word that it read back, 128 rounds on.
      const old = load(this.#memory, this.#word)
      if (!this.#duty.isMine()) break
      if (compareExchange(this.#memory, this.#word, old, mine) === old) break
    }
    return rejection
  }

  /** In parts of 2^24, as of the clock's last refresh. */
  #sumUp(): number {
    return partsOf(this.#probability())
  }

  #probability(): number {
    this.#counts.sum(this.#sums)
    const [accepts = 0, rejected = 0, refused = 0] = this.#sums
    return rejectionProbability(this.#rule, accepts + rejected + refused, accepts)
  }

  /** The backend took the call. False for what is no permit, which counts nothing. */
  recordSuccess(permit: number): boolean {
    if (permit !== PERMIT) return false
    countOne(this.#memory, this.#accepted)
    this.#record(ACCEPTED)
    return true
  }

  /** The backend did not take the call. */
  recordFailure(permit: number): boolean {
    if (permit !== PERMIT) return false
    countOne(this.#memory, this.#rejected)
    this.#record(REJECTED)
    return true
  }

  release(permit: number): void {
    if (permit === PERMIT) countOne(this.#memory, this.#counterOf(TOTAL.IGNORED))
  }

  #record(kind: number): void {
    this.#clock.glance()
    if (this.#clock.latest < this.#quietUntil) this.#counts.count(kind)
    else this.#recordAndLook(kind)
  }

  #recordAndLook(kind: number): void {
    this.#clock.refresh()
    this.#counts.enter()
    this.#counts.count(kind)
    if (this.#clock.current >= this.#duty.nextLook) {
      this.#known = NONE
      if (this.#duty.take(this.#clock.current)) this.#publish()
    }
    this.#beQuiet()
  }

  /** As it was last published; 0 for a damaged word. */
  published(): number {
    const word = load(this.#memory, this.#word)
    return isLegalRejection(word, this.#most) ? probabilityOf(rejectionOf(word)) : 0
  }

  /** Added up anew, exact, as of now. */
  look(): ThrottleLook {
    this.#clock.refresh()
    this.#counts.sum(this.#sums)
    const [accepts = 0, rejected = 0, refused = 0] = this.#sums
    const requests = accepts + rejected + refused
    const probability = rejectionProbability(this.#rule, requests, accepts)
    return { rejectionProbability: probability, requests, accepts, refused }
  }
}
