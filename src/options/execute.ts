/** Reads the options of one call. Own properties only; cheap, since it is read at every call. */
import { InvalidOptionError } from '../errors.ts'
import { isWithin, TIMER_DURATION, unknownOption } from './read.ts'

export interface ExecuteOptions<T> {
  /** The caller's. Its abort ends the call at once and is ignored, never a failure. */
  readonly signal?: AbortSignal | undefined
  /** A call that takes longer is a failure. Milliseconds, at most 2^31 - 1. */
  readonly timeoutMs?: number | undefined
  /** Answers in place of any error. Its success does not make the call one. */
  readonly fallback?: ((error: unknown) => T | PromiseLike<T>) | undefined
}

export function requireFunction(fn: unknown): void {
  if (typeof fn !== 'function') throw new InvalidOptionError('fn', fn, 'a function')
}

const KEYS = ['signal', 'timeoutMs', 'fallback']

/** What `readExecuteOptions` found. Has no prototype, so that nothing is read from there. */
type OwnOptions<T> = { -readonly [K in keyof ExecuteOptions<T>]: ExecuteOptions<T>[K] }

export function readExecuteOptions<T>(options: ExecuteOptions<T>): ExecuteOptions<T> {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new InvalidOptionError('options', options, 'an object')
  }
  const own: OwnOptions<T> = Object.create(null)
  for (const key of Reflect.ownKeys(options)) {
    if (key === 'signal') own.signal = options.signal
    else if (key === 'timeoutMs') own.timeoutMs = options.timeoutMs
    else if (key === 'fallback') own.fallback = options.fallback
    else throw unknownOption('options', key, Reflect.get(options, key), KEYS)
  }
  const { signal, timeoutMs, fallback } = own
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new InvalidOptionError('options.signal', signal, 'an AbortSignal')
  }
  if (timeoutMs !== undefined && !isWithin(timeoutMs, TIMER_DURATION)) {
    throw new InvalidOptionError('options.timeoutMs', timeoutMs, TIMER_DURATION.text)
  }
  if (fallback !== undefined && typeof fallback !== 'function') {
    throw new InvalidOptionError('options.fallback', fallback, 'a function')
  }
  return own
}
