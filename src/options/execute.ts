/** Reads the options of one call: own enumerable properties. Cheap, as every call may have some. */
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

export function readExecuteOptions<T>(options: ExecuteOptions<T>): ExecuteOptions<T> {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new InvalidOptionError('options', options, 'an object')
  }
  let signal: ExecuteOptions<T>['signal']
  let timeoutMs: ExecuteOptions<T>['timeoutMs']
  let fallback: ExecuteOptions<T>['fallback']
  // Not Reflect.ownKeys, which takes longer than all else that a refusal does.
  for (const key of Object.keys(options)) {
    if (key === 'signal') signal = options.signal
    else if (key === 'timeoutMs') timeoutMs = options.timeoutMs
    else if (key === 'fallback') fallback = options.fallback
    else throw unknownOption('options', key, Reflect.get(options, key), KEYS)
  }
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new InvalidOptionError('options.signal', signal, 'an AbortSignal')
  }
  if (timeoutMs !== undefined && !isWithin(timeoutMs, TIMER_DURATION)) {
    throw new InvalidOptionError('options.timeoutMs', timeoutMs, TIMER_DURATION.text)
  }
  if (fallback !== undefined && typeof fallback !== 'function') {
    throw new InvalidOptionError('options.fallback', fallback, 'a function')
  }
  return { signal, timeoutMs, fallback }
}
