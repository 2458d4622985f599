/** Reads the options of an adapter that keeps breakers by key: its own, and those of `keyed()`. */
import { KEYED_KEYS, type KeyedOptions } from '../keyed/options.ts'
import { BREAKER_KEYS } from '../options/breaker.ts'
import { type Fields, readFields } from '../options/read.ts'

export interface SplitOptions {
  readonly own: Fields
  /** Checked by `keyed()`. */
  readonly keyed: KeyedOptions
}

/** `without`: options of breakers that say nothing here. @throws InvalidOptionError */
export function splitOptions(
  options: unknown,
  ownKeys: readonly string[],
  without: readonly string[],
): SplitOptions {
  const known = [...ownKeys, ...KEYED_KEYS, ...BREAKER_KEYS]
  const own = readFields(
    'options',
    options,
    known.filter(key => !without.includes(key)),
  )
  const rest = [...own].filter(([key]) => !ownKeys.includes(key))
  return { own, keyed: Object.fromEntries(rest) as unknown as KeyedOptions }
}
