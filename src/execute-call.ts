/** What a guarded function is given, at the cost of what it uses of it. */
import type { Call } from './execute.ts'

/** Makes its AbortController only when somebody reads the signal: one costs 3 microseconds. */
export class LazyCall implements Call {
  #controller: AbortController | undefined
  #aborted = false
  #reason: unknown

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#aborted) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  abort(reason: unknown): void {
    this.#aborted = true
    this.#reason = reason
    this.#controller?.abort(reason)
  }
}
