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
  DURATION,
  type Fields,
  numberOf,
  POSITIVE_DURATION,
  RATE,
  readFields,
  wholeBetween,
} from './read.ts'

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
])

/** `fields` over `base`. Throws InvalidOptionError at the first field that cannot be used. */
export function resolveShared(what: string, fields: Fields, base: SharedNumbers): SharedNumbers {
  const numbers = [...base]
  const put = (key: string, option: number, range: typeof RATE): void => {
    numbers[option] = numberOf(what, fields, key, range, numbers[option] as number)
  }
  putWindow(what, fields, numbers)
  put('failureRateThreshold', OPTION.FAILURE_RATE, RATE)
  put('minimumNumberOfCalls', OPTION.MINIMUM_CALLS, CALLS)
  put('slowCallDurationThresholdMs', OPTION.SLOW_DURATION_MS, DURATION)
  put('slowCallRateThreshold', OPTION.SLOW_RATE, RATE)
  putWait(what, fields, numbers)
  put('permittedNumberOfCallsInHalfOpenState', OPTION.TRIALS, TRIALS)
  put('halfOpenFailureRateThreshold', OPTION.TRIAL_FAILURE_RATE, RATE)
  put('trialTimeoutMs', OPTION.TRIAL_TIMEOUT_MS, POSITIVE_DURATION)
  return Object.freeze(numbers)
}

function putWindow(what: string, fields: Fields, numbers: number[]): void {
  const given = fields.get('slidingWindow')
  if (given === undefined) return
  const name = `${what}.slidingWindow`
  const type = readFields(name, given, ['type', 'durationMs', 'buckets', 'size', 'failures']).get(
    'type',
  )
  let length: number
  let buckets = 1
  if (type === 'time') {
    const window = readFields(name, given, ['type', 'durationMs', 'buckets'])
    length = numberOf(name, window, 'durationMs', POSITIVE_DURATION, 10_000)
    buckets = numberOf(name, window, 'buckets', BUCKETS, 10)
    if (!(length >= buckets)) {
      throw new InvalidOptionError(
        `${name}.durationMs`,
        length,
        `at least 1 ms a bucket (${buckets})`,
      )
    }
    numbers[OPTION.WINDOW] = WINDOW_TIME
  } else if (type === 'count') {
    length = numberOf(name, readFields(name, given, ['type', 'size']), 'size', SIZE, 100)
    numbers[OPTION.WINDOW] = WINDOW_COUNT
  } else if (type === 'consecutive') {
    length = numberOf(name, readFields(name, given, ['type', 'failures']), 'failures', ROW, 5)
    numbers[OPTION.WINDOW] = WINDOW_CONSECUTIVE
  } else {
    throw new InvalidOptionError(`${name}.type`, type, "'time', 'count' or 'consecutive'")
  }
  numbers[OPTION.WINDOW_LENGTH] = length
  numbers[OPTION.BUCKETS] = buckets
}

function putWait(what: string, fields: Fields, numbers: number[]): void {
  const given = fields.get('waitDurationInOpenStateMs')
  if (given === undefined) return
  const name = `${what}.waitDurationInOpenStateMs`
  if (typeof given !== 'object') {
    const waitMs = numberOf(what, fields, 'waitDurationInOpenStateMs', DURATION, 0)
    putWaitNumbers(numbers, waitMs, 1, waitMs, 0)
    return
  }
  const wait = readFields(name, given, ['initialMs', 'multiplier', 'maxMs', 'jitter'])
  const initialMs = numberOf(name, wait, 'initialMs', DURATION, Number.NaN)
  if (!(initialMs >= 0)) throw new InvalidOptionError(`${name}.initialMs`, undefined, DURATION.text)
  const fallbackMaxMs = Math.max(initialMs, DEFAULT_MAX_WAIT_MS)
  const maxMs = numberOf(name, wait, 'maxMs', DURATION, fallbackMaxMs)
  if (!(maxMs >= initialMs)) {
    throw new InvalidOptionError(`${name}.maxMs`, maxMs, `at least initialMs (${initialMs})`)
  }
  const multiplier = numberOf(name, wait, 'multiplier', MULTIPLIER, 2)
  putWaitNumbers(numbers, initialMs, multiplier, maxMs, numberOf(name, wait, 'jitter', JITTER, 0))
}

function putWaitNumbers(
  numbers: number[],
  initialMs: number,
  multiplier: number,
  maxMs: number,
  jitter: number,
): void {
  numbers[OPTION.WAIT_INITIAL_MS] = initialMs
  numbers[OPTION.WAIT_MULTIPLIER] = multiplier
  numbers[OPTION.WAIT_MAX_MS] = maxMs
  numbers[OPTION.WAIT_JITTER] = jitter
}

/** The numbers as a user would have given them, complete. */
export function describeShared(numbers: SharedNumbers): Record<string, unknown> {
  const at = (option: number): number => numbers[option] as number
  const slowMs = at(OPTION.SLOW_DURATION_MS)
  const trialRate = at(OPTION.TRIAL_FAILURE_RATE)
  return {
    slidingWindow: describeWindow(at(OPTION.WINDOW), at(OPTION.WINDOW_LENGTH), at(OPTION.BUCKETS)),
    failureRateThreshold: at(OPTION.FAILURE_RATE),
    minimumNumberOfCalls: at(OPTION.MINIMUM_CALLS),
    slowCallDurationThresholdMs: slowMs < Number.POSITIVE_INFINITY ? slowMs : 'off',
    slowCallRateThreshold: at(OPTION.SLOW_RATE),
    waitDurationInOpenStateMs: {
      initialMs: at(OPTION.WAIT_INITIAL_MS),
      multiplier: at(OPTION.WAIT_MULTIPLIER),
      maxMs: at(OPTION.WAIT_MAX_MS),
      jitter: at(OPTION.WAIT_JITTER),
    },
    permittedNumberOfCallsInHalfOpenState: at(OPTION.TRIALS),
    halfOpenFailureRateThreshold: trialRate > 0 ? trialRate : 'off',
    trialTimeoutMs: at(OPTION.TRIAL_TIMEOUT_MS),
  }
}

function describeWindow(window: number, length: number, buckets: number): unknown {
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
      ? POSITIVE_DURATION.holds(length) && BUCKETS.holds(at(OPTION.BUCKETS))
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
    POSITIVE_DURATION.holds(at(OPTION.TRIAL_TIMEOUT_MS))
  )
}
