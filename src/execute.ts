/**
 * The async face: signals, timeouts, fallbacks (spec section 4). No atomics: it takes a permit from
 * the core, calls, and settles that permit exactly once, whatever happens.
 */
import { InvalidOptionError } from './errors.ts'
import { REFUSED } from './memory/words/trials.ts'
import { type ExecuteOptions, readExecuteOptions, requireFunction } from './options/execute.ts'
import { type Guard, isThenable, Settlement } from './settlement.ts'

/** What a guarded function is given. */
export interface Call {
  /** Aborted by the timeout and by the caller's own signal. Made when first read. */
  readonly signal: AbortSignal
}

/** Set when the breaker did not let the call be made. */
export interface RefusalNote {
  refused: boolean
}

type Fn<T> = (call: Call) => T | PromiseLike<T>

export async function runAsync<T>(
  guard: Guard,
  fn: Fn<T>,
  options: ExecuteOptions<T> | undefined,
  note?: RefusalNote,
): Promise<T> {
  requireFunction(fn)
  if (options === undefined) return attempt(guard, fn, undefined, guard.local.timeoutMs, note)
  const { signal, timeoutMs = guard.local.timeoutMs, fallback } = readExecuteOptions(options)
  if (fallback === undefined) return attempt(guard, fn, signal, timeoutMs, note)
  try {
    return await attempt(guard, fn, signal, timeoutMs, note)
  } catch (error) {
    return runFallback(fallback, error)
  }
}

async function attempt<T>(
  guard: Guard,
  fn: Fn<T>,
  signal: AbortSignal | undefined,
  timeoutMs: number | undefined,
  note: RefusalNote | undefined,
): Promise<T> {
  if (signal?.aborted) throw signal.reason
  const permit = guard.core.tryAcquire()
  if (permit === REFUSED) {
    if (note !== undefined) note.refused = true
    throw guard.refusal()
  }
  const settlement = new Settlement(guard, permit)
  const call = new LazyCall()
  if (signal !== undefined || timeoutMs !== undefined) {
    return race(settlement, call, fn, signal, timeoutMs)
  }
  let value: T
  try {
    value = await fn(call)
  } catch (error) {
    throw settlement.byError(error)
  }
  return settlement.byValue(value)
}

/** Runs `fn` until it settles, its time is over or the caller gives up, whichever comes first. */
function race<T>(
  settlement: Settlement,
  call: LazyCall,
  fn: Fn<T>,
  signal: AbortSignal | undefined,
  timeoutMs: number | undefined,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
    const giveUp = (error: unknown): void => {
      end()
      call.abort(error)
      reject(error)
    }
    const onAbort = (): void => {
      settlement.byAbort()
      giveUp(signal?.reason)
    }
    // Referenced on purpose: a process must not exit in the midst of a call that has a timeout.
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(() => giveUp(settlement.byTimeout(timeoutMs)), timeoutMs)
    signal?.addEventListener('abort', onAbort)
    callAsync(fn, call).then(
      value => {
        if (settlement.done) return
        end()
        // `byValue` throws what a failing predicate threw.
        resolve(settleInPromise(settlement, value))
      },
      (error: unknown) => {
        if (settlement.done) return
        // Aborted, and a listener before ours kept the event from us.
        if (signal?.aborted) return onAbort()
        end()
        reject(settlement.byError(error))
      },
    )
  })
}

async function callAsync<T>(fn: Fn<T>, call: Call): Promise<T> {
  return fn(call)
}

async function settleInPromise<T>(settlement: Settlement, value: T): Promise<T> {
  return settlement.byValue(value)
}

export function runSync<T>(guard: Guard, fn: () => T): T {
  requireFunction(fn)
  const permit = guard.core.tryAcquire()
  if (permit === REFUSED) throw guard.refusal()
  const settlement = new Settlement(guard, permit)
  let value: T
  try {
    value = fn()
  } catch (error) {
    throw settlement.byError(error)
  }
  if (isThenable(value)) {
    settlement.byAbort()
    Promise.resolve(value).catch(() => {}) // It is reported here, not as an unhandled rejection.
    throw new InvalidOptionError('fn', value, 'a function that returns its result; use execute')
  }
  return settlement.byValue(value)
}

async function runFallback<T>(
  fallback: (error: unknown) => T | PromiseLike<T>,
  error: unknown,
): Promise<T> {
  try {
    return await fallback(error)
  } catch (fallbackError) {
    throw withCause(fallbackError, error)
  }
}

/** The fallback's error with the first as its cause, unless it says another or cannot carry one. */
function withCause(error: unknown, cause: unknown): unknown {
  if (error instanceof Error && error !== cause && !Object.hasOwn(error, 'cause')) {
    Reflect.defineProperty(error, 'cause', { value: cause, writable: true, configurable: true })
  }
  return error
}

/** Makes its AbortController only when somebody reads the signal: one costs 3 microseconds. */
class LazyCall implements Call {
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
