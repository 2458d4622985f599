/**
 * One breaker as one thread sees it: the calls of spec section 4's core, put together from state,
 * trials and window. Numbers in, numbers out.
 */
import { load } from '#atomics'
import type { Memory } from '../memory/atomics.ts'
import { OPTION, TOTAL } from '../memory/layout.ts'
import {
  CLOSED,
  DISABLED,
  FORCED_OPEN,
  generationOf,
  HALF_OPEN,
  METRICS_ONLY,
  OPEN,
  STATE_NAMES,
  stateOf,
} from '../memory/words/state.ts'
import { FAILED, FIRST_TRIAL_PERMIT, FREE, REFUSED, SUCCEEDED } from '../memory/words/trials.ts'
import type { Clock } from '../time/clock.ts'
import { type Cell, reportDamage } from './cell.ts'
import { Durations } from './durations.ts'
import { OVERFLOW_SLOT } from './slots.ts'
import { at, readTime, transition } from './state.ts'
import type { Thresholds } from './threshold.ts'
import { counterOf, countLocalStall, countOne, refusalsOf } from './totals.ts'
import {
  claimTrial,
  MOVED,
  settleTrial,
  type TrialOutcome,
  type Verdict,
  verdictForAsker,
  viewTrials,
} from './trials.ts'
import { longestWaitMsOf } from './wait.ts'
import { FAILED_KIND, GOOD, SLOW_KIND, type Window } from './window.ts'
import { makeWindow, thresholdsOf } from './window-of.ts'

/** How often an asker looks again because a transition got in its way; then it refuses. */
const ATTEMPTS = 16

/** The duration of an outcome that came without one. */
export const NOT_MEASURED = -1

export class Core {
  readonly cell: Cell
  readonly thresholds: Thresholds
  readonly window: Window
  readonly #durations: Durations
  /** Whether durations matter: a slow threshold is set. */
  readonly measures: boolean
  /** The last error that this thread counted as a failure. */
  lastError: unknown
  readonly #memory: Memory
  readonly #state: number
  readonly #clock: Clock
  readonly #slowMs: number
  #slot: number
  /** Counters of the totals that hot paths count. */
  #admitted = 0
  #refused = 0
  #succeeded = 0
  /** The STATE word that this thread last met, and again if that says closed. */
  #met = -1
  #closed = -1
  /** The STATE word by which this thread was last refused, and until when that is sure. */
  #refusedBy = -1
  #refusedUntil = 0

  constructor(cell: Cell, slot: number) {
    this.cell = cell
    this.thresholds = thresholdsOf(cell)
    this.window = makeWindow(cell, this.thresholds, slot)
    this.#durations = new Durations(cell, slot)
    this.#memory = cell.memory
    this.#state = cell.state
    this.#clock = cell.clock
    this.#slowMs = cell.numbers[OPTION.SLOW_DURATION_MS] as number
    this.measures = this.#slowMs < Number.POSITIVE_INFINITY
    this.#slot = slot
    this.#useCounters()
  }

  /** The STATE word by which this thread was last refused. */
  get refusedBy(): number {
    return this.#refusedBy
  }

  /** For a thread that has given its slot back and still holds this object. */
  moveToOverflow(): void {
    this.#slot = OVERFLOW_SLOT
    this.#useCounters()
    this.window.moveToOverflow()
    this.#durations.moveToOverflow()
  }

  #useCounters(): void {
    this.#admitted = counterOf(this.cell, this.#slot, TOTAL.ADMITTED)
    this.#refused = refusalsOf(this.cell, this.#slot, stateOf(this.#refusedBy))
    this.#succeeded = counterOf(this.cell, this.#slot, TOTAL.SUCCEEDED)
  }

  tryAcquire(): number {
    // ATOMIC breaker.ask
    //   observes:  the current generation and state (pairs with state.publish).
    //   dies here: a permit given while closed is in flight until the thread's death is known.
    const seen = load(this.#memory, this.#state)
    if (seen === this.#closed) {
      countOne(this.#memory, this.#admitted)
      return generationOf(seen)
    }
    if (seen === this.#refusedBy) {
      this.#clock.glance()
      if (this.#clock.latest < this.#refusedUntil) {
        countOne(this.#memory, this.#refused)
        return REFUSED
      }
    }
    return this.#askAndCount(seen)
  }

  #askAndCount(seen: number): number {
    const permit = this.#isStillRefused(seen) ? REFUSED : this.#ask(seen)
    countOne(this.#memory, permit === REFUSED ? this.#refused : this.#admitted)
    return permit
  }

  /** Where a glance at the clock does not tell. */
  #isStillRefused(seen: number): boolean {
    if (seen !== this.#refusedBy) return false
    this.#clock.refresh()
    return this.#clock.current < this.#refusedUntil
  }

  #ask(first: number): number {
    let seen = first
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const permit = this.#askOnce(seen)
      if (permit === REFUSED) break
      if (permit !== MOVED) return permit
      seen = load(this.#memory, this.#state)
    }
    if (seen !== this.#refusedBy) this.#refuseUntil(seen, 0)
    return REFUSED
  }

  #refuseUntil(seen: number, until: number): void {
    this.#refusedBy = seen
    this.#refusedUntil = until
    this.#refused = refusalsOf(this.cell, this.#slot, stateOf(seen))
  }

  /** A STATE word that is another than the last one. */
  #meet(seen: number): void {
    this.#met = seen
    this.#closed = seen >= 0 && stateOf(seen) === CLOSED ? seen : -1
    this.cell.news.notice()
  }

  #askOnce(seen: number): number {
    if (seen !== this.#met) this.#meet(seen)
    const state = stateOf(seen)
    if (!(seen >= 0 && state in STATE_NAMES)) {
      reportDamage(this.#memory, `state word ${seen} of a breaker`)
      return generationOf(seen)
    }
    if (state === OPEN || state === FORCED_OPEN) return this.#askOpen(seen)
    if (state === HALF_OPEN) return this.#askHalfOpen(seen)
    return generationOf(seen)
  }

  #askOpen(seen: number): number {
    const until = readTime(this.cell, generationOf(seen))
    const now = this.#clock.now()
    const isLegal =
      until !== undefined &&
      (stateOf(seen) === FORCED_OPEN || until - now <= longestWaitMsOf(this.cell.numbers))
    if (isLegal && now < until) {
      this.#refuseUntil(seen, until)
      return REFUSED
    }
    if (!isLegal) {
      if (load(this.#memory, this.#state) !== seen) return MOVED
      reportDamage(this.#memory, 'the end of a wait')
    }
    transition(this.cell, seen, HALF_OPEN, at(now))
    return MOVED
  }

  #askHalfOpen(seen: number): number {
    const now = this.#clock.now()
    const view = viewTrials(this.cell, generationOf(seen), now)
    const verdict = verdictForAsker(this.cell, view, now)
    if (verdict === undefined) return claimTrial(this.cell, seen, this.#slot)
    this.#carryOut(seen, verdict)
    return MOVED
  }

  #carryOut(seen: number, verdict: Verdict): void {
    const { target, sinceMs, succeeded, failed } = verdict
    const counts = { calls: succeeded + failed, failures: failed, slowCalls: 0, slowFailures: 0 }
    transition(this.cell, seen, target, at(sinceMs, counts))
  }

  /** For the keeper: what is due although nobody asks. */
  tend(): void {
    const seen = load(this.#memory, this.#state)
    const now = this.#clock.now()
    if (stateOf(seen) === HALF_OPEN) {
      const view = viewTrials(this.cell, generationOf(seen), now)
      const verdict = verdictForAsker(this.cell, view, now)
      if (verdict !== undefined) this.#carryOut(seen, verdict)
    }
    this.window.tend(generationOf(seen), now)
  }

  /** Both records answer whether the outcome counted: false when it was late. */
  recordSuccess(permit: number, durationMs = NOT_MEASURED): boolean {
    // ATOMIC breaker.record
    //   observes:  whether the permit's generation is current. A transition right after this look
    //              makes the outcome one of a generation that nobody reads any more.
    //   dies here: the permit stays in flight until the thread's death is known.
    const seen = load(this.#memory, this.#state)
    const isPlain = stateOf(seen) === CLOSED && permit === generationOf(seen)
    if (!isPlain || durationMs > this.#slowMs) return this.#record(seen, permit, durationMs, GOOD)
    countOne(this.#memory, this.#succeeded)
    if (durationMs >= 0) this.#durations.record(durationMs)
    this.window.record(seen, GOOD)
    return true
  }

  recordFailure(permit: number, durationMs = NOT_MEASURED): boolean {
    const seen = load(this.#memory, this.#state)
    return this.#record(seen, permit, durationMs, FAILED_KIND)
  }

  #record(seen: number, permit: number, durationMs: number, failed: number): boolean {
    const kind = durationMs > this.#slowMs ? failed | SLOW_KIND : failed
    if (permit === generationOf(seen)) {
      const state = stateOf(seen)
      if (state === CLOSED || state === METRICS_ONLY) {
        this.#countOutcome(kind, durationMs)
        this.window.record(seen, kind)
        return true
      }
      if (state === DISABLED) {
        this.#countOutcome(kind, durationMs)
        return true
      }
    } else if (permit >= FIRST_TRIAL_PERMIT) {
      const late = this.#settle(seen, permit, kind === GOOD ? SUCCEEDED : FAILED)
      if (!late) {
        this.#countOutcome(kind, durationMs)
        return true
      }
    }
    this.#count(TOTAL.LATE)
    return false
  }

  #countOutcome(kind: number, durationMs: number): void {
    this.#count(kind & FAILED_KIND ? TOTAL.FAILED : TOTAL.SUCCEEDED)
    if (kind & SLOW_KIND) this.#count(TOTAL.SLOW)
    if (durationMs >= 0) this.#durations.record(durationMs)
  }

  #count(total: number): void {
    countOne(this.#memory, counterOf(this.cell, this.#slot, total))
  }

  /** A timeout of this thread fired late because its own loop was blocked. */
  stalled(): void {
    countLocalStall(this.cell, this.#slot)
  }

  release(permit: number): void {
    const seen = load(this.#memory, this.#state)
    this.#count(this.#isReleased(seen, permit) ? TOTAL.IGNORED : TOTAL.LATE)
  }

  #isReleased(seen: number, permit: number): boolean {
    if (permit >= FIRST_TRIAL_PERMIT) return !this.#settle(seen, permit, FREE)
    const state = stateOf(seen)
    const permits = state === CLOSED || state === METRICS_ONLY || state === DISABLED
    return permits && permit === generationOf(seen)
  }

  /** True when the permit was late. Carries out what the trials have decided, if they have. */
  #settle(seen: number, permit: number, outcome: TrialOutcome): boolean {
    if (stateOf(seen) !== HALF_OPEN) return true
    const { late, verdict } = settleTrial(this.cell, seen, permit, outcome)
    if (verdict !== undefined) this.#carryOut(seen, verdict)
    return late
  }
}
