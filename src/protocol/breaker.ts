/**
 * One breaker as one thread sees it: the calls of spec section 4's core, put together from state,
 * trials and window. Numbers in, numbers out.
 */
import { load } from '#atomics'
import { OPTION, TOTAL } from '../memory/layout.ts'
import {
  CLOSED,
  DISABLED,
  generationOf,
  HALF_OPEN,
  METRICS_ONLY,
  REMOVED,
  stateOf,
} from '../memory/words/state.ts'
import { FAILED, FIRST_TRIAL_PERMIT, FREE, SUCCEEDED } from '../memory/words/trials.ts'
import { Asker, ATTEMPTS } from './asker.ts'
import type { Cell } from './cell.ts'
import { Durations } from './durations.ts'
import type { Home } from './follower.ts'
import type { Thresholds } from './threshold.ts'
import { counterOf, countLocalStall, countOne } from './totals.ts'
import { settleTrial, type TrialOutcome, verdictForAsker, viewTrials } from './trials.ts'
import { FAILED_KIND, GOOD, SLOW_KIND, type Window } from './window.ts'
import { makeWindow, thresholdsOf } from './window-of.ts'

/** As a STATE word: the breaker is gone, and its outcomes are late. */
const GONE = -1

/** The duration of an outcome that came without one. */
export const NOT_MEASURED = -1

export class Core extends Asker {
  thresholds!: Thresholds
  window!: Window
  /** Whether durations matter: a slow threshold is set. */
  measures = false
  /** The last error that this thread counted as a failure. */
  lastError: unknown
  #durations!: Durations
  #slowMs = Number.POSITIVE_INFINITY
  #succeeded = 0

  constructor(cell: Cell, slot: number, home?: Home) {
    super(cell, slot, home)
    this.#begin()
  }

  protected override settle(): void {
    super.settle()
    this.#begin()
  }

  #begin(): void {
    const { cell, slot } = this
    this.thresholds = thresholdsOf(cell)
    this.window = makeWindow(cell, this.thresholds, slot)
    this.#durations = new Durations(cell, slot)
    this.#slowMs = cell.numbers[OPTION.SLOW_DURATION_MS] as number
    this.measures = this.#slowMs < Number.POSITIVE_INFINITY
    this.#succeeded = counterOf(cell, slot, TOTAL.SUCCEEDED)
  }

  override moveToOverflow(): void {
    super.moveToOverflow()
    this.#succeeded = counterOf(this.cell, this.slot, TOTAL.SUCCEEDED)
    this.window.moveToOverflow()
    this.#durations.moveToOverflow()
  }

  /** For the keeper: what is due although nobody asks. */
  tend(): void {
    const seen = load(this.memory, this.state)
    // Another breaker's, or by other options: when they are known.
    if (!this.knows(seen)) return
    const now = this.clock.now()
    if (stateOf(seen) === HALF_OPEN) {
      const view = viewTrials(this.cell, generationOf(seen), now)
      const verdict = verdictForAsker(this.cell, view, now)
      if (verdict !== undefined) this.carryOut(seen, verdict)
    }
    this.window.tend(generationOf(seen), now)
  }

  /** Both records answer whether the outcome counted: false when it was late. */
  recordSuccess(permit: number, durationMs = NOT_MEASURED): boolean {
    // ATOMIC breaker.record
    //   observes:  whether the permit's generation is current. A transition right after this look
    //              makes the outcome one of a generation that nobody reads any more.
    //   dies here: the permit stays in flight until the thread's death is known.
    const seen = load(this.memory, this.state)
    const isPlain = seen === this.closed && permit === generationOf(seen)
    if (!isPlain || durationMs > this.#slowMs) return this.#record(permit, durationMs, GOOD)
    countOne(this.memory, this.#succeeded)
    if (durationMs >= 0) this.#durations.record(durationMs)
    this.window.record(seen, GOOD)
    return true
  }

  recordFailure(permit: number, durationMs = NOT_MEASURED): boolean {
    return this.#record(permit, durationMs, FAILED_KIND)
  }

  /** The STATE word by which a call is settled; GONE where the breaker is. */
  #seen(): number {
    let seen = GONE
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      seen = load(this.memory, this.state)
      if (seen === this.met) return seen
      if (this.knows(seen)) {
        this.meet(seen)
        return seen
      }
      if (!this.lookAgain()) return GONE
    }
    // Options come faster than they can be read. After this word was read the breaker was there, so
    // it is this breaker's; and who settles meanwhile may do so by any of these options.
    return stateOf(seen) === REMOVED ? GONE : seen
  }

  #record(permit: number, durationMs: number, failed: number): boolean {
    const seen = this.#seen()
    if (seen === GONE) return this.#isGone()
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

  /** A late outcome, of a call that no record counts, unless it could not be told in time. */
  #isGone(): false {
    if (this.isAway) this.carry(-1)
    else this.#count(TOTAL.LATE)
    return false
  }

  #countOutcome(kind: number, durationMs: number): void {
    this.#count(kind & FAILED_KIND ? TOTAL.FAILED : TOTAL.SUCCEEDED)
    if (kind & SLOW_KIND) this.#count(TOTAL.SLOW)
    if (durationMs >= 0) this.#durations.record(durationMs)
  }

  #count(total: number): void {
    const isOutcome = total !== TOTAL.SLOW
    if (isOutcome && this.sharedInFlight > 0) this.sharedInFlight--
    countOne(this.memory, counterOf(this.cell, this.slot, total))
  }

  /** A timeout of this thread fired late because its own loop was blocked. */
  stalled(): void {
    countLocalStall(this.cell, this.slot)
  }

  release(permit: number): void {
    const seen = this.#seen()
    if (seen === GONE) this.#isGone()
    else this.#count(this.#isReleased(seen, permit) ? TOTAL.IGNORED : TOTAL.LATE)
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
    if (verdict !== undefined) this.carryOut(seen, verdict)
    return late
  }
}
