/**
 * The refusals of one breaker in one thread. An error costs microseconds to make, and a promise
 * that is rejected before anybody listens costs Node another: it has to remember it, and to forget
 * it again. So there is one error and one rejected promise for each state that refuses, made at its
 * first refusal and given to all who are refused until the state changes.
 *
 * Many callers hold the same error, so it is read-only, and says how long to wait when it is read.
 */
import { publishRefusal } from './channels.ts'
import { CircuitOpenError } from './errors.ts'
import { generationOf } from './memory/words/state.ts'
import type { Core } from './protocol/breaker.ts'
import { retryAfterMs, seenState, stateNameOf } from './protocol/look.ts'
import { readReason } from './protocol/state.ts'

export class Refusals {
  readonly #name: string
  readonly #core: Core
  #error: CircuitOpenError | undefined
  #promise: Promise<never> | undefined
  /** What the error was made of. */
  #refusedBy = -1
  #lastError: unknown

  constructor(name: string, core: Core) {
    this.#name = name
    this.#core = core
  }

  /** The error of the last refusal, which is announced. */
  error(): CircuitOpenError {
    const error = this.#current()
    publishRefusal(this.#name, error)
    return error
  }

  /** A promise rejected with that error, likewise. Nobody need handle it: somebody has. */
  promise(): Promise<never> {
    const error = this.#current()
    let promise = this.#promise
    if (promise === undefined) {
      promise = Promise.reject(error)
      promise.catch(() => {})
      this.#promise = promise
    }
    // Last: a subscriber may be refused in its turn, by another state.
    publishRefusal(this.#name, error)
    return promise
  }

  #current(): CircuitOpenError {
    const { refusedBy, lastError } = this.#core
    if (
      this.#error === undefined ||
      refusedBy !== this.#refusedBy ||
      lastError !== this.#lastError
    ) {
      this.#error = this.#make()
      this.#promise = undefined
      this.#refusedBy = refusedBy
      this.#lastError = lastError
    }
    return this.#error
  }

  #make(): CircuitOpenError {
    const core = this.#core
    const { cell, refusedBy, lastError } = core
    return new CircuitOpenError(this.#name, {
      state: stateNameOf(refusedBy),
      reason: readReason(cell, generationOf(refusedBy)),
      lastError,
      get retryAfterMs() {
        if (!core.isThere()) return 0
        return retryAfterMs(core.cell, seenState(core.cell), core.cell.clock.now())
      },
    })
  }
}
