/** Reads objects that users give: own properties only, each read once, unknown ones refused. */
import { InvalidOptionError } from '../errors.ts'

export type Fields = ReadonlyMap<string, unknown>

/** The own fields of `value` that are not undefined. Refuses what is not an object or not known. */
export function readFields(what: string, value: unknown, known: readonly string[]): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidOptionError(what, value, 'an object')
  }
  const fields = new Map<string, unknown>()
  for (const key of Reflect.ownKeys(value)) {
    if (typeof key !== 'string' || !known.includes(key)) {
      throw unknownOption(what, key, Reflect.get(value, key), known)
    }
    const field: unknown = Reflect.get(value, key)
    if (field !== undefined) fields.set(key, field)
  }
  return fields
}

export function unknownOption(
  what: string,
  key: PropertyKey,
  value: unknown,
  known: readonly string[],
): InvalidOptionError {
  const limit = `left out: there is no such option (there are: ${known.join(', ')})`
  return new InvalidOptionError(`${what}.${String(key)}`, value, limit)
}

export interface Range {
  readonly text: string
  holds(value: number): boolean
}

/** Whether `value` is a number (not something that turns into one) within `range`. */
export function isWithin(value: unknown, range: Range): value is number {
  return typeof value === 'number' && range.holds(value)
}

export const RATE: Range = {
  text: 'a number greater than 0 and at most 1',
  holds: value => value > 0 && value <= 1,
}

/** Ten years in milliseconds: the longest time that any option may say. */
const MAX_MS = 315_360_000_000

export const DURATION: Range = {
  text: `a number of milliseconds from 0 to ${MAX_MS} (ten years)`,
  holds: value => value >= 0 && value <= MAX_MS,
}

export const POSITIVE_DURATION: Range = {
  text: `a number of milliseconds greater than 0 and at most ${MAX_MS} (ten years)`,
  holds: value => value > 0 && value <= MAX_MS,
}

/** setTimeout turns more than this into 1 ms. */
export const TIMER_DURATION: Range = {
  text: 'a number of milliseconds greater than 0 and at most 2147483647',
  holds: value => value > 0 && value <= 2147483647,
}

export function between(low: number, high: number): Range {
  return {
    text: `a number from ${low} to ${high}`,
    holds: value => value >= low && value <= high,
  }
}

export function wholeBetween(low: number, high: number): Range {
  return {
    text: `a whole number from ${low} to ${high}`,
    holds: value => Number.isInteger(value) && value >= low && value <= high,
  }
}

/** The field as a number within `range`, or `fallback` when it was left out. */
export function numberOf(
  what: string,
  fields: Fields,
  key: string,
  range: Range,
  fallback: number,
): number {
  const value = fields.get(key)
  if (value === undefined) return fallback
  if (isWithin(value, range)) return value
  throw new InvalidOptionError(`${what}.${key}`, value, range.text)
}

export function booleanOf(what: string, fields: Fields, key: string): boolean | undefined {
  const value = fields.get(key)
  if (value === undefined || typeof value === 'boolean') return value
  throw new InvalidOptionError(`${what}.${key}`, value, 'true or false')
}

export function functionOf(what: string, fields: Fields, key: string): unknown {
  const value = fields.get(key)
  if (value === undefined || typeof value === 'function') return value
  throw new InvalidOptionError(`${what}.${key}`, value, 'a function')
}

/** Milliseconds between two ticks of the keeper. */
export const TICK_MS = wholeBetween(1, 1000)
