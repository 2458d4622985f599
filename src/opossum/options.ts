/** Reads opossum's options, and says them in busbar's. */
import { InvalidOptionError } from '../errors.ts'
import {
  between,
  booleanOf,
  DURATION,
  type Fields,
  functionOf,
  numberOf,
  POSITIVE_DURATION,
  type Range,
  readFields,
  TIMER_DURATION,
  wholeBetween,
} from '../options/read.ts'
import type { SharedOptions } from '../options/types.ts'
import { getRegistry } from '../process.ts'
import { Registry } from '../registry.ts'
import { Coalescing, MemoryCache, type ResultCache, TransportCache } from './caches.ts'
import { readState } from './state.ts'
import { STATUS_KEYS, Status } from './status.ts'
import type { CacheTransport, CoalesceResetOn, State } from './types.ts'

const KEYS = [
  'registry',
  'name',
  'group',
  'timeout',
  'errorThresholdPercentage',
  'resetTimeout',
  'volumeThreshold',
  'capacity',
  'errorFilter',
  'cache',
  'cacheTTL',
  'cacheSize',
  'cacheGetKey',
  'cacheTransport',
  'coalesce',
  'coalesceTTL',
  'coalesceSize',
  'coalesceResetOn',
  'allowWarmUp',
  'abortController',
  'autoRenewAbortController',
  'enabled',
  'state',
  'status',
  ...STATUS_KEYS,
] as const

type Key = (typeof KEYS)[number]

const DEFAULT_TIMEOUT_MS = 10_000
const DEFAULT_RESET_MS = 30_000
const DEFAULT_WINDOW_MS = 10_000
const DEFAULT_BUCKETS = 10
const DEFAULT_PERCENTAGE = 50
const DEFAULT_SIZE = 2 ** 24 - 1
const MIN_TRIAL_TIMEOUT_MS = 60_000
const PERCENT = 100

const PERCENTAGE = between(0, PERCENT)
const VOLUME = wholeBetween(0, 1_000_000)
const SIZE = wholeBetween(1, DEFAULT_SIZE)
const MAX_CAPACITY = 4096
const CAPACITY: Range = {
  text: `a whole number from 1 to ${MAX_CAPACITY}, or Number.MAX_SAFE_INTEGER for no limit`,
  holds: value =>
    (Number.isInteger(value) && value >= 1 && value <= MAX_CAPACITY) ||
    value === Number.MAX_SAFE_INTEGER,
}
const RESETS: readonly unknown[] = ['error', 'success', 'timeout'] satisfies CoalesceResetOn[]

/** A circuit's options, complete. */
export interface Settings {
  readonly registry: Registry
  readonly name: string | undefined
  readonly group: string | undefined
  /** What the breaker is made with. */
  readonly shared: SharedOptions
  readonly timeoutMs: number | undefined
  readonly resetTimeoutMs: number
  readonly volumeThreshold: number
  readonly windowMs: number
  readonly keepsLatencies: boolean
  /** Undefined: any number of calls. */
  readonly capacity: number | undefined
  readonly errorFilter: ((error: unknown) => unknown) | undefined
  readonly keyOf: (args: readonly unknown[]) => string
  readonly cache: ResultCache | undefined
  readonly coalescing: Coalescing | undefined
  readonly warmsUp: boolean
  readonly abortController: AbortController | undefined
  readonly renewsAbortController: boolean
  readonly enabled: boolean
  readonly state: State
  readonly status: Status
}

/** @throws InvalidOptionError, NoRegistryError */
export function readSettings(options: unknown): Settings {
  const fields = readFields('options', options, KEYS)
  const registry = registryOf(fields)
  const now = (): number => registry.now()
  const state = readState(fields.get('state'))
  const timeoutMs = timeoutOf(fields)
  const resetTimeoutMs = number(fields, 'resetTimeout', DURATION, DEFAULT_RESET_MS)
  const volumeThreshold = number(fields, 'volumeThreshold', VOLUME, 0)
  const windowMs = number(fields, 'rollingCountTimeout', POSITIVE_DURATION, DEFAULT_WINDOW_MS)
  return {
    registry,
    name: textOf(fields, 'name'),
    group: textOf(fields, 'group'),
    shared: sharedOf(fields, windowMs, resetTimeoutMs, volumeThreshold, timeoutMs),
    timeoutMs,
    resetTimeoutMs,
    volumeThreshold,
    windowMs,
    keepsLatencies: boolean(fields, 'rollingPercentilesEnabled', true),
    capacity: capacityOf(fields),
    errorFilter: functionOf('options', fields, 'errorFilter') as Settings['errorFilter'],
    keyOf: keyOf(fields),
    cache: cacheOf(fields, now),
    coalescing: coalescingOf(fields, timeoutMs, now),
    warmsUp: boolean(fields, 'allowWarmUp', false) || state.warmUp === true,
    abortController: controllerOf(fields),
    renewsAbortController: boolean(fields, 'autoRenewAbortController', false),
    enabled: state.enabled ?? boolean(fields, 'enabled', true),
    state,
    status: statusOf(fields, now),
  }
}

function number(fields: Fields, key: Key, range: Range, fallback: number): number {
  return numberOf('options', fields, key, range, fallback)
}

function boolean(fields: Fields, key: Key, fallback: boolean): boolean {
  return booleanOf('options', fields, key) ?? fallback
}

function registryOf(fields: Fields): Registry {
  const registry = fields.get('registry') ?? getRegistry()
  if (registry instanceof Registry) return registry
  throw new InvalidOptionError('options.registry', registry, 'a registry')
}

function textOf(fields: Fields, key: 'name' | 'group'): string | undefined {
  const text = fields.get(key)
  if (text === undefined || (typeof text === 'string' && text !== '')) return text
  throw new InvalidOptionError(`options.${key}`, text, 'a string of at least one character')
}

function timeoutOf(fields: Fields): number | undefined {
  const timeout = fields.get('timeout')
  if (timeout === false || timeout === 0) return undefined
  if (timeout === undefined || typeof timeout === 'number') {
    return number(fields, 'timeout', TIMER_DURATION, DEFAULT_TIMEOUT_MS)
  }
  throw new InvalidOptionError('options.timeout', timeout, `false, or ${TIMER_DURATION.text}`)
}

/**
 * opossum opens above its percentage, busbar at its threshold: just above is where that begins.
 * (Rates of up to 2^25 calls are further apart than that.) Nothing is above 100 percent, so that is
 * reached when every call has failed.
 */
function rateAbove(percentage: number): number {
  const rate = percentage / PERCENT
  return rate > 0 ? Math.min(1, rate * (1 + Number.EPSILON)) : Number.MIN_VALUE
}

function sharedOf(
  fields: Fields,
  windowMs: number,
  resetTimeoutMs: number,
  volumeThreshold: number,
  timeoutMs: number | undefined,
): SharedOptions {
  const buckets = number(fields, 'rollingCountBuckets', wholeBetween(1, 1024), DEFAULT_BUCKETS)
  const percentage = number(fields, 'errorThresholdPercentage', PERCENTAGE, DEFAULT_PERCENTAGE)
  return {
    slidingWindow: { type: 'time', durationMs: windowMs, buckets },
    failureRateThreshold: rateAbove(percentage),
    minimumNumberOfCalls: Math.max(1, volumeThreshold),
    waitDurationInOpenStateMs: resetTimeoutMs,
    permittedNumberOfCallsInHalfOpenState: 1,
    // A loop that was blocked may give a call its time twice.
    trialTimeoutMs: Math.max(MIN_TRIAL_TIMEOUT_MS, 2 * (timeoutMs ?? 0)),
  }
}

function capacityOf(fields: Fields): number | undefined {
  const capacity = number(fields, 'capacity', CAPACITY, Number.MAX_SAFE_INTEGER)
  return capacity === Number.MAX_SAFE_INTEGER ? undefined : capacity
}

function keyOf(fields: Fields): Settings['keyOf'] {
  const getKey = functionOf('options', fields, 'cacheGetKey') as
    | ((...args: readonly unknown[]) => string)
    | undefined
  return args => (getKey === undefined ? JSON.stringify(args) : getKey(...args))
}

function cacheOf(fields: Fields, now: () => number): ResultCache | undefined {
  const ttlMs = number(fields, 'cacheTTL', DURATION, 0)
  const size = number(fields, 'cacheSize', SIZE, DEFAULT_SIZE)
  const transport = fields.get('cacheTransport')
  if (transport !== undefined && !isTransport(transport)) {
    const limit = 'an object with get, set and flush methods'
    throw new InvalidOptionError('options.cacheTransport', transport, limit)
  }
  if (!boolean(fields, 'cache', false)) return undefined
  return transport === undefined
    ? new MemoryCache(ttlMs, size, now)
    : new TransportCache(transport, ttlMs)
}

function isTransport(value: unknown): value is CacheTransport {
  const { get, set, flush } = Object(value)
  return [get, set, flush].every(method => typeof method === 'function')
}

function coalescingOf(
  fields: Fields,
  timeoutMs: number | undefined,
  now: () => number,
): Coalescing | undefined {
  const ttlMs = number(fields, 'coalesceTTL', POSITIVE_DURATION, timeoutMs ?? DEFAULT_TIMEOUT_MS)
  const size = number(fields, 'coalesceSize', SIZE, DEFAULT_SIZE)
  const resetOn = fields.get('coalesceResetOn') ?? []
  if (!(Array.isArray(resetOn) && resetOn.every(ending => RESETS.includes(ending)))) {
    const limit = "an array of 'error', 'success' and 'timeout'"
    throw new InvalidOptionError('options.coalesceResetOn', resetOn, limit)
  }
  if (!boolean(fields, 'coalesce', false)) return undefined
  return new Coalescing(ttlMs, size, resetOn as CoalesceResetOn[], now)
}

function controllerOf(fields: Fields): AbortController | undefined {
  const controller = fields.get('abortController')
  if (controller === undefined || isController(controller)) return controller
  throw new InvalidOptionError('options.abortController', controller, 'an AbortController')
}

/** Node's own, or one that acts like it. */
function isController(value: unknown): value is AbortController {
  const { abort, signal } = Object(value)
  return typeof abort === 'function' && typeof signal?.aborted === 'boolean'
}

function statusOf(fields: Fields, now: () => number): Status {
  const status = fields.get('status')
  if (status instanceof Status) return status
  if (status !== undefined) {
    throw new InvalidOptionError('options.status', status, 'what CircuitBreaker.newStatus gave')
  }
  const options = STATUS_KEYS.map(key => [key, fields.get(key)] as const)
  return new Status(Object.fromEntries(options), now)
}
