/** The calls of one circuit: through its breaker and its bulkhead, and what became of them. */
import type { CircuitBreaker } from '../breaker.ts'
import { InvalidOptionError } from '../errors.ts'
import { runAsync } from '../execute.ts'
import { REFUSED } from '../memory/words/trials.ts'
import type { Bulkhead } from '../overload/bulkhead.ts'
import { type Guard, type GuardedCore, isThenable } from '../settlement.ts'
import { isOurRefusal, lockedError, openError, timeoutError } from './errors.ts'
import type { Settings } from './options.ts'

/** How a call ended. Latencies in ms. */
export type Ending<T> =
  | { readonly kind: 'success'; readonly value: T; readonly latencyMs: number }
  | {
      readonly kind: 'filtered' | 'failure' | 'timeout'
      readonly error: Error
      readonly latencyMs: number
    }
  | { readonly kind: 'reject' | 'locked'; readonly error: Error }

/** In place of the result of a call that failed without fault of its dependency. */
class Filtered {
  readonly error: unknown

  constructor(error: unknown) {
    this.error = error
  }
}

export class GuardedCalls {
  readonly #breaker: CircuitBreaker
  readonly #bulkhead: Bulkhead | undefined
  readonly #settings: Settings
  readonly #guard: Guard
  readonly #lenient: Guard
  readonly #warmUntil: number

  constructor(breaker: CircuitBreaker, bulkhead: Bulkhead | undefined, settings: Settings) {
    const { registry, timeoutMs, keepsLatencies, warmsUp, windowMs } = settings
    this.#breaker = breaker
    this.#bulkhead = bulkhead
    this.#settings = settings
    const local = {
      isFailure: undefined,
      // A circuit further in that refused says nothing about the dependency.
      classifyError: (error: unknown) => (isOurRefusal(error) ? 'ignored' : 'failure'),
      timeoutMs,
      measureDurations: keepsLatencies,
    } as const
    this.#guard = { ...breaker.guard, local }
    this.#lenient = { ...this.#guard, core: lenientCore(this.#guard.core) }
    this.#warmUntil = warmsUp ? registry.now() + windowMs : Number.NEGATIVE_INFINITY
  }

  get isWarmingUp(): boolean {
    return this.#settings.registry.now() < this.#warmUntil
  }

  /**
   * Makes the call if it is let through. Gives what `conclude` gives, which is called once, and a
   * microtask after the breaker has heard of the call.
   */
  run<T, R>(
    act: () => T | PromiseLike<T>,
    conclude: (ending: Ending<T>) => R | PromiseLike<R>,
  ): Promise<R> {
    const place = this.#bulkhead?.tryAcquire()
    if (place === REFUSED) return this.#refused().then(conclude)
    const free = (): void => {
      if (place !== undefined) this.#bulkhead?.release(place)
    }
    const { registry, timeoutMs } = this.#settings
    const startedAt = registry.now()
    const note = { refused: false }
    const call = { isOver: false }
    const guard = this.isWarmingUp ? this.#lenient : this.#guard
    const made = runAsync(guard, () => this.#act(act, call), undefined, note)
    if (note.refused) {
      free()
      const refused = made as Promise<never>
      return refused.catch(cause => conclude({ kind: 'reject', error: openError(cause) }))
    }
    return made.then(
      value => {
        free()
        const latencyMs = registry.now() - startedAt
        return value instanceof Filtered
          ? conclude({ kind: 'filtered', error: value.error as Error, latencyMs })
          : conclude({ kind: 'success', value, latencyMs })
      },
      (cause: Error) => {
        free()
        const latencyMs = registry.now() - startedAt
        if (call.isOver) return conclude({ kind: 'failure', error: cause, latencyMs })
        const error = timeoutError(timeoutMs ?? latencyMs, cause)
        return conclude({ kind: 'timeout', error, latencyMs })
      },
    )
  }

  /** There is no place. As in opossum a breaker that is open is named first. */
  async #refused(): Promise<Ending<never>> {
    return this.#breaker.canExecute()
      ? { kind: 'locked', error: lockedError() }
      : { kind: 'reject', error: openError() }
  }

  async #act<T>(act: () => T | PromiseLike<T>, call: { isOver: boolean }): Promise<T | Filtered> {
    try {
      return await act()
    } catch (error) {
      if (this.#isFiltered(error)) return new Filtered(error)
      throw error
    } finally {
      call.isOver = true
    }
  }

  #isFiltered(error: unknown): boolean {
    const answer = this.#settings.errorFilter?.(error)
    if (!isThenable(answer)) return Boolean(answer)
    const limit = 'an answer at once, not a promise'
    throw new InvalidOptionError('errorFilter(error)', answer, limit)
  }
}

/** Counts no failure: for calls of a thread that is warming up. */
function lenientCore(core: GuardedCore): GuardedCore {
  return {
    cell: core.cell,
    lastError: undefined,
    measures: core.measures,
    tryAcquire: () => core.tryAcquire(),
    recordSuccess: (permit, durationMs) => core.recordSuccess(permit, durationMs),
    recordFailure: permit => {
      core.release(permit)
      return false
    },
    release: permit => core.release(permit),
  }
}
