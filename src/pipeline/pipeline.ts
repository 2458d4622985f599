/**
 * Pipeline: the parts of overload control around one kind of call, in the order in which they must
 * stand, whatever the order in which they are given:
 *
 *   retry with a budget - throttle - bulkhead - breaker - timeout - call
 *
 * Retries stand outside all, so that each attempt is one that every part hears of, and end at the
 * first refusal. The throttle stands before the bulkhead, so that what it refuses takes no place.
 * The breaker is asked last, with a place in hand: a trial is not spent on a call that then waits.
 * An attempt has one verdict, and all parts hear that one.
 */

import type { CircuitBreaker } from '../breaker.ts'
import { isRefusal } from '../errors.ts'
import { type Call, orFallback, type RefusalNote, runPermitted } from '../execute.ts'
import { type ExecuteResult, tried, wrapped } from '../execute-faces.ts'
import { REFUSED } from '../memory/words/trials.ts'
import { NO_LOCAL } from '../options/breaker.ts'
import { type ExecuteOptions, readExecuteOptions, requireFunction } from '../options/execute.ts'
import type { Bulkhead, BulkheadSnapshot } from '../overload/bulkhead.ts'
import type { RetryBudget, RetryBudgetSnapshot } from '../overload/retry-budget.ts'
import type { Throttle, ThrottleSnapshot } from '../overload/throttle.ts'
import type { BreakerSnapshot } from '../protocol/look.ts'
import { retryBy } from '../retry/retry.ts'
import type { Guard, Settling } from '../settlement.ts'
import type { Clock } from '../time/clock.ts'
import { traceAsync } from '../tracing.ts'
import { type Guards, HELD, Held } from './held.ts'
import type { Parts } from './parts.ts'

type Fn<T> = (call: Call) => T | PromiseLike<T>

/** The parts of a pipeline at one moment, as far as it has them. */
export interface PipelineSnapshot {
  name: string
  retryBudget?: RetryBudgetSnapshot
  throttle?: ThrottleSnapshot
  bulkhead?: BulkheadSnapshot
  breaker?: BreakerSnapshot
}

/** Get one from `registry.pipeline(name, parts)`. */
export class Pipeline {
  readonly name: string
  readonly #parts: Parts
  readonly #guards: Guards
  readonly #settling: Omit<Settling, 'core'>
  readonly #cell: { readonly clock: Clock }
  readonly #timeoutMs: number | undefined

  /** @internal */
  constructor(name: string, parts: Parts, clock: Clock) {
    this.name = name
    this.#parts = parts
    const { throttle, bulkhead, breaker } = parts
    this.#guards = Object.freeze({
      throttle: throttle?.guard,
      bulkhead: bulkhead?.guard,
      breaker: breaker?.guard,
    })
    this.#cell = Object.freeze({ clock })
    this.#timeoutMs = parts.timeoutMs ?? breaker?.guard.local.timeoutMs
    const judge = breaker?.guard ?? throttle?.guard
    this.#settling = Object.freeze({
      what: 'pipeline',
      name,
      local: Object.freeze({
        ...(judge?.local ?? NO_LOCAL),
        isFailure: parts.isFailure ?? judge?.local.isFailure,
        classifyError: parts.classifyError ?? judge?.local.classifyError,
      }),
    })
  }

  get throttle(): Throttle | undefined {
    return this.#parts.throttle
  }

  get bulkhead(): Bulkhead | undefined {
    return this.#parts.bulkhead
  }

  get breaker(): CircuitBreaker | undefined {
    return this.#parts.breaker
  }

  get retryBudget(): RetryBudget | undefined {
    return this.#parts.retryBudget
  }

  /**
   * Calls `fn` as far as all parts let it, and again where `retry` says so. Rejects with
   * ThrottledError, BulkheadFullError or CircuitOpenError when refused, with CallTimeoutError, else
   * as `fn` does. `timeoutMs` here in place of the pipeline's own, and that in place of the
   * breaker's.
   */
  execute<T>(fn: Fn<T>, options?: ExecuteOptions<T>): Promise<T> {
    return this.#execute(fn, options, { refused: false })
  }

  /** As `execute`, but never rejects: says what happened. `refused`: the last attempt was. */
  tryExecute<T>(fn: Fn<T>, options?: ExecuteOptions<T>): Promise<ExecuteResult<T>> {
    return tried(note => this.#execute(fn, options, note))
  }

  /** `fn` with the pipeline around it: `this` and arguments are passed on. */
  wrap<A extends unknown[], T>(fn: (...args: A) => T | PromiseLike<T>): (...args: A) => Promise<T> {
    return wrapped(this, fn)
  }

  snapshot(): PipelineSnapshot {
    const { retryBudget, throttle, bulkhead, breaker } = this.#parts
    return {
      name: this.name,
      ...(retryBudget && { retryBudget: retryBudget.snapshot() }),
      ...(throttle && { throttle: throttle.snapshot() }),
      ...(bulkhead && { bulkhead: bulkhead.snapshot() }),
      ...(breaker && { breaker: breaker.snapshot() }),
    }
  }

  #execute<T>(fn: Fn<T>, options: ExecuteOptions<T> | undefined, note: RefusalNote): Promise<T> {
    try {
      requireFunction(fn)
      const read = options === undefined ? undefined : readExecuteOptions(options)
      const made = this.#attempts(fn, read, note)
      return read?.fallback === undefined ? made : orFallback(made, read.fallback)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  #attempts<T>(fn: Fn<T>, options: ExecuteOptions<T> | undefined, note: RefusalNote): Promise<T> {
    const signal = options?.signal
    const timeoutMs = options?.timeoutMs ?? this.#timeoutMs
    const attempt = (): Promise<T> => this.#attempt(fn, signal, timeoutMs, note)
    const { retry: retries } = this.#parts
    return retries === undefined ? attempt() : retryBy(retries, attempt, signal)
  }

  #attempt<T>(
    fn: Fn<T>,
    signal: AbortSignal | undefined,
    timeoutMs: number | undefined,
    note: RefusalNote,
  ): Promise<T> {
    note.refused = false
    if (signal?.aborted) return Promise.reject(signal.reason)
    const { throttle, bulkhead } = this.#guards
    const held = new Held(this.#guards, this.#cell)
    const call = (): Promise<T> => this.#call(held, fn, signal, timeoutMs, note)
    if (throttle !== undefined) {
      const permit = throttle.core.tryAcquire()
      if (permit === REFUSED) return refuse(throttle, note)
      held.holdThrottled(permit)
    }
    if (bulkhead === undefined) return call()
    const place = bulkhead.core.take()
    if (place !== REFUSED) {
      held.holdPlace(place)
      return call()
    }
    const waiting = bulkhead.queue.join(signal)
    if (waiting === undefined) {
      bulkhead.core.refuse()
      held.releaseThrottled()
      return refuse(bulkhead, note)
    }
    return this.#wait(waiting, held, note).then(() => {
      if (!signal?.aborted) return call()
      // Just as it was let in.
      held.releaseOuter()
      throw signal.reason
    })
  }

  async #wait(waiting: Promise<number>, held: Held, note: RefusalNote): Promise<void> {
    try {
      held.holdPlace(await waiting)
    } catch (error) {
      held.releaseThrottled()
      note.refused = isRefusal(error)
      throw error
    }
  }

  /** Through the breaker, where there is one: what whoever traces sees of the attempt. */
  #call<T>(
    held: Held,
    fn: Fn<T>,
    signal: AbortSignal | undefined,
    timeoutMs: number | undefined,
    note: RefusalNote,
  ): Promise<T> {
    const run = (breaker: Guard | undefined): Promise<T> => {
      if (breaker !== undefined) {
        const permit = breaker.core.tryAcquire()
        if (permit === REFUSED) {
          held.releaseOuter()
          return refuse(breaker, note)
        }
        held.holdPermit(breaker.core, permit)
      }
      return runPermitted({ ...this.#settling, core: held }, HELD, fn, signal, timeoutMs)
    }
    const { breaker } = this.#guards
    if (breaker?.tracing.hasSubscribers !== true) return run(breaker)
    return traceAsync<T>(breaker, undefined, run)
  }
}

function refuse(guard: Guard, note: RefusalNote): Promise<never> {
  note.refused = true
  return guard.refusals.promise()
}
