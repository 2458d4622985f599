/**
 * The async face: signals, timeouts, fallbacks (spec section 4). No atomics: it takes a permit from
 * the core, calls, and settles that permit exactly once, whatever happens.
 */
import { InvalidOptionError, isRefusal } from './errors.ts'
import { LazyCall } from './execute-call.ts'
import { REFUSED } from './memory/words/trials.ts'
import { type ExecuteOptions, readExecuteOptions, requireFunction } from './options/execute.ts'
import {
  byError,
  byTimeout,
  byValue,
  type Guard,
  type GuardedCore,
  isThenable,
  type Settling,
  startOf,
  UNKNOWN,
} from './settlement.ts'
import { monotonicNow } from './time/monotonic.ts'
import { traceAsync, traceSync } from './tracing.ts'

/** What a guarded function is given. */
export interface Call {
  /** Aborted by the timeout and by the caller's own signal. Made when first read. */
  readonly signal: AbortSignal
}

/** Set when the call was not let through. */
export interface RefusalNote {
  refused: boolean
}

type Fn<T> = (call: Call) => T | PromiseLike<T>
type Fallback<T> = (error: unknown) => T | PromiseLike<T>

const NO_OPTIONS = Object.freeze({ signal: undefined, timeoutMs: undefined, fallback: undefined })

/** Not async itself: a refusal is a promise that is there already, a plain call needs only one. */
export function runAsync<T>(
  guard: Guard,
  fn: Fn<T>,
  options: ExecuteOptions<T> | undefined,
  note?: RefusalNote,
): Promise<T> {
  if (guard.tracing.hasSubscribers) return runTraced(guard, fn, options, note)
  try {
    requireFunction(fn)
    const read = options === undefined ? NO_OPTIONS : readExecuteOptions(options)
    const { signal, timeoutMs = guard.local.timeoutMs, fallback } = read
    if (signal?.aborted) return failed(signal.reason, fallback)
    const permit = guard.core.tryAcquire()
    if (permit === REFUSED) {
      if (note !== undefined) note.refused = true
      if (fallback === undefined) return guard.refusals.promise()
      return runFallback(fallback, guard.refusals.error())
    }
    const made = runPermitted(guard, permit, fn, signal, timeoutMs)
    return fallback === undefined ? made : orFallback(made, fallback)
  } catch (error) {
    return Promise.reject(error)
  }
}

/** Calls with a permit that was taken, and settles it. Never throws. */
export function runPermitted<T>(
  guard: Settling,
  permit: number,
  fn: Fn<T>,
  signal: AbortSignal | undefined,
  timeoutMs: number | undefined,
): Promise<T> {
  return signal === undefined && timeoutMs === undefined
    ? call(guard, permit, fn)
    : race(guard, permit, fn, signal, timeoutMs)
}

/** Apart, so that a call that nobody traces makes room for no closure. */
function runTraced<T>(
  guard: Guard,
  fn: Fn<T>,
  options: ExecuteOptions<T> | undefined,
  note: RefusalNote | undefined,
): Promise<T> {
  return traceAsync(guard, options, (traced, read) => runAsync(traced, fn, read, note))
}

function failed<T>(error: unknown, fallback: Fallback<T> | undefined): Promise<T> {
  return fallback === undefined ? Promise.reject(error) : runFallback(fallback, error)
}

export async function orFallback<T>(made: Promise<T>, fallback: Fallback<T>): Promise<T> {
  try {
    return await made
  } catch (error) {
    return runFallback(fallback, error)
  }
}

/** A promise's own `then` may be anybody's; this is what `await` uses. */
const { then } = Promise.prototype

/** Not async either: cheaper, and V8 shows a failure's callers all the same. */
function call<T>(guard: Settling, permit: number, fn: Fn<T>): Promise<T> {
  const startedAt = startOf(guard)
  let answer: Promise<Awaited<T>>
  try {
    answer = Promise.resolve(fn(new LazyCall()))
  } catch (error) {
    return Promise.reject(byError(guard, permit, startedAt, error))
  }
  return then.call(
    answer,
    value => byValue(guard, permit, startedAt, value),
    error => {
      throw byError(guard, permit, startedAt, error)
    },
  ) as Promise<T>
}

/** Runs `fn` until it settles, its time is over or the caller gives up, whichever comes first. */
function race<T>(
  guard: Settling,
  permit: number,
  fn: Fn<T>,
  signal: AbortSignal | undefined,
  timeoutMs: number | undefined,
): Promise<T> {
  const startedAt = startOf(guard)
  const lazyCall = new LazyCall()
  let isDone = false
  return new Promise<T>((resolve, reject) => {
    const end = (): void => {
      isDone = true
      deadline?.cancel()
      signal?.removeEventListener('abort', onAbort)
    }
    const giveUp = (error: unknown): void => {
      lazyCall.abort(error)
      reject(error)
    }
    const onAbort = (): void => {
      end()
      guard.core.release(permit)
      giveUp(signal?.reason)
    }
    const onTimeout = (heard: boolean): void => {
      end()
      giveUp(byTimeout(guard, permit, begun(), timeoutMs as number, heard))
    }
    const deadline =
      timeoutMs === undefined ? undefined : new Deadline(guard.core, timeoutMs, onTimeout)
    const begun = (): number => (deadline?.wasDeaf ? UNKNOWN : startedAt)
    signal?.addEventListener('abort', onAbort)
    callAsync(fn, lazyCall).then(
      value => {
        if (isDone) return
        end()
        // `byValue` throws what a failing predicate threw.
        resolve(settleInPromise(guard, permit, begun(), value))
      },
      (error: unknown) => {
        if (isDone) return
        // Aborted, and a listener before ours kept the event from us.
        if (signal?.aborted) return onAbort()
        end()
        reject(byError(guard, permit, begun(), error))
      },
    )
  })
}

/** A timer that fires later than this says that the loop was blocked: of the two the longer. */
const LATE_TIMER_MS = 20
const LATE_TIMER_SHARE = 0.1

/**
 * The time that a call has. While the loop is blocked nothing is heard, and afterwards timers come
 * before what has been received meanwhile. So a deadline that finds itself late listens on, once,
 * for the whole time again: the loop may have been deaf from the start. An answer that was there is
 * heard at once. If the second deadline is late as well, it is over, but nothing has been heard.
 *
 * Timers go by the process's clock, whatever clock the registry has.
 */
class Deadline {
  /** Whether the loop was found to have been blocked: nobody knows how long the call took. */
  wasDeaf = false
  readonly #core: GuardedCore
  readonly #timeoutMs: number
  readonly #onOver: (heard: boolean) => void
  #setAt = 0
  #timer: NodeJS.Timeout

  constructor(core: GuardedCore, timeoutMs: number, onOver: (heard: boolean) => void) {
    this.#core = core
    this.#timeoutMs = timeoutMs
    this.#onOver = onOver
    this.#timer = this.#set()
  }

  cancel(): void {
    clearTimeout(this.#timer)
  }

  /** Referenced on purpose: a process must not exit in the midst of a call that has a timeout. */
  #set(): NodeJS.Timeout {
    this.#setAt = monotonicNow()
    return setTimeout(() => this.#fire(), this.#timeoutMs)
  }

  #fire(): void {
    const overdueMs = monotonicNow() - this.#setAt - this.#timeoutMs
    const isLate = overdueMs > Math.max(LATE_TIMER_MS, LATE_TIMER_SHARE * this.#timeoutMs)
    if (isLate) this.#core.stalled?.()
    if (!isLate || this.wasDeaf) this.#onOver(!isLate)
    else {
      this.wasDeaf = true
      this.#timer = this.#set()
    }
  }
}

async function callAsync<T>(fn: Fn<T>, lazyCall: Call): Promise<T> {
  return fn(lazyCall)
}

async function settleInPromise<T>(
  guard: Settling,
  permit: number,
  startedAt: number,
  value: T,
): Promise<T> {
  return byValue(guard, permit, startedAt, value)
}

export function runSync<T>(guard: Guard, fn: () => T): T {
  if (guard.tracing.hasSubscribers) return runSyncTraced(guard, fn)
  requireFunction(fn)
  const permit = guard.core.tryAcquire()
  if (permit === REFUSED) throw guard.refusals.error()
  const startedAt = startOf(guard)
  let value: T
  try {
    value = fn()
  } catch (error) {
    throw byError(guard, permit, startedAt, error)
  }
  if (isThenable(value)) {
    guard.core.release(permit)
    Promise.resolve(value).catch(() => {}) // It is reported here, not as an unhandled rejection.
    throw new InvalidOptionError('fn', value, 'a function that returns its result; use execute')
  }
  return byValue(guard, permit, startedAt, value)
}

function runSyncTraced<T>(guard: Guard, fn: () => T): T {
  return traceSync(guard, traced => runSync(traced, fn))
}

/** Not async itself: an answer that is there needs no more than a promise of it. */
function runFallback<T>(fallback: Fallback<T>, error: unknown): Promise<T> {
  try {
    const answer = fallback(error)
    if (!isThenable(answer)) return Promise.resolve(answer)
    return Promise.resolve(answer).catch(fallbackError => {
      throw withCause(fallbackError, error)
    })
  } catch (fallbackError) {
    return Promise.reject(withCause(fallbackError, error))
  }
}

/**
 * The fallback's error with the first as its cause, unless it says another or cannot carry one.
 * Refusals are shared: nothing is added to them.
 */
function withCause(error: unknown, cause: unknown): unknown {
  const canCarry = error instanceof Error && error !== cause && !isRefusal(error)
  if (canCarry && !Object.hasOwn(error, 'cause')) {
    Reflect.defineProperty(error, 'cause', { value: cause, writable: true, configurable: true })
  }
  return error
}
