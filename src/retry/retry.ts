/**
 * Calls again what failed: within a number of attempts, within a budget, with waits between. The
 * counts of a budget are shared by all threads; all else here concerns one call in one thread.
 */
import { InvalidOptionError, isRefusal } from '../errors.ts'
import { requireFunction } from '../options/execute.ts'
import { isThenable } from '../settlement.ts'
import { backoffMsOf } from './backoff.ts'
import { DEFAULT_PLAN, type RetryOptions, type RetryPlan, readRetryOptions } from './options.ts'
import { retryAfterMsOf } from './retry-after.ts'

/** What a retried function is given. */
export interface RetryAttempt {
  /** Counted from 1. */
  readonly attempt: number
  /** The caller's own. Without one it is made when first read, and never aborted. */
  readonly signal: AbortSignal
}

type Fn<T> = (attempt: RetryAttempt) => T | PromiseLike<T>

/**
 * Calls `fn`, and again while it fails, up to `attempts` times. Resolves with its first result;
 * rejects with its last error, unchanged, as soon as there is to be no further attempt:
 *
 * - the attempts are used up;
 * - it is a refusal (`CircuitOpenError`, `ThrottledError`, `BulkheadFullError`), which says that
 *   there is too much load already. Only the error itself counts, not its `cause`;
 * - `retryOn` says false. What `retryOn` throws rejects in place of the error, and so does an
 *   InvalidOptionError when it answers with a promise;
 * - the error asks for a wait longer than `maxRetryAfterMs`;
 * - the budget has no retry left. It is asked last, and before the wait, so this takes no time.
 *
 * The wait before the n-th retry is uniform in `[0, min(maxMs, initialMs * multiplier^(n - 1))]`
 * ("full jitter"), but never less than the error asks for: in `retryAfterMs`, or in the
 * `Retry-After` of its `headers` or `response.headers`, whole seconds or a date; else its `cause`
 * likewise. The wait keeps the process alive.
 *
 * When `signal` is aborted it rejects with the signal's reason at once, also in the midst of an
 * attempt, whose outcome is then ignored, or of a wait.
 *
 * To call twice may do twice: whether `fn` can bear it (whether it is idempotent) is for the caller
 * to know. An attempt that failed for us, by a timeout for example, may have done its work.
 *
 * Rejects with InvalidOptionError where an option, or `fn`, cannot be used.
 */
export async function retry<T>(fn: Fn<T>, options?: RetryOptions): Promise<T> {
  requireFunction(fn)
  const plan = options === undefined ? DEFAULT_PLAN : readRetryOptions(options)
  return retryBy(plan, fn, plan.signal)
}

/** As `retry`, by options that were read before; the signal that counts is the one given here. */
export async function retryBy<T>(
  plan: RetryPlan,
  fn: Fn<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  signal?.throwIfAborted()
  plan.budget?.recordCall()
  for (let attempt = 1; ; attempt += 1) {
    try {
      const answer = callAsync(fn, new LazyAttempt(attempt, signal))
      return await (signal === undefined ? answer : unlessAborted(signal, answer))
    } catch (error) {
      // Also where a listener before ours kept the event from us.
      signal?.throwIfAborted()
      const waitMs = waitMsAfter(error, attempt, plan)
      if (waitMs === NO_RETRY) throw error
      await pause(waitMs, signal)
    }
    signal?.throwIfAborted()
  }
}

/** In place of a wait. */
const NO_RETRY = -1

/** How long to wait after the `attempt`-th attempt threw `error`, if there is to be another. */
function waitMsAfter(error: unknown, attempt: number, plan: RetryPlan): number {
  if (attempt >= plan.attempts || isRefusal(error)) return NO_RETRY
  if (plan.retryOn !== undefined && !saysRetry(plan.retryOn(error))) return NO_RETRY
  const leastMs = retryAfterMsOf(error)
  if (leastMs > plan.maxRetryAfterMs) return NO_RETRY
  if (plan.budget !== undefined && !plan.budget.tryRetry()) return NO_RETRY
  return Math.max(leastMs, backoffMsOf(plan.backoff, attempt, Math.random()))
}

function saysRetry(answer: unknown): boolean {
  if (!isThenable(answer)) return Boolean(answer)
  Promise.resolve(answer).catch(() => {}) // It is reported here, not as an unhandled rejection.
  throw new InvalidOptionError('retryOn(error)', answer, 'an answer at once, not a promise')
}

/** Turns what `fn` throws into a rejection, and whatever it returns into a promise. */
async function callAsync<T>(fn: Fn<T>, attempt: RetryAttempt): Promise<T> {
  return fn(attempt)
}

/** What `answer` says, unless `signal` is aborted before. */
function unlessAborted<T>(signal: AbortSignal, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason)
    const end = (): void => signal.removeEventListener('abort', onAbort)
    // Aborted by `fn` itself, before it returned: there is no event any more.
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    answer.finally(end).then(resolve, reject)
  })
}

/** Referenced on purpose: a process must not exit between two attempts. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const onTime = (): void => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }
    // A timer leaves out what is less than a millisecond.
    const timer = setTimeout(onTime, Math.ceil(ms))
    // Aborted by `retryOn`, after the attempt.
    if (signal?.aborted) onAbort()
    else signal?.addEventListener('abort', onAbort, { once: true })
  })
}

/** Makes a signal only when somebody reads it: one costs 3 microseconds. */
class LazyAttempt implements RetryAttempt {
  readonly attempt: number
  #signal: AbortSignal | undefined

  constructor(attempt: number, signal: AbortSignal | undefined) {
    this.attempt = attempt
    this.#signal = signal
  }

  get signal(): AbortSignal {
    this.#signal ??= new AbortController().signal
    return this.#signal
  }
}
