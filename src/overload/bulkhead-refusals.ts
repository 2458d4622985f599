/** The refusals of one bulkhead in one thread: one error and one rejected promise (refusals.ts). */
import { BulkheadFullError } from '../errors.ts'
import { BULKHEAD_OPTION } from '../memory/controls.ts'
import type { Control } from '../protocol/control.ts'
import type { Refusing } from '../settlement.ts'

export class BulkheadRefusals implements Refusing {
  readonly #control: Control
  #error: BulkheadFullError | undefined
  #promise: Promise<never> | undefined

  constructor(control: Control) {
    this.#control = control
  }

  error(): BulkheadFullError {
    const { name, numbers } = this.#control
    const maxConcurrentCalls = numbers[BULKHEAD_OPTION.MAX_CONCURRENT] as number
    this.#error ??= new BulkheadFullError(name, maxConcurrentCalls)
    return this.#error
  }

  promise(): Promise<never> {
    if (this.#promise === undefined) {
      this.#promise = Promise.reject(this.error())
      this.#promise.catch(() => {})
    }
    return this.#promise
  }
}
