/** A request and its response as a breaker sees them: one permit, settled once. */
import type { CircuitBreaker } from '../../breaker.ts'
import { InvalidOptionError } from '../../errors.ts'
import { retryAfterMsOf } from '../../retry/retry-after.ts'
import { isThenable } from '../../settlement.ts'
import { Attempt } from '../attempt.ts'
import type { HttpRules } from './options.ts'

/** How responses are judged, whatever the requests are. */
type Rules<Response> = Omit<HttpRules<never, Response>, 'keyOf'>

export class Exchange<Response extends { readonly headers: unknown }> {
  readonly #rules: Rules<Response>
  readonly #breaker: CircuitBreaker
  readonly #attempt: Attempt

  /** @throws CircuitOpenError, RegistryFullError, InvalidOptionError */
  constructor(rules: Rules<Response>, key: string) {
    if (typeof key !== 'string') {
      throw new InvalidOptionError('key(...)', key, 'a string, or undefined for no breaker')
    }
    this.#rules = rules
    this.#breaker = rules.breakers.breaker(key)
    this.#attempt = new Attempt(this.#breaker)
  }

  /**
   * The headers are here. Whether the verdict waits for the body. Throws what `isFailure` throws;
   * that is a failure too.
   */
  respond(response: Response): boolean {
    if (this.#isFailure(response)) {
      this.#attempt.fail()
      this.#honour(response.headers)
      return false
    }
    if (!this.#rules.awaitsBody) this.#attempt.succeed()
    return this.#rules.awaitsBody
  }

  /** The body is here. */
  complete(): void {
    this.#attempt.succeed()
  }

  /** It broke off. `isOurs`: the dependency has no part in it. Returns what to tell the caller. */
  fail(error: unknown, isOurs: boolean): unknown {
    if (!isOurs) return this.#attempt.settleByError(error)
    this.#attempt.ignore(error)
    return error
  }

  #isFailure(response: Response): boolean {
    try {
      const answer: unknown = this.#rules.isFailure(response)
      if (!isThenable(answer)) return Boolean(answer)
      throw new InvalidOptionError('isFailure(response)', answer, 'an answer, not a promise')
    } catch (error) {
      this.#attempt.fail(error)
      throw error
    }
  }

  #honour(headers: unknown): void {
    const { maxRetryAfterMs } = this.#rules
    if (maxRetryAfterMs === 0 || this.#breaker.state !== 'open') return
    const askedMs = Math.min(retryAfterMsOf({ headers }), maxRetryAfterMs)
    if (!(askedMs > this.#breaker.retryAfterMs())) return
    this.#breaker.prolong('Retry-After', askedMs)
  }
}

/** A field of an error. Errors are made by strangers: one that throws says nothing. */
export function fieldOf(error: unknown, key: string): unknown {
  try {
    return Reflect.get(Object(error), key)
  } catch {
    return undefined
  }
}

/** Whether an error, or the reason of an abort, is that of `AbortSignal.timeout`. */
export function isTimeout(error: unknown): boolean {
  return fieldOf(error, 'name') === 'TimeoutError'
}
