import { expect } from 'vitest'
import type { CircuitBreaker } from '../../src/index.ts'
import type { CaseOutcome } from './cases.ts'

/** A call that was let in. */
export interface CallInFlight {
  end(outcome: CaseOutcome, durationMs: number): Promise<void>
}

/** One way to make calls: by permits, by `execute`, or by permits in worker threads. */
export interface Face {
  /** Undefined when refused. `ending` tells a call beforehand that its own deadline will fire. */
  start(thread: number, ending?: CaseOutcome): Promise<CallInFlight | undefined>
  /** Asks n times, from all threads at once where there are threads. */
  race?(n: number, threads: number[]): CallInFlight[]
  startThread?(thread: number): Promise<void>
  kill?(thread: number): Promise<void>
}

/** An outcome of a case as the call that reports it. */
export function recordOf(outcome: CaseOutcome): 'recordSuccess' | 'recordFailure' | 'release' {
  if (outcome === 'success') return 'recordSuccess'
  return outcome === 'failure' || outcome === 'timeout' ? 'recordFailure' : 'release'
}

export class CoreFace implements Face {
  readonly #breaker: CircuitBreaker

  constructor(breaker: CircuitBreaker) {
    this.#breaker = breaker
  }

  async start(): Promise<CallInFlight | undefined> {
    const asked = this.#breaker.canExecute()
    const permit = this.#breaker.tryAcquire()
    expect(permit !== -1, 'canExecute says what tryAcquire then does').toBe(asked)
    if (permit === -1) return undefined
    return {
      end: async (outcome, durationMs) => {
        const record = recordOf(outcome)
        if (record === 'release') this.#breaker.release(permit)
        else this.#breaker[record](permit, durationMs)
      },
    }
  }
}

/** What a classifier tells apart from a failure. */
class IgnoredError extends Error {}

export function classifyError(error: unknown): 'failure' | 'ignored' {
  return error instanceof IgnoredError ? 'ignored' : 'failure'
}

export class ExecuteFace implements Face {
  readonly #breaker: CircuitBreaker

  constructor(breaker: CircuitBreaker) {
    this.#breaker = breaker
  }

  async start(_thread: number, ending?: CaseOutcome): Promise<CallInFlight | undefined> {
    const caller = new AbortController()
    const work = deferred()
    const started = deferred()
    const settled = this.#breaker
      .execute(
        ({ signal }) => {
          signal.addEventListener('abort', () => work.reject(signal.reason))
          started.resolve()
          return work.promise
        },
        { signal: caller.signal, ...(ending === 'timeout' && { timeoutMs: 1 }) },
      )
      .then(
        () => undefined,
        (error: unknown) => error,
      )
    const first = await Promise.race([started.promise.then(() => 'started'), settled])
    if (first !== 'started') {
      expect(first).toMatchObject({ code: 'ERR_CIRCUIT_OPEN' })
      return undefined
    }
    return {
      end: async outcome => {
        const error = outcome === 'ignored' ? new IgnoredError() : new Error('the call failed')
        if (outcome === 'success') work.resolve()
        else if (outcome === 'cancelled') caller.abort(error)
        // A time-out is the call's own deadline: nothing is done here but to wait for it.
        else if (outcome !== 'timeout') work.reject(error)
        await settled
      },
    }
  }
}

function deferred() {
  let resolve: () => void = () => {}
  let reject: (reason: unknown) => void = () => {}
  const promise = new Promise<void>((resolved, rejected) => {
    resolve = resolved
    reject = rejected
  })
  return { promise, resolve, reject }
}
