/** The options that a breaker may be given while it is at work. */
import { InvalidOptionError } from '../errors.ts'
import { OPTION } from '../memory/layout.ts'
import { readFields } from './read.ts'
import { type OptionSets, readWithSet } from './sets.ts'
import { describeShared, SHARED_KEYS, type SharedNumbers, type SharedPatch } from './shared.ts'

/** What may be turned off by `null`, and the number that says so. */
const OFF: Readonly<Record<string, readonly [option: number, off: number]>> = {
  slowCallDurationThresholdMs: [OPTION.SLOW_DURATION_MS, Number.POSITIVE_INFINITY],
  halfOpenFailureRateThreshold: [OPTION.TRIAL_FAILURE_RATE, 0],
}

/** What the options say. Local ones are no use: they are each thread's own. */
export function readLive(what: string, options: unknown, sets: OptionSets): SharedPatch {
  const given = readFields(what, options, [...SHARED_KEYS, 'optionSet'])
  const isOff = (key: string): boolean => key in OFF && given.get(key) === null
  const fields = new Map([...given].filter(([key]) => !isOff(key)))
  const patch = new Map(readWithSet(what, fields, sets))
  for (const [key, [option, off]] of Object.entries(OFF)) {
    if (isOff(key)) patch.set(option, off)
  }
  return patch
}

/** What a breaker's memory is laid out by: it stays as it was made. */
const FIXED = ['slidingWindow', 'countHangingCalls'] as const

/** @throws InvalidOptionError where `wanted` needs other memory than `numbers` */
export function requireSameShape(numbers: SharedNumbers, wanted: SharedNumbers): void {
  const [before, after] = [describeShared(numbers), describeShared(wanted)]
  const keys =
    numbers[OPTION.HANGING] === 1 ? [...FIXED, 'slowCallDurationThresholdMs' as const] : FIXED
  for (const key of keys) {
    const [made, asked] = [JSON.stringify(before[key]), JSON.stringify(after[key])]
    if (made === asked) continue
    const limit = `${made}, as it was made, and not ${asked}`
    const remedy = 'it cannot change while the breaker stands (remove it and make it anew)'
    throw new InvalidOptionError(key, after[key], `${limit}: ${remedy}`)
  }
}
