/** Settles the permit of one call, once, by what came of it (spec section 4, `execute`). */
import { BusbarError, CallTimeoutError, InvalidOptionError } from './errors.ts'
import type { ResolvedLocal } from './options/breaker.ts'
import type { Core } from './protocol/breaker.ts'
import type { Refusals } from './refusals.ts'

/** What a call through a breaker asks of its core. */
export type GuardedCore = Pick<
  Core,
  'cell' | 'lastError' | 'measures' | 'recordFailure' | 'recordSuccess' | 'release' | 'tryAcquire'
>

/** The breaker that is executed through. */
export interface Guard {
  readonly name: string
  readonly core: GuardedCore
  readonly local: ResolvedLocal
  readonly refusals: Refusals
  /** Whether calls are to be traced: the channel, or for a call that is traced already, nobody. */
  readonly tracing: { readonly hasSubscribers: boolean }
}

/** When a call begins; 0 where nobody asks how long it took. */
export function startOf(guard: Guard): number {
  return measures(guard) ? guard.core.cell.clock.now() : 0
}

function measures({ core, local }: Guard): boolean {
  return core.measures || local.measureDurations === true
}

/** Undefined where nobody asks, which is not the same as a call that took no time. */
function durationMs(guard: Guard, startedAt: number): number | undefined {
  return measures(guard) ? guard.core.cell.clock.now() - startedAt : undefined
}

/** The call gave a result. Returns it, or throws what the predicate threw. */
export function byValue<T>(guard: Guard, permit: number, startedAt: number, value: T): T {
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
export function byError(guard: Guard, permit: number, startedAt: number, error: unknown): unknown {
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

export function byTimeout(
  guard: Guard,
  permit: number,
  startedAt: number,
  timeoutMs: number,
): CallTimeoutError {
  const error = new CallTimeoutError(guard.name, timeoutMs)
  fail(guard, permit, startedAt, error)
  return error
}

function fail(guard: Guard, permit: number, startedAt: number, error: unknown): void {
  const { core } = guard
  if (core.recordFailure(permit, durationMs(guard, startedAt))) core.lastError = error
}

function saysFailure(answer: unknown): boolean {
  if (!isThenable(answer)) return Boolean(answer)
  throw new InvalidOptionError('isFailure(result)', answer, 'an answer at once, not a promise')
}

function isRefusal(error: unknown): boolean {
  try {
    return BusbarError.is(error) && error.code === 'ERR_CIRCUIT_OPEN'
  } catch {
    return false
  }
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
