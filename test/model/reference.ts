/**
 * Section 2 of the specification, once more and as plainly as possible.
 *
 * One breaker, one thread, no shared memory: an array of all outcomes ever recorded and plain
 * fields. Nothing is counted ahead of time; every question is answered by looking at the array
 * again. Time (whole milliseconds of the registry's clock) is passed in. Nothing here is taken
 * from src/, so that a mistake there is not repeated here. The numbers in the comments are the
 * sections of the specification; "decision" marks what the specification leaves open.
 */

import { minimumNumberOfCalls, saysOpen, waitMs, windowAt } from './reference-rules.ts'
import { everyPlaceHoldsAnOutcome, outlived, type Place, trialsOf } from './reference-trials.ts'
import {
  type Counts,
  DEFAULTS,
  type Look,
  type Options,
  type Outcome,
  type OutcomeKind,
  type Permit,
  REFUSED,
  type Settings,
  type Snapshot,
  type State,
} from './reference-types.ts'

export class ReferenceBreaker {
  readonly name: string
  readonly options: Settings
  state: State = 'closed'
  generation = 0
  since: number
  /** Open: the end of the wait. Forced-open: the end of the ttl. */
  until = Number.POSITIVE_INFINITY
  /** Openings since the breaker was last closed. */
  openings = 0
  openedBy: Snapshot['openedBy']
  places: Place[] = []
  claims = 0
  /** Every outcome ever recorded in a window, oldest first. */
  outcomes: Outcome[] = []
  totals = { admitted: 0, succeeded: 0, failed: 0, slow: 0, ignored: 0, late: 0, refused: 0 }

  constructor(name: string, options: Options, now: number) {
    this.name = name
    this.options = { ...DEFAULTS, ...options }
    this.since = now
  }

  // ---- 2.1 States ------------------------------------------------------------------------------

  tryAcquire(now: number): Permit {
    // 2.6: who asks in half-open first notices the trials that outlived their lease.
    if (this.state === 'half-open') this.#noticeOutlived(now)
    // 2.1: `now >= openUntil` ends the wait. Forced-open acts alike when its ttl is over.
    const waits = this.state === 'open' || this.state === 'forced-open'
    if (waits && now >= this.until) this.#enter('half-open', now)
    const permit = this.#admit(now)
    if (permit === REFUSED) this.totals.refused += 1
    else this.totals.admitted += 1
    return permit
  }

  #admit(now: number): Permit {
    if (this.state === 'open' || this.state === 'forced-open') return REFUSED
    // Section 4: outside half-open all permits of one generation are the same.
    if (this.state !== 'half-open') return `${this.generation}`
    const free = this.places.indexOf(undefined)
    if (free === -1) return REFUSED
    this.claims += 1
    const permit = `${this.generation}/${this.claims}`
    // 2.6: every trial is a lease.
    const leaseEnd = now + this.options.trialTimeoutMs
    this.places[free] = { permit, leaseEnd, outcome: 'pending' }
    return permit
  }

  /** Every change of state, and every effective command, starts the next generation. */
  #enter(state: State, at: number): void {
    this.state = state
    this.generation += 1
    this.since = at
    this.until = Number.POSITIVE_INFINITY
    this.places = []
    if (state === 'half-open') {
      this.places = Array(this.options.permittedNumberOfCallsInHalfOpenState).fill(undefined)
    }
    if (state === 'closed') {
      this.openings = 0
      this.openedBy = undefined
    }
  }

  // ---- 2.2 Outcomes ----------------------------------------------------------------------------

  recordSuccess(permit: Permit, now: number, durationMs?: number): void {
    this.#settle(permit, 'success', this.#isSlow(durationMs), now)
  }

  recordFailure(permit: Permit, now: number, durationMs?: number): void {
    this.#settle(permit, 'failure', this.#isSlow(durationMs), now)
  }

  release(permit: Permit, now: number): void {
    this.#settle(permit, 'ignored', false, now)
  }

  /** 2.2: strictly greater. */
  #isSlow(durationMs: number | undefined): boolean {
    const threshold = this.options.slowCallDurationThresholdMs
    return threshold !== undefined && durationMs !== undefined && durationMs > threshold
  }

  #settle(permit: Permit, kind: OutcomeKind, slow: boolean, now: number): void {
    if (this.state === 'half-open') {
      this.#settleTrial(permit, kind, slow, now)
    } else if (permit !== `${this.generation}`) {
      this.totals.late += 1
    } else {
      this.#count(kind, slow)
      // 2.1: disabled records nothing in the window, metrics-only keeps it but never opens.
      if (kind === 'ignored' || this.state === 'disabled') return
      const failed = kind === 'failure'
      this.outcomes.push({ generation: this.generation, at: now, failed, slow })
      if (this.state === 'closed' && saysOpen(this.#window(now), this.options)) this.#open(now, now)
    }
  }

  #count(kind: OutcomeKind, slow: boolean): void {
    if (kind === 'success') this.totals.succeeded += 1
    if (kind === 'failure') this.totals.failed += 1
    if (kind === 'ignored') this.totals.ignored += 1
    if (slow) this.totals.slow += 1
  }

  // ---- 2.3 Windows -----------------------------------------------------------------------------

  #window(now: number): Counts {
    // 2.4: every generation begins with an empty window.
    const mine = this.outcomes.filter(outcome => outcome.generation === this.generation)
    return windowAt(mine, this.options.slidingWindow, now)
  }

  // ---- 2.4 Opening, 2.5 Waiting ----------------------------------------------------------------

  /** `at` is where the wait counts from; it lies before `now` when a lease ended in between. */
  #open(at: number, now: number): void {
    if (this.state !== 'half-open') {
      // Decision: the window of the opening that began the row is remembered until closed again.
      const { calls, failures, slowCalls } = this.#window(now)
      this.openedBy = { calls, failures, slowCalls }
    }
    this.#enter('open', at)
    this.until = at + waitMs(this.options.waitDurationInOpenStateMs, this.openings)
    this.openings += 1
  }

  // ---- 2.6 Half-open ---------------------------------------------------------------------------

  #settleTrial(permit: Permit, kind: OutcomeKind, slow: boolean, now: number): void {
    const place = this.places.findIndex(held => held?.permit === permit)
    const trial = this.places[place]
    // Section 4: a trial's permit counts once, and only while it holds its place.
    if (trial?.outcome !== 'pending') {
      this.totals.late += 1
      return
    }
    if (now >= trial.leaseEnd) {
      this.#noticeOutlived(now)
      this.totals.late += 1
      return
    }
    this.#count(kind, slow)
    if (kind === 'ignored') {
      this.places[place] = undefined
      return
    }
    trial.outcome = kind === 'failure' || slow ? 'failed' : 'succeeded'
    const settled = this.places.every(held => held && held.outcome !== 'pending')
    if (this.options.halfOpenFailureRateThreshold !== undefined) {
      if (settled) this.#decideByRate(now, now)
    } else if (trial.outcome === 'failed') this.#open(now, now)
    else if (settled) this.#enter('closed', now)
  }

  /** 2.6: the trial has failed, and the wait counts from the lease's end, whoever notices first. */
  #noticeOutlived(now: number): void {
    const ends = outlived(this.places, now).map(trial => trial.leaseEnd)
    if (ends.length === 0) return
    if (this.options.halfOpenFailureRateThreshold === undefined) {
      this.#open(Math.min(...ends), now)
    } else if (everyPlaceHoldsAnOutcome(this.places, now)) {
      this.#decideByRate(Math.max(...ends), now)
    }
  }

  #decideByRate(at: number, now: number): void {
    const { failed, permitted } = trialsOf(this.places, now)
    const threshold = this.options.halfOpenFailureRateThreshold ?? 0
    if (failed / permitted >= threshold) this.#open(at, now)
    else this.#enter('closed', at)
  }

  // ---- 2.7 By hand -----------------------------------------------------------------------------

  open(now: number): void {
    const effective = ['closed', 'half-open', 'metrics-only'].includes(this.state)
    if (effective) this.#open(now, now)
  }

  forceOpen(now: number, ttlMs = Number.POSITIVE_INFINITY): void {
    this.#enter('forced-open', now)
    this.until = now + ttlMs
  }

  disable(now: number): void {
    this.#enter('disabled', now)
  }

  metricsOnly(now: number): void {
    this.#enter('metrics-only', now)
  }

  reset(now: number): void {
    this.#enter('closed', now)
  }

  // ---- Section 4: looking moves nothing --------------------------------------------------------

  /** Asks a copy: the answer is by definition what `tryAcquire` would do, and nothing moves. */
  #ask(now: number): { admitted: boolean; after: ReferenceBreaker } {
    const after = new ReferenceBreaker(this.name, this.options, now)
    const places = this.places.map(held => held && { ...held })
    Object.assign(after, this, { places, outcomes: [...this.outcomes], totals: { ...this.totals } })
    return { admitted: after.tryAcquire(now) !== REFUSED, after }
  }

  canExecute(now: number): boolean {
    return this.#ask(now).admitted
  }

  retryAfterMs(now: number): number {
    const { admitted, after } = this.#ask(now)
    if (admitted) return 0
    if (after.state !== 'half-open') return after.until - now
    const pending = after.places.filter(held => held?.outcome === 'pending')
    const liveEnds = pending.map(held => held?.leaseEnd ?? 0).filter(end => end > now)
    return Math.min(...liveEnds) - now
  }

  look(now: number): Look {
    return {
      state: this.state,
      canExecute: this.canExecute(now),
      retryAfterMs: this.retryAfterMs(now),
      snapshot: this.snapshot(now),
    }
  }

  snapshot(now: number): Snapshot {
    const window = this.#window(now)
    const judged = window.calls >= minimumNumberOfCalls(this.options)
    const rates = judged && this.options.slidingWindow.type !== 'consecutive'
    const { admitted, succeeded, failed, ignored, late } = this.totals
    const inFlight = Math.max(0, admitted - succeeded - failed - ignored - late)
    const shown = this.state === 'open' || this.state === 'half-open'
    return {
      name: this.name,
      state: this.state,
      generation: this.generation,
      since: this.since,
      retryAfterMs: this.retryAfterMs(now),
      transitions: this.generation,
      window: {
        ...window,
        failureRate: rates ? window.failures / window.calls : null,
        slowCallRate: rates ? window.slowCalls / window.calls : null,
      },
      totals: { ...this.totals, abandoned: 0, inFlight },
      ...(this.state === 'half-open' && { trials: trialsOf(this.places, now) }),
      ...(shown && this.openedBy && { openedBy: this.openedBy }),
    }
  }
}
