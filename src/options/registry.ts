/** Reads the options of a registry. */
import { InvalidOptionError, OptionsMismatchError } from '../errors.ts'
import { NO_LOCAL, type ResolvedLocal, readBreakerFields, resolveLocal } from './breaker.ts'
import { type Fields, numberOf, readFields, wholeBetween } from './read.ts'
import { DEFAULT_NUMBERS, requireSameShared, resolveShared, type SharedNumbers } from './shared.ts'

const KEYS = ['maxBreakers', 'maxThreads', 'clock', 'defaults'] as const
const BREAKERS = wholeBetween(1, 65_536)
const THREADS = wholeBetween(1, 1023)

export interface ResolvedRegistry {
  readonly maxBreakers: number
  readonly maxThreads: number
  readonly manualClock: boolean
  readonly defaults: SharedNumbers
  readonly local: ResolvedLocal
}

const DEFAULTS: ResolvedRegistry = Object.freeze({
  maxBreakers: 256,
  maxThreads: 64,
  manualClock: false,
  defaults: DEFAULT_NUMBERS,
  local: NO_LOCAL,
})

export function readRegistryOptions(options: unknown, base = DEFAULTS): ResolvedRegistry {
  if (options === undefined) return base
  const fields = readFields('options', options, KEYS)
  const breakerFields = fields.has('defaults')
    ? readBreakerFields('options.defaults', fields.get('defaults'))
    : new Map<string, unknown>()
  return Object.freeze({
    maxBreakers: numberOf('options', fields, 'maxBreakers', BREAKERS, base.maxBreakers),
    maxThreads: numberOf('options', fields, 'maxThreads', THREADS, base.maxThreads),
    manualClock: readClock(fields, base.manualClock),
    defaults: resolveShared('options.defaults', breakerFields, base.defaults),
    local: resolveLocal('options.defaults', breakerFields, base.local),
  })
}

function readClock(fields: Fields, fallback: boolean): boolean {
  const clock = fields.get('clock')
  if (clock === undefined) return fallback
  if (clock === 'manual' || clock === 'monotonic') return clock === 'manual'
  throw new InvalidOptionError('options.clock', clock, "'monotonic' or 'manual'")
}

/** Reads options given for a registry that exists: what they say must be what it was made with. */
export function readSameRegistryOptions(
  options: unknown,
  made: ResolvedRegistry,
): ResolvedRegistry {
  const asked = readRegistryOptions(options, made)
  for (const key of ['maxBreakers', 'maxThreads', 'manualClock'] as const) {
    if (asked[key] === made[key]) continue
    throw new OptionsMismatchError('the registry', { [key]: made[key] }, { [key]: asked[key] })
  }
  requireSameShared('the registry', made.defaults, asked.defaults)
  return asked
}
