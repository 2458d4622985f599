/** Throttle: refuses calls in proportion to how many of them the backend does not take. */
import { randomInt } from 'node:crypto'
import { type Call, runAsync } from '../execute.ts'
import { type ExecuteResult, tried, wrapped } from '../execute-faces.ts'
import { THROTTLE } from '../memory/controls.ts'
import type { ResolvedLocal } from '../options/breaker.ts'
import { describeControl } from '../options/controls.ts'
import type { ExecuteOptions } from '../options/execute.ts'
import { ThrottleCore } from '../protocol/throttle.ts'
import { inFlightIn, sumCounters } from '../protocol/totals.ts'
import { type Guard, NOT_TRACED, type Refusing } from '../settlement.ts'
import type { ControlKind } from './controls.ts'
import { ThrottleRefusals } from './throttle-refusals.ts'
import type { ThrottleOptions } from './types.ts'

/** The shared options of a throttle, complete. */
export type ResolvedThrottleOptions = {
  readonly [Key in Exclude<keyof ThrottleOptions, 'isFailure' | 'classifyError'>]-?: number
}

/** A throttle at one moment, over all threads. */
export interface ThrottleSnapshot {
  readonly name: string
  /** Computed anew, as `throttle.rejectionProbability`. */
  readonly rejectionProbability: number
  /** Calls of the window whose outcome is known, those refused here included. */
  readonly window: { readonly requests: number; readonly accepts: number; readonly refused: number }
  /** Since it was made. `abandoned`: their threads ended before them. */
  readonly totals: {
    readonly admitted: number
    readonly accepted: number
    readonly rejected: number
    readonly ignored: number
    readonly refused: number
    readonly abandoned: number
    readonly inFlight: number
  }
}

/**
 * One named throttle as this thread holds it. What it counts is counted over all threads. Get one
 * from `registry.throttle(name, options)`.
 *
 * It refuses with probability `max(0, (requests - k * accepts) / (requests + 1))` over the window:
 * requests that the backend accepted, that it rejected and that were refused here, without those
 * still in flight. Once in 100 ms, while calls end or are refused, the probability is computed and
 * published for all threads. Source: "Site Reliability Engineering" (2016), chapter 21, "Handling
 * Overload".
 */
export class Throttle {
  readonly name: string
  readonly #core: ThrottleCore
  readonly #guard: Guard

  /** @internal */
  constructor(core: ThrottleCore, local: ResolvedLocal, refusals: Refusing) {
    this.name = core.cell.name
    this.#core = core
    this.#guard = guardOf(core, local, refusals)
  }

  /** What pipelines execute through. @internal */
  get guard(): Guard {
    return this.#guard
  }

  /** The shared options that it was made with, defaults filled in. A copy. */
  get options(): ResolvedThrottleOptions {
    return describeControl(this.#core.cell.numbers) as ResolvedThrottleOptions
  }

  /**
   * The probability by the counts of this moment, in [0, 1]. Calls are refused by the published
   * one, which is up to 100 ms older. Cost: a sum over the threads, microseconds.
   */
  get rejectionProbability(): number {
    return this.#core.look().rejectionProbability
  }

  /**
   * Asks for leave to make one call: a permit, which is 0, or `REFUSED` (-1). Settle every permit
   * exactly once, in this thread, with `recordAccepted`, `recordRejected` or `release`. Never
   * waits, never throws, allocates nothing; but without a keeper V8 may box the time that it reads
   * (16 bytes, in some processes).
   */
  tryAcquire(): number {
    return this.#core.tryAcquire()
  }

  /** The backend took the call. What is no permit, such as `REFUSED`, counts nothing. */
  recordAccepted(permit: number): void {
    this.#core.recordSuccess(permit)
  }

  /** The backend did not take the call: it answered that it is overloaded, or not at all. */
  recordRejected(permit: number): void {
    this.#core.recordFailure(permit)
  }

  /** The call says nothing about the backend (outcome 'ignored'): gives the permit back. */
  release(permit: number): void {
    this.#core.release(permit)
  }

  /**
   * Calls `fn` unless the throttle refuses, and settles the permit by what comes of it: a failure,
   * by `isFailure` and `classifyError`, counts as rejected. Rejects with ThrottledError when
   * refused, CallTimeoutError when `timeoutMs` is over, else as `fn` does.
   */
  execute<T>(fn: (call: Call) => T | PromiseLike<T>, options?: ExecuteOptions<T>): Promise<T> {
    return runAsync(this.#guard, fn, options)
  }

  /** As `execute`, but never rejects: says what happened. */
  tryExecute<T>(
    fn: (call: Call) => T | PromiseLike<T>,
    options?: ExecuteOptions<T>,
  ): Promise<ExecuteResult<T>> {
    return tried(note => runAsync(this.#guard, fn, options, note))
  }

  /** `fn` guarded by this throttle: `this` and arguments are passed on. */
  wrap<A extends unknown[], T>(fn: (...args: A) => PromiseLike<T> | T): (...args: A) => Promise<T> {
    return wrapped(this, fn)
  }

  /** All that there is to know about the throttle, from all threads. Cost: microseconds. */
  snapshot(): ThrottleSnapshot {
    const { rejectionProbability, ...window } = this.#core.look()
    const counters = sumCounters(this.#core.cell)
    const { admitted, succeeded, failed, ignored, refused, abandoned } = counters
    return {
      name: this.name,
      rejectionProbability,
      window,
      totals: {
        admitted,
        accepted: succeeded,
        rejected: failed,
        ignored,
        refused,
        abandoned,
        inFlight: inFlightIn(counters),
      },
    }
  }

  /** The same throttle with other functions of this thread. @internal */
  withLocal(local: ResolvedLocal): Throttle {
    return new Throttle(this.#core, local, this.#guard.refusals)
  }

  /** @internal */
  moveToOverflow(): void {
    this.#core.moveToOverflow()
  }
}

/** A registry's default `timeoutMs` and `measureDurations` are for breakers. */
function guardOf(core: ThrottleCore, given: ResolvedLocal, refusals: Refusing): Guard {
  const local = { ...given, timeoutMs: undefined, measureDurations: undefined }
  return { what: 'throttle', name: core.cell.name, core, local, refusals, tracing: NOT_TRACED }
}

/** Of the seeds of decisions: whole numbers in 32 bits but 0. */
const SEEDS = 2 ** 32

/** @internal */
export const THROTTLES: ControlKind<Throttle> = {
  kind: THROTTLE,
  what: 'throttle',
  localKeys: ['isFailure', 'classifyError'],
  make: (control, { slot, local }) => {
    const core = new ThrottleCore(control, slot, randomInt(1, SEEDS))
    return new Throttle(core, local, new ThrottleRefusals(core))
  },
  withLocal: (face, local) => face.withLocal(local),
}
