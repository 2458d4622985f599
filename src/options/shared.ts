/**
 * The shared options: from what a user gives to the numbers that stand in the region, and back.
 * Defaults are those of spec 2.9, names those of Resilience4j.
 */
import { InvalidOptionError, OptionsMismatchError } from '../errors.ts'
import {
  MAX_TRIALS,
  OPTION,
  OPTION_COUNT,
  WINDOW_CONSECUTIVE,
  WINDOW_COUNT,
  WINDOW_TIME,
} from '../memory/layout.ts'
import { MAX_ROW } from '../memory/words/windows.ts'
import {
  between,
  booleanOf,
  DURATION,
  type Fields,
  numberOf,
  POSITIVE_DURATION,
  RATE,
  type Range,
  readFields,
  unknownOption,
  wholeBetween,
} from './read.ts'
import type { ResolvedOptions, SlidingWindow } from './types.ts'

export const SHARED_KEYS = [
  'slidingWindow',
  'failureRateThreshold',
  'minimumNumberOfCalls',
  'slowCallDurationThresholdMs',
  'slowCallRateThreshold',
  'waitDurationInOpenStateMs',
  'permittedNumberOfCallsInHalfOpenState',
  'halfOpenFailureRateThreshold',
  'trialTimeoutMs',
  'countHangingCalls',
] as const

/** Every shared option as a number, in the order of layout's OPTION. */
export type SharedNumbers = readonly number[]

const BUCKETS = wholeBetween(1, 1024)
const SIZE = wholeBetween(1, 16_384)
const ROW = wholeBetween(1, MAX_ROW)
const CALLS = wholeBetween(1, 1_000_000)
const TRIALS = wholeBetween(1, MAX_TRIALS)
const MULTIPLIER = between(1, 1000)
const JITTER = between(0, 1)

const DEFAULT_MAX_WAIT_MS = 600_000

export const DEFAULT_NUMBERS: SharedNumbers = Object.freeze([
  WINDOW_TIME,
  10_000,
  10,
  0.5,
  20,
  Number.POSITIVE_INFINITY,
  1,
  30_000,
  1,
  30_000,
  0,
  3,
  0,
  60_000,
  0,
])

/** What some options say: values by layout's OPTION. */
export type SharedPatch = ReadonlyMap<number, number>

/** Reads what `fields` say, each once. Throws InvalidOptionError at the first that is no use. */
export function readShared(what: string, fields: Fields): SharedPatch {
  const patch = new Map<number, number>()
  const put = (key: string, option: number, range: Range): void => {
    if (fields.has(key)) patch.set(option, numberOf(what, fields, key, range, Number.NaN))
  }
  putWindow(what, fields, patch)
  put('failureRateThreshold', OPTION.FAILURE_RATE, RATE)
  put('minimumNumberOfCalls', OPTION.MINIMUM_CALLS, CALLS)
  put('slowCallDurationThresholdMs', OPTION.SLOW_DURATION_MS, DURATION)
  put('slowCallRateThreshold', OPTION.SLOW_RATE, RATE)
  putWait(what, fields, patch)
  put('permittedNumberOfCallsInHalfOpenState', OPTION.TRIALS, TRIALS)
  put('halfOpenFailureRateThreshold', OPTION.TRIAL_FAILURE_RATE, RATE)
  put('trialTimeoutMs', OPTION.TRIAL_TIMEOUT_MS, POSITIVE_DURATION)
  const hanging = booleanOf(what, fields, 'countHangingCalls')
  if (hanging !== undefined) patch.set(OPTION.HANGING, hanging ? 1 : 0)
  return patch
}

/** Calls that hang are slow calls of a time window. */
function canTellHanging(numbers: SharedNumbers): boolean {
  const isTimed = numbers[OPTION.WINDOW] === WINDOW_TIME
  return isTimed && (numbers[OPTION.SLOW_DURATION_MS] as number) < Number.POSITIVE_INFINITY
}

/** `patch` over `base`. A minimum above a count window's size means that size. */
export function applyShared(base: SharedNumbers, patch: SharedPatch): SharedNumbers {
  const numbers = base.map((value, option) => patch.get(option) ?? value)
  if (numbers[OPTION.WINDOW] === WINDOW_COUNT) {
    const size = numbers[OPTION.WINDOW_LENGTH] as number
    numbers[OPTION.MINIMUM_CALLS] = Math.min(numbers[OPTION.MINIMUM_CALLS] as number, size)
  }
  return Object.freeze(numbers)
}

/** Refuses to count calls that hang where they cannot be told. Returns what it was given. */
export function requireCountable(numbers: SharedNumbers): SharedNumbers {
  if (numbers[OPTION.HANGING] === 0 || canTellHanging(numbers)) return numbers
  const limit = 'false without slowCallDurationThresholdMs and a time window'
  throw new InvalidOptionError('countHangingCalls', true, limit)
}

const WINDOW_KEYS: Readonly<Record<string, readonly string[]>> = {
  time: ['type', 'durationMs', 'buckets'],
  count: ['type', 'size'],
  consecutive: ['type', 'failures'],
}

function putWindow(what: string, fields: Fields, patch: Map<number, number>): void {
  if (!fields.has('slidingWindow')) return
  const name = `${what}.slidingWindow`
  const all = [...new Set(Object.values(WINDOW_KEYS).flat())]
  const window = readFields(name, fields.get('slidingWindow'), all)
  const type = window.get('type')
  const known = typeof type === 'string' && Object.hasOwn(WINDOW_KEYS, type)
  if (!known) throw new InvalidOptionError(`${name}.type`, type, "'time', 'count' or 'consecutive'")
  const keys = WINDOW_KEYS[type] ?? []
  for (const [key, value] of window) {
    if (!keys.includes(key)) throw unknownOption(name, key, value, keys)
  }
  if (type === 'time') putTimeWindow(name, window, patch)
  else {
    const isCount = type === 'count'
    patch.set(OPTION.WINDOW, isCount ? WINDOW_COUNT : WINDOW_CONSECUTIVE)
    const length = isCount
      ? numberOf(name, window, 'size', SIZE, 100)
      : numberOf(name, window, 'failures', ROW, 5)
    patch.set(OPTION.WINDOW_LENGTH, length)
    patch.set(OPTION.BUCKETS, 1)
  }
}

function putTimeWindow(name: string, window: Fields, patch: Map<number, number>): void {
  const durationMs = numberOf(name, window, 'durationMs', POSITIVE_DURATION, 10_000)
  const buckets = numberOf(name, window, 'buckets', BUCKETS, 10)
  if (!(durationMs >= buckets)) {
    const limit = `at least 1 ms a bucket (${buckets})`
    throw new InvalidOptionError(`${name}.durationMs`, durationMs, limit)
  }
  patch.set(OPTION.WINDOW, WINDOW_TIME)
  patch.set(OPTION.WINDOW_LENGTH, durationMs)
  patch.set(OPTION.BUCKETS, buckets)
}

function putWait(what: string, fields: Fields, patch: Map<number, number>): void {
  const key = 'waitDurationInOpenStateMs'
  const given = fields.get(key)
  if (given === undefined) return
  const name = `${what}.${key}`
  if (typeof given === 'number') {
    // A plain number is exact: it neither grows nor varies.
    const waitMs = numberOf(what, fields, key, DURATION, given)
    putWaitNumbers(patch, waitMs, 1, waitMs, 0)
    return
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new InvalidOptionError(name, given, `${DURATION.text}, or { initialMs, ... }`)
  }
  const wait = readFields(name, given, ['initialMs', 'multiplier', 'maxMs', 'jitter'])
  const initialMs = numberOf(name, wait, 'initialMs', DURATION, Number.NaN)
  if (!(initialMs >= 0)) throw new InvalidOptionError(`${name}.initialMs`, undefined, DURATION.text)
  const maxMs = numberOf(name, wait, 'maxMs', DURATION, Math.max(initialMs, DEFAULT_MAX_WAIT_MS))
  if (!(maxMs >= initialMs)) {
    throw new InvalidOptionError(`${name}.maxMs`, maxMs, `at least initialMs (${initialMs})`)
  }
  const multiplier = numberOf(name, wait, 'multiplier', MULTIPLIER, 2)
  putWaitNumbers(patch, initialMs, multiplier, maxMs, numberOf(name, wait, 'jitter', JITTER, 0))
}

function putWaitNumbers(
  patch: Map<number, number>,
  initialMs: number,
  multiplier: number,
  maxMs: number,
  jitter: number,
): void {
  patch.set(OPTION.WAIT_INITIAL_MS, initialMs)
  patch.set(OPTION.WAIT_MULTIPLIER, multiplier)
  patch.set(OPTION.WAIT_MAX_MS, maxMs)
  patch.set(OPTION.WAIT_JITTER, jitter)
}

/** The numbers as a user would have given them, complete. A fresh object. */
export function resolvedOptions(numbers: SharedNumbers): ResolvedOptions {
  const at = (option: number): number => numbers[option] as number
  const slowMs = at(OPTION.SLOW_DURATION_MS)
  const trialRate = at(OPTION.TRIAL_FAILURE_RATE)
  return {
    slidingWindow: describeWindow(at(OPTION.WINDOW), at(OPTION.WINDOW_LENGTH), at(OPTION.BUCKETS)),
    failureRateThreshold: at(OPTION.FAILURE_RATE),
    minimumNumberOfCalls: at(OPTION.MINIMUM_CALLS),
    ...(slowMs < Number.POSITIVE_INFINITY ? { slowCallDurationThresholdMs: slowMs } : {}),
    slowCallRateThreshold: at(OPTION.SLOW_RATE),
    waitDurationInOpenStateMs: {
      initialMs: at(OPTION.WAIT_INITIAL_MS),
      multiplier: at(OPTION.WAIT_MULTIPLIER),
      maxMs: at(OPTION.WAIT_MAX_MS),
      jitter: at(OPTION.WAIT_JITTER),
    },
    permittedNumberOfCallsInHalfOpenState: at(OPTION.TRIALS),
    ...(trialRate > 0 ? { halfOpenFailureRateThreshold: trialRate } : {}),
    trialTimeoutMs: at(OPTION.TRIAL_TIMEOUT_MS),
    countHangingCalls: at(OPTION.HANGING) === 1,
  }
}

/** The same with what is off said to be so, for messages. */
export function describeShared(numbers: SharedNumbers): Record<string, unknown> {
  const resolved = resolvedOptions(numbers)
  return Object.fromEntries(SHARED_KEYS.map(key => [key, resolved[key] ?? 'off']))
}

function describeWindow(window: number, length: number, buckets: number): SlidingWindow {
  if (window === WINDOW_TIME) return { type: 'time', durationMs: length, buckets }
  if (window === WINDOW_COUNT) return { type: 'count', size: length }
  return { type: 'consecutive', failures: length }
}

/** Throws OptionsMismatchError where `asked` differs from `made`, naming only the differences. */
export function requireSameShared(
  what: string,
  made: SharedNumbers,
  asked: SharedNumbers,
  breaker?: string,
): void {
  const difference: [Record<string, unknown>, Record<string, unknown>] = [{}, {}]
  const before = describeShared(made)
  const after = describeShared(asked)
  for (const key of SHARED_KEYS) {
    if (JSON.stringify(before[key]) === JSON.stringify(after[key])) continue
    difference[0][key] = before[key]
    difference[1][key] = after[key]
  }
  if (Object.keys(difference[0]).length > 0) {
    throw new OptionsMismatchError(what, difference[0], difference[1], breaker)
  }
}

/**
 * True when the numbers are ones that `resolveShared` can produce. Numbers from shared memory are
 * untrusted until this has been seen: they bound loops and offsets.
 */
export function areSound(numbers: SharedNumbers): boolean {
  const at = (option: number): number => numbers[option] as number
  const window = at(OPTION.WINDOW)
  const length = at(OPTION.WINDOW_LENGTH)
  const lengthHolds =
    window === WINDOW_TIME
      ? POSITIVE_DURATION.holds(length) &&
        BUCKETS.holds(at(OPTION.BUCKETS)) &&
        length >= at(OPTION.BUCKETS)
      : window === WINDOW_COUNT
        ? SIZE.holds(length)
        : window === WINDOW_CONSECUTIVE && ROW.holds(length)
  const slowMs = at(OPTION.SLOW_DURATION_MS)
  const trialRate = at(OPTION.TRIAL_FAILURE_RATE)
  return (
    numbers.length === OPTION_COUNT &&
    lengthHolds &&
    RATE.holds(at(OPTION.FAILURE_RATE)) &&
    CALLS.holds(at(OPTION.MINIMUM_CALLS)) &&
    (DURATION.holds(slowMs) || slowMs === Number.POSITIVE_INFINITY) &&
    RATE.holds(at(OPTION.SLOW_RATE)) &&
    DURATION.holds(at(OPTION.WAIT_INITIAL_MS)) &&
    MULTIPLIER.holds(at(OPTION.WAIT_MULTIPLIER)) &&
    DURATION.holds(at(OPTION.WAIT_MAX_MS)) &&
    JITTER.holds(at(OPTION.WAIT_JITTER)) &&
    TRIALS.holds(at(OPTION.TRIALS)) &&
    (RATE.holds(trialRate) || trialRate === 0) &&
    POSITIVE_DURATION.holds(at(OPTION.TRIAL_TIMEOUT_MS)) &&
    (at(OPTION.HANGING) === 0 || (at(OPTION.HANGING) === 1 && canTellHanging(numbers)))
  )
}
