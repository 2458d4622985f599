/** The refusals of one throttle in one thread: one error and one rejected promise (refusals.ts). */
import { ThrottledError } from '../errors.ts'
import type { ThrottleCore } from '../protocol/throttle.ts'
import type { Refusing } from '../settlement.ts'

export class ThrottleRefusals implements Refusing {
  readonly #core: ThrottleCore
  #error: ThrottledError | undefined
  #promise: Promise<never> | undefined

  constructor(core: ThrottleCore) {
    this.#core = core
  }

  error(): ThrottledError {
    const core = this.#core
    this.#error ??= new ThrottledError(core.cell.name, () => core.published())
    return this.#error
  }

  promise(): Promise<never> {
    let promise = this.#promise
    if (promise === undefined) {
      promise = Promise.reject(this.error())
      promise.catch(() => {})
      this.#promise = promise
    }
    return promise
  }
}
