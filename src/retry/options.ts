/** What a retried call may be given. Read once a call: own properties, unknown ones refused. */
import { InvalidOptionError } from '../errors.ts'
import {
  between,
  type Fields,
  functionOf,
  numberOf,
  readFields,
  wholeBetween,
} from '../options/read.ts'

/** What a retried call asks of a budget. */
export interface Budget {
  /** A call begins, with its first attempt. */
  recordCall(): void
  /** Whether there may be a further attempt. If so, it counts as made. */
  tryRetry(): boolean
}

/** The wait before the n-th retry is at most `min(maxMs, initialMs * multiplier^(n - 1))`. */
export interface BackoffOptions {
  /** Milliseconds, 0 to 2^31 - 1. Default 100. */
  readonly initialMs?: number | undefined
  /** 1 to 1,000. Default 2. */
  readonly multiplier?: number | undefined
  /** Milliseconds, `initialMs` to 2^31 - 1. Default 10,000, or `initialMs` where that is more. */
  readonly maxMs?: number | undefined
  /**
   * `'full'`: uniform from 0 to that, so that callers who failed together do not come back
   * together. `'none'`: exactly that. Default `'full'`.
   */
  readonly jitter?: 'full' | 'none' | undefined
}

export interface RetryOptions {
  /** Calls at the most, the first included. 1 to 100; default 3. */
  readonly attempts?: number | undefined
  readonly backoff?: BackoffOptions | undefined
  /** Bounds the retries of all who share it, in all threads. Without one only `attempts` bounds. */
  readonly budget?: Budget | undefined
  /** The caller's. Its abort ends the attempt, or the wait, at once. */
  readonly signal?: AbortSignal | undefined
  /**
   * Whether an error is worth another attempt. Default: every error is. The caller's own abort and
   * the refusals of any busbar part never are, and never reach it.
   */
  readonly retryOn?: ((error: unknown) => boolean) | undefined
  /**
   * A `Retry-After` that asks for longer ends the retrying at once. Milliseconds, 0 to 2^31 - 1;
   * default 60,000.
   */
  readonly maxRetryAfterMs?: number | undefined
}

export type Backoff = {
  readonly [Key in keyof BackoffOptions]-?: Exclude<BackoffOptions[Key], undefined>
}

/** The options of one call, complete. */
export interface RetryPlan {
  readonly attempts: number
  readonly backoff: Backoff
  readonly budget: Budget | undefined
  readonly signal: AbortSignal | undefined
  readonly retryOn: ((error: unknown) => boolean) | undefined
  readonly maxRetryAfterMs: number
}

const DEFAULT_BACKOFF: Backoff = Object.freeze({
  initialMs: 100,
  multiplier: 2,
  maxMs: 10_000,
  jitter: 'full',
})

export const DEFAULT_PLAN: RetryPlan = Object.freeze({
  attempts: 3,
  backoff: DEFAULT_BACKOFF,
  budget: undefined,
  signal: undefined,
  retryOn: undefined,
  maxRetryAfterMs: 60_000,
})

const KEYS = ['attempts', 'backoff', 'budget', 'signal', 'retryOn', 'maxRetryAfterMs']
const BACKOFF_KEYS = ['initialMs', 'multiplier', 'maxMs', 'jitter']

/** setTimeout turns more than this into 1 ms. */
const MAX_TIMER_MS = 2 ** 31 - 1

const ATTEMPTS = wholeBetween(1, 100)
const MULTIPLIER = between(1, 1000)
const WAIT_MS = between(0, MAX_TIMER_MS)

export function readRetryOptions(options: RetryOptions): RetryPlan {
  const fields = readFields('options', options, KEYS)
  const { attempts, maxRetryAfterMs } = DEFAULT_PLAN
  return {
    attempts: numberOf('options', fields, 'attempts', ATTEMPTS, attempts),
    backoff: readBackoff(fields.get('backoff')),
    budget: readBudget(fields.get('budget')),
    signal: readSignal(fields.get('signal')),
    retryOn: functionOf('options', fields, 'retryOn') as RetryPlan['retryOn'],
    maxRetryAfterMs: numberOf('options', fields, 'maxRetryAfterMs', WAIT_MS, maxRetryAfterMs),
  }
}

function readBackoff(backoff: unknown): Backoff {
  if (backoff === undefined) return DEFAULT_BACKOFF
  const what = 'options.backoff'
  const fields = readFields(what, backoff, BACKOFF_KEYS)
  const { initialMs: usualMs, multiplier, maxMs } = DEFAULT_BACKOFF
  const initialMs = numberOf(what, fields, 'initialMs', WAIT_MS, usualMs)
  const upToMax = between(initialMs, MAX_TIMER_MS)
  return {
    initialMs,
    multiplier: numberOf(what, fields, 'multiplier', MULTIPLIER, multiplier),
    maxMs: numberOf(what, fields, 'maxMs', upToMax, Math.max(maxMs, initialMs)),
    jitter: readJitter(fields),
  }
}

function readJitter(fields: Fields): Backoff['jitter'] {
  const jitter = fields.get('jitter')
  if (jitter === undefined) return DEFAULT_BACKOFF.jitter
  if (jitter === 'full' || jitter === 'none') return jitter
  throw new InvalidOptionError('options.backoff.jitter', jitter, "'full' or 'none'")
}

function readBudget(budget: unknown): Budget | undefined {
  if (budget === undefined || isBudget(budget)) return budget
  throw new InvalidOptionError('options.budget', budget, 'a retry budget of a registry')
}

function isBudget(value: unknown): value is Budget {
  return (
    typeof value === 'object' &&
    value !== null &&
    'recordCall' in value &&
    typeof value.recordCall === 'function' &&
    'tryRetry' in value &&
    typeof value.tryRetry === 'function'
  )
}

function readSignal(signal: unknown): AbortSignal | undefined {
  if (signal === undefined || signal instanceof AbortSignal) return signal
  throw new InvalidOptionError('options.signal', signal, 'an AbortSignal')
}
