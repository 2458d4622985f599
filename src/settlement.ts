/** Settles the permit of one call, once, by what came of it (spec section 4, `execute`). */
import {
  BusbarError,
  CallTimeoutError,
  type CircuitOpenError,
  InvalidOptionError,
} from './errors.ts'
import type { ResolvedLocal } from './options/breaker.ts'
import type { Core } from './protocol/breaker.ts'

/** The breaker that is executed through. */
export interface Guard {
  readonly name: string
  readonly core: Core
  readonly local: ResolvedLocal
  refusal(): CircuitOpenError
}

export class Settlement {
  done = false
  readonly #guard: Guard
  readonly #permit: number
  readonly #startedAt: number

  constructor(guard: Guard, permit: number) {
    this.#guard = guard
    this.#permit = permit
    this.#startedAt = guard.core.measures ? guard.core.cell.clock.now() : 0
  }

  /** The call gave a result. Returns it, or throws what the predicate threw. */
  byValue<T>(value: T): T {
    this.done = true
    const { core, local } = this.#guard
    let failed = false
    try {
      failed = local.isFailure !== undefined && saysFailure(local.isFailure(value))
    } catch (error) {
      this.#fail(error)
      throw error
    }
    if (failed) core.recordFailure(this.#permit, this.#durationMs())
    else core.recordSuccess(this.#permit, this.#durationMs())
    return value
  }

  /** The call threw. Returns what the caller is to be given. */
  byError(error: unknown): unknown {
    this.done = true
    // A refusal says nothing about the dependency, whoever classifies.
    if (isRefusal(error)) {
      this.#guard.core.release(this.#permit)
      return error
    }
    try {
      const verdict = this.#guard.local.classifyError?.(error) ?? 'failure'
      if (verdict === 'failure') this.#fail(error)
      else if (verdict === 'ignored') this.#guard.core.release(this.#permit)
      else throw new InvalidOptionError('classifyError(error)', verdict, "'failure' or 'ignored'")
      return error
    } catch (predicateError) {
      this.#fail(predicateError)
      return predicateError
    }
  }

  byTimeout(timeoutMs: number): CallTimeoutError {
    this.done = true
    const error = new CallTimeoutError(this.#guard.name, timeoutMs)
    this.#fail(error)
    return error
  }

  byAbort(): void {
    this.done = true
    this.#guard.core.release(this.#permit)
  }

  #fail(error: unknown): void {
    const { core } = this.#guard
    if (core.recordFailure(this.#permit, this.#durationMs())) core.lastError = error
  }

  #durationMs(): number {
    const { core } = this.#guard
    return core.measures ? core.cell.clock.now() - this.#startedAt : 0
  }
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
