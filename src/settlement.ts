/** Settles the permit of one call, once, by what came of it (spec section 4, `execute`). */
import { CallTimeoutError, type GuardKind, InvalidOptionError, isRefusal } from './errors.ts'
import type { ResolvedLocal } from './options/breaker.ts'
import type { Clock } from './time/clock.ts'

/** What a call asks of the core that it is made through: a breaker's, a throttle's and so on. */
export interface GuardedCore {
  readonly cell: { readonly clock: Clock }
  /** The last error that this thread counted as a failure. */
  lastError: unknown
  /** Whether durations matter. */
  readonly measures: boolean
  /** A permit, or REFUSED. */
  tryAcquire(): number
  /** Both records answer whether the outcome counted: false when it was late. */
  recordSuccess(permit: number, durationMs?: number): boolean
  recordFailure(permit: number, durationMs?: number): boolean
  release(permit: number): void
  /** A timeout fired late because this thread's own loop was blocked; for who counts that. */
  stalled?(): void
}

/** The refusals of what is executed through. */
export interface Refusing {
  /** The error of the last refusal. */
  error(): Error
  /** A promise rejected with it. Nobody need handle it: somebody has. */
  promise(): Promise<never>
}

/** What a call with a permit is made through. */
export interface Settling {
  readonly what: GuardKind
  readonly name: string
  readonly core: GuardedCore
  readonly local: ResolvedLocal
}

/** What is executed through. */
export interface Guard extends Settling {
  readonly refusals: Refusing
  /** Whether calls are to be traced: the channel, or for a call that is traced already, nobody. */
  readonly tracing: { readonly hasSubscribers: boolean }
}

/** The tracing of what is not traced, or is already. */
export const NOT_TRACED = Object.freeze({ hasSubscribers: false })

/** As the beginning of a call of which nobody can tell how long it took: its duration is NaN. */
export const UNKNOWN = Number.NaN

/**
 * When a call begins; unknown where nobody asks how long it took, for before it ends the breaker
 * may be given a slow threshold.
 */
export function startOf(guard: Settling): number {
  return measures(guard) ? guard.core.cell.clock.now() : UNKNOWN
}

function measures({ core, local }: Settling): boolean {
  return core.measures || local.measureDurations === true
}

/** Undefined where nobody asks, which is not the same as a call that took no time. */
export function durationMs(guard: Settling, startedAt: number): number | undefined {
  return measures(guard) ? guard.core.cell.clock.now() - startedAt : undefined
}

/** The call gave a result. Returns it, or throws what the predicate threw. */
export function byValue<T>(guard: Settling, permit: number, startedAt: number, value: T): T {
  const { core, local } = guard
  let failed = false
  try {
    failed = local.isFailure !== undefined && saysFailure(local.isFailure(value))
  } catch (error) {
    fail(guard, permit, startedAt, error)
    throw error
  }
  if (failed) core.recordFailure(permit, durationMs(guard, startedAt))
  else core.recordSuccess(permit, durationMs(guard, startedAt))
  return value
}

/** The call threw. Returns what the caller is to be given. */
export function byError(
  guard: Settling,
  permit: number,
  startedAt: number,
  error: unknown,
): unknown {
  // A refusal says nothing about the dependency, whoever classifies.
  if (isRefusal(error)) {
    guard.core.release(permit)
    return error
  }
  try {
    const verdict = guard.local.classifyError?.(error) ?? 'failure'
    if (verdict === 'failure') fail(guard, permit, startedAt, error)
    else if (verdict === 'ignored') guard.core.release(permit)
    else throw new InvalidOptionError('classifyError(error)', verdict, "'failure' or 'ignored'")
    return error
  } catch (predicateError) {
    fail(guard, permit, startedAt, predicateError)
    return predicateError
  }
}

/** Its time is over. `heard`: this thread has listened, so that silence says something. */
export function byTimeout(
  guard: Settling,
  permit: number,
  startedAt: number,
  timeoutMs: number,
  heard: boolean,
): CallTimeoutError {
  const error = new CallTimeoutError(guard.what, guard.name, timeoutMs)
  if (heard) fail(guard, permit, startedAt, error)
  else guard.core.release(permit)
  return error
}

function fail(guard: Settling, permit: number, startedAt: number, error: unknown): void {
  const { core } = guard
  if (core.recordFailure(permit, durationMs(guard, startedAt))) core.lastError = error
}

function saysFailure(answer: unknown): boolean {
  if (!isThenable(answer)) return Boolean(answer)
  throw new InvalidOptionError('isFailure(result)', answer, 'an answer at once, not a promise')
}

/** Whether `value` has a `then` to call. Reading one may throw: then it has none. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  try {
    const mayHave = typeof value === 'object' || typeof value === 'function'
    return mayHave && value !== null && 'then' in value && typeof value.then === 'function'
  } catch {
    return false
  }
}
