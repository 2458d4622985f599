/** One call that an adapter guards: a permit, settled once, whenever its verdict comes. */
import type { CircuitBreaker } from '../breaker.ts'
import { REFUSED } from '../memory/words/trials.ts'
import { byError, durationMs, type Guard, startOf } from '../settlement.ts'
import { CallTrace } from '../tracing.ts'

export class Attempt {
  readonly #guard: Guard
  readonly #trace: CallTrace | undefined
  readonly #permit: number
  readonly #startedAt: number
  #isSettled = false

  /** Takes a permit. @throws CircuitOpenError when refused */
  constructor({ guard }: CircuitBreaker) {
    this.#trace = guard.tracing.hasSubscribers ? new CallTrace(guard) : undefined
    this.#guard = this.#trace?.guard ?? guard
    this.#permit = this.#guard.core.tryAcquire()
    this.#trace?.begun()
    if (this.#permit === REFUSED) {
      const refusal = guard.refusals.error()
      this.#trace?.ended(refusal)
      throw refusal
    }
    this.#startedAt = startOf(guard)
  }

  /** By what was thrown, as `execute` does: its `classifyError` decides. What to pass on. */
  settleByError(error: unknown): unknown {
    if (!this.#once()) return error
    const told = byError(this.#guard, this.#permit, this.#startedAt, error)
    this.#trace?.ended(told)
    return told
  }

  succeed(): void {
    if (!this.#once()) return
    this.#guard.core.recordSuccess(this.#permit, this.#durationMs())
    this.#trace?.ended()
  }

  /** `error`: what refusals from now on say as their `lastError`. */
  fail(error?: unknown): void {
    if (!this.#once()) return
    const { core } = this.#guard
    const counted = core.recordFailure(this.#permit, this.#durationMs())
    if (counted && error !== undefined) core.lastError = error
    this.#trace?.ended(error)
  }

  /** It says nothing about the dependency, whatever it ended with. */
  ignore(error?: unknown): void {
    if (!this.#once()) return
    this.#guard.core.release(this.#permit)
    this.#trace?.ended(error)
  }

  #durationMs(): number | undefined {
    return durationMs(this.#guard, this.#startedAt)
  }

  #once(): boolean {
    if (this.#isSettled) return false
    this.#isSettled = true
    return true
  }
}
