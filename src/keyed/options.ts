/** Reads the options of a group of keyed breakers. */
import { InvalidOptionError } from '../errors.ts'
import { BREAKER_KEYS } from '../options/breaker.ts'
import { DURATION, numberOf, readFields, wholeBetween } from '../options/read.ts'
import type { BreakerOptions } from '../options/types.ts'

export interface KeyedOptions extends BreakerOptions {
  /** Breakers of the group at a time, over all threads. 1 to 65,536. Must be given. */
  readonly max: number
  /**
   * For how long nobody must have used a breaker before it may make room. Milliseconds, at least 0;
   * default 0: whichever was idle for longest.
   */
  readonly idleAfterMs?: number | undefined
  /**
   * What `breaker(key)` does when there are `max` of them and none may go: throws, or gives the
   * breaker named `prefix`, which all further keys share until there is room. Default `'error'`.
   */
  readonly overflow?: 'error' | 'shared' | undefined
}

export interface ReadKeyed {
  readonly max: number
  readonly idleAfterMs: number
  readonly shares: boolean
  /** The rest: what each breaker is made with. */
  readonly options: BreakerOptions
}

/** Every option of a group besides those of its breakers. */
export const KEYED_KEYS: readonly string[] = ['max', 'idleAfterMs', 'overflow']
const MAX = wholeBetween(1, 65_536)

export function readKeyed(options: KeyedOptions): ReadKeyed {
  const given = readFields('options', options, [...KEYED_KEYS, ...BREAKER_KEYS])
  const max = numberOf('options', given, 'max', MAX, Number.NaN)
  if (!(max >= 1)) throw new InvalidOptionError('options.max', undefined, MAX.text)
  const idleAfterMs = numberOf('options', given, 'idleAfterMs', DURATION, 0)
  const overflow = given.get('overflow')
  if (overflow !== undefined && overflow !== 'error' && overflow !== 'shared') {
    throw new InvalidOptionError('options.overflow', overflow, "'error' or 'shared'")
  }
  const rest = Object.fromEntries([...given].filter(([key]) => !KEYED_KEYS.includes(key)))
  return { max, idleAfterMs, shares: overflow === 'shared', options: Object.freeze(rest) }
}
