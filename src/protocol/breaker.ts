/**
 * One breaker as one thread sees it: the calls of spec section 4's core, put together from state,
 * trials and window. Numbers in, numbers out.
 */
import { load } from '#atomics'
import { OPTION, TOTAL, WINDOW_COUNT, WINDOW_TIME } from '../memory/layout.ts'
import {
  CLOSED,
  DISABLED,
  FORCED_OPEN,
  generationOf,
  HALF_OPEN,
  METRICS_ONLY,
  OPEN,
  STATE_BITS,
  STATE_NAMES,
  stateOf,
} from '../memory/words/state.ts'
import { FAILED, FIRST_TRIAL_PERMIT, FREE, REFUSED, SUCCEEDED } from '../memory/words/trials.ts'
import { type Cell, reportDamage } from './cell.ts'
import { at, readTime, transition } from './state.ts'
import type { Thresholds } from './threshold.ts'
import { ThreadTotals } from './totals.ts'
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
import { ConsecutiveWindow } from './window-consecutive.ts'
import { CountWindow } from './window-count.ts'
import { TimeWindow } from './window-time.ts'

/** How often an asker looks again because a transition got in its way; then it refuses. */
const ATTEMPTS = 16

export class Core {
  readonly cell: Cell
  readonly thresholds: Thresholds
  readonly window: Window
  /** Whether durations matter: a slow threshold is set. */
  readonly measures: boolean
  /** The last error that this thread counted as a failure. */
  lastError: unknown
  readonly #totals: ThreadTotals
  readonly #slowMs: number
  #slot: number
  /** The STATE word of the last open state met here, and when its wait is over. */
  #openWord = -1
  #openUntil = 0

  constructor(cell: Cell, slot: number) {
    this.cell = cell
    this.thresholds = thresholdsOf(cell)
    this.window = makeWindow(cell, this.thresholds, slot)
    this.#totals = new ThreadTotals(cell, slot)
    this.#slowMs = cell.numbers[OPTION.SLOW_DURATION_MS] as number
    this.measures = this.#slowMs < Number.POSITIVE_INFINITY
    this.#slot = slot
  }

  /** For a thread that has given its slot back and still holds this object. */
  moveToOverflow(): void {
    this.#slot = 0
    this.window.moveToOverflow()
    this.#totals.moveToOverflow(this.cell)
  }

  tryAcquire(): number {
    // ATOMIC breaker.ask
    //   observes:  the current generation and state (pairs with state.publish).
    //   dies here: a permit given while closed is in flight until the thread's death is known.
    const seen = load(this.cell.memory, this.cell.state)
    if (seen === this.#openWord) {
      this.cell.clock.refresh()
      if (this.cell.clock.current < this.#openUntil) {
        this.#totals.count(TOTAL.REFUSED)
        return REFUSED
      }
    }
    const permit = stateOf(seen) === CLOSED ? generationOf(seen) : this.#ask(seen)
    this.#totals.count(permit === REFUSED ? TOTAL.REFUSED : TOTAL.ADMITTED)
    return permit
  }

  #ask(first: number): number {
    let seen = first
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const permit = this.#askOnce(seen)
      if (permit !== MOVED) return permit
      seen = load(this.cell.memory, this.cell.state)
    }
    return REFUSED
  }

  #askOnce(seen: number): number {
    const state = stateOf(seen)
    if (!(seen >= 0 && state in STATE_NAMES)) {
      reportDamage(this.cell.memory, `state word ${seen} of a breaker`)
      return generationOf(seen)
    }
    if (state === OPEN || state === FORCED_OPEN) return this.#askOpen(seen)
    if (state === HALF_OPEN) return this.#askHalfOpen(seen)
    return generationOf(seen)
  }

  #askOpen(seen: number): number {
    const until = readTime(this.cell, generationOf(seen))
    const now = this.cell.clock.now()
    const isLegal =
      until !== undefined &&
      (stateOf(seen) === FORCED_OPEN || until - now <= longestWaitMsOf(this.cell.numbers))
    if (isLegal && now < until) {
      this.#openWord = seen
      this.#openUntil = until
      return REFUSED
    }
    if (!isLegal) {
      if (load(this.cell.memory, this.cell.state) !== seen) return MOVED
      reportDamage(this.cell.memory, 'the end of a wait')
    }
    transition(this.cell, seen, HALF_OPEN, at(now))
    return MOVED
  }

  #askHalfOpen(seen: number): number {
    const now = this.cell.clock.now()
    const view = viewTrials(this.cell, generationOf(seen), now)
    const verdict = verdictForAsker(this.cell, view, now)
    if (verdict === undefined) return claimTrial(this.cell, seen, this.#slot)
    this.#carryOut(seen, verdict)
    return MOVED
  }

  #carryOut(seen: number, verdict: Verdict): void {
    transition(this.cell, seen, verdict.target, at(verdict.sinceMs))
  }

  /** Both records answer whether the outcome counted: false when it was late. */
  recordSuccess(permit: number, durationMs = 0): boolean {
    return this.#record(permit, durationMs, GOOD)
  }

  recordFailure(permit: number, durationMs = 0): boolean {
    return this.#record(permit, durationMs, FAILED_KIND)
  }

  #record(permit: number, durationMs: number, failed: number): boolean {
    // ATOMIC breaker.record
    //   observes:  whether the permit's generation is current. A transition right after this look
    //              makes the outcome one of a generation that nobody reads any more.
    //   dies here: the permit stays in flight until the thread's death is known.
    const seen = load(this.cell.memory, this.cell.state)
    const kind = durationMs > this.#slowMs ? failed | SLOW_KIND : failed
    if (permit === seen >>> STATE_BITS) {
      const state = stateOf(seen)
      if (state === CLOSED || state === METRICS_ONLY) {
        this.#countOutcome(kind)
        this.window.record(seen, kind)
        return true
      }
      if (state === DISABLED) {
        this.#countOutcome(kind)
        return true
      }
    } else if (permit >= FIRST_TRIAL_PERMIT) {
      const late = this.#settle(seen, permit, kind === GOOD ? SUCCEEDED : FAILED)
      if (!late) {
        this.#countOutcome(kind)
        return true
      }
    }
    this.#totals.count(TOTAL.LATE)
    return false
  }

  #countOutcome(kind: number): void {
    this.#totals.count(kind & FAILED_KIND ? TOTAL.FAILED : TOTAL.SUCCEEDED)
    if (kind & SLOW_KIND) this.#totals.count(TOTAL.SLOW)
  }

  release(permit: number): void {
    const seen = load(this.cell.memory, this.cell.state)
    this.#totals.count(this.#isReleased(seen, permit) ? TOTAL.IGNORED : TOTAL.LATE)
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

function thresholdsOf(cell: Cell): Thresholds {
  const at = (option: number): number => cell.numbers[option] as number
  const capacity =
    at(OPTION.WINDOW) === WINDOW_COUNT ? at(OPTION.WINDOW_LENGTH) : Number.POSITIVE_INFINITY
  const slowIsOff = at(OPTION.SLOW_DURATION_MS) === Number.POSITIVE_INFINITY
  return Object.freeze({
    minimumNumberOfCalls: Math.min(at(OPTION.MINIMUM_CALLS), capacity),
    failureRateThreshold: at(OPTION.FAILURE_RATE),
    slowCallRateThreshold: slowIsOff ? Number.POSITIVE_INFINITY : at(OPTION.SLOW_RATE),
    capacity,
  })
}

function makeWindow(cell: Cell, thresholds: Thresholds, slot: number): Window {
  const window = cell.numbers[OPTION.WINDOW]
  if (window === WINDOW_TIME) return new TimeWindow(cell, thresholds, slot)
  return window === WINDOW_COUNT ? new CountWindow(cell, thresholds) : new ConsecutiveWindow(cell)
}
