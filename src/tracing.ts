/** Calls as the tracing channel `busbar:execute` shows them, while somebody subscribes. */
import { type ExecuteTrace, executeChannel } from './channels.ts'
import { FIRST_TRIAL_PERMIT, REFUSED } from './memory/words/trials.ts'
import { type ExecuteOptions, readExecuteOptions } from './options/execute.ts'
import { type Guard, type GuardedCore, NOT_TRACED } from './settlement.ts'

/**
 * `run` as one trace: `start`, `end`, then, when its promise settles, `error` if it rejects,
 * `asyncStart` and `asyncEnd`. It is given a guard and options that take notes on the way.
 */
export function traceAsync<T>(
  guard: Guard,
  options: ExecuteOptions<T> | undefined,
  run: (guard: Guard, options: ExecuteOptions<T> | undefined) => Promise<T>,
): Promise<T> {
  const trace: ExecuteTrace = { breaker: guard.name, isTrial: false }
  const promise = executeChannel.tracePromise(() => {
    try {
      return run(tracedGuard(guard, trace), tracedOptions(options, trace))
    } catch (error) {
      return Promise.reject(error)
    }
  }, trace)
  // A refusal is handled already, traced or not: nobody need await it (see refusals.ts).
  if (trace.outcome === 'refused' && !('fallbackError' in trace)) promise.catch(() => {})
  return promise
}

/** `run` as one trace: `start`, `error` if it throws, `end`. */
export function traceSync<T>(guard: Guard, run: (guard: Guard) => T): T {
  const trace: ExecuteTrace = { breaker: guard.name, isTrial: false }
  return executeChannel.traceSync(() => run(tracedGuard(guard, trace)), trace)
}

/** A call that no function is: one of an adapter, which begins and ends in callbacks. */
export class CallTrace {
  /** To make the call through: takes notes on the way. */
  readonly guard: Guard
  readonly #trace: ExecuteTrace

  /** `start`. */
  constructor(guard: Guard) {
    this.#trace = { breaker: guard.name, isTrial: false }
    this.guard = tracedGuard(guard, this.#trace)
    executeChannel.start.publish(this.#trace)
  }

  /** It was permitted, or refused: `end`. */
  begun(): void {
    executeChannel.end.publish(this.#trace)
  }

  /** Its verdict is there: `error` where it has one, `asyncStart` and `asyncEnd`. */
  ended(error?: unknown): void {
    if (error !== undefined) {
      this.#trace.error = error
      executeChannel.error.publish(this.#trace)
    }
    executeChannel.asyncStart.publish(this.#trace)
    executeChannel.asyncEnd.publish(this.#trace)
  }
}

function tracedGuard(guard: Guard, trace: ExecuteTrace): Guard {
  return { ...guard, core: new TracedCore(guard.core, trace), tracing: NOT_TRACED }
}

/** Notes the error that the fallback is asked to answer. @throws InvalidOptionError */
function tracedOptions<T>(
  options: ExecuteOptions<T> | undefined,
  trace: ExecuteTrace,
): ExecuteOptions<T> | undefined {
  if (options === undefined) return undefined
  const { signal, timeoutMs, fallback } = readExecuteOptions(options)
  if (fallback === undefined) return { signal, timeoutMs }
  const noteAndAnswer = (error: unknown): T | PromiseLike<T> => {
    trace.fallbackError = error
    return fallback(error)
  }
  return { signal, timeoutMs, fallback: noteAndAnswer }
}

/** The core, for one call: notes in the trace what it answers and what it is told. */
class TracedCore implements GuardedCore {
  readonly cell: GuardedCore['cell']
  readonly measures: boolean
  readonly #core: GuardedCore
  readonly #trace: ExecuteTrace

  constructor(core: GuardedCore, trace: ExecuteTrace) {
    this.cell = core.cell
    this.measures = core.measures
    this.#core = core
    this.#trace = trace
  }

  get lastError(): unknown {
    return this.#core.lastError
  }

  set lastError(error: unknown) {
    this.#core.lastError = error
  }

  tryAcquire(): number {
    const permit = this.#core.tryAcquire()
    if (permit === REFUSED) this.#trace.outcome = 'refused'
    this.#trace.isTrial = permit >= FIRST_TRIAL_PERMIT
    return permit
  }

  recordSuccess(permit: number, durationMs?: number): boolean {
    const counted = this.#core.recordSuccess(permit, durationMs)
    this.#trace.outcome = counted ? 'success' : 'late'
    return counted
  }

  recordFailure(permit: number, durationMs?: number): boolean {
    const counted = this.#core.recordFailure(permit, durationMs)
    this.#trace.outcome = counted ? 'failure' : 'late'
    return counted
  }

  release(permit: number): void {
    this.#core.release(permit)
    this.#trace.outcome = 'ignored'
  }

  stalled(): void {
    this.#core.stalled?.()
  }
}
