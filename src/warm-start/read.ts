/**
 * Reads what `registry.export()` gave, perhaps in another process and by way of a file: all of it
 * is checked before anything is made.
 */
import { InvalidOptionError } from '../errors.ts'
import { MAX_NAME_BYTES, MAX_REASON_BYTES } from '../memory/layout.ts'
import { MAX_MICROS } from '../memory/words/timed.ts'
import { encodeText } from '../options/breaker.ts'
import {
  between,
  DURATION,
  type Fields,
  numberOf,
  type Range,
  readFields,
  wholeBetween,
} from '../options/read.ts'
import type { ExportedBreaker, ExportedState } from '../options/types.ts'

/** What an export says of itself. Another number is another format. */
export const FORMAT_VERSION = 1

/** Breakers in one export: as many as a registry may have. */
export const MAX_EXPORTED = 65_536

const KEYS = ['busbar', 'breakers', 'ageMs']
const BREAKER_KEYS = ['name', 'state', 'openings', 'remainingMs', 'reason']
const STATES = ['open', 'forced-open', 'disabled', 'metrics-only'] as const
const OPENINGS = wholeBetween(0, 2 ** 32 - 1)
const ROW = wholeBetween(1, 2 ** 32 - 1)
/** What fits a time in shared memory: a wait with its jitter may be longer than options say. */
const REMAINING = between(0, MAX_MICROS / 1000)

/**
 * The breakers of an export, their waits shortened by its age. None when there is no export.
 *
 * @throws InvalidOptionError
 */
export function readImport(what: string, given: unknown): readonly ExportedBreaker[] {
  if (given === undefined) return []
  requireFormat(what, given)
  const fields = readFields(what, given, KEYS)
  const breakers = readBreakers(`${what}.breakers`, fields.get('breakers'))
  const ageMs = numberOf(what, fields, 'ageMs', DURATION, 0)
  return breakers.map(breaker => aged(breaker, ageMs))
}

function requireFormat(what: string, given: unknown): void {
  if (typeof given !== 'object' || given === null || !Object.hasOwn(given, 'busbar')) {
    throw new InvalidOptionError(what, given, 'what registry.export() gave, as an object')
  }
  const version: unknown = Reflect.get(given, 'busbar')
  if (version === FORMAT_VERSION) return
  const limit = `${FORMAT_VERSION}: this copy of busbar reads no exports of another format`
  throw new InvalidOptionError(`${what}.busbar`, version, limit)
}

/** @throws InvalidOptionError */
export function readBreakers(what: string, given: unknown): readonly ExportedBreaker[] {
  if (!(Array.isArray(given) && given.length <= MAX_EXPORTED)) {
    throw new InvalidOptionError(what, given, `an array of at most ${MAX_EXPORTED} breakers`)
  }
  const names = new Set<string>()
  return Array.from(given, (value: unknown, index) => {
    const breaker = readBreaker(`${what}[${index}]`, value)
    if (names.has(breaker.name)) {
      throw new InvalidOptionError(`${what}[${index}].name`, breaker.name, 'there only once')
    }
    names.add(breaker.name)
    return breaker
  })
}

function readBreaker(what: string, value: unknown): ExportedBreaker {
  const fields = readFields(what, value, BREAKER_KEYS)
  const name = readName(what, fields)
  const state = readState(`${what}.state`, fields.get('state'))
  const openings = required(what, fields, 'openings', state === 'open' ? ROW : OPENINGS)
  const remainingMs = readRemaining(what, fields, state)
  const reason = readText(what, fields, 'reason', MAX_REASON_BYTES)
  return Object.freeze({
    name,
    state,
    openings,
    ...(remainingMs === undefined ? {} : { remainingMs }),
    ...(reason === undefined ? {} : { reason }),
  })
}

function readName(what: string, fields: Fields): string {
  const name = readText(what, fields, 'name', MAX_NAME_BYTES)
  if (name !== undefined && name.length > 0) return name
  throw new InvalidOptionError(`${what}.name`, name, 'a string of at least one character')
}

function readText(what: string, fields: Fields, key: string, maxBytes: number): string | undefined {
  const text = fields.get(key)
  if (text !== undefined) encodeText(`${what}.${key}`, text, maxBytes)
  return text as string | undefined
}

function readState(what: string, value: unknown): ExportedState {
  const state = STATES.find(known => known === value)
  if (state !== undefined) return state
  const names = STATES.map(known => `'${known}'`).join(', ')
  throw new InvalidOptionError(what, value, `one of ${names}`)
}

/** An open breaker has a wait, a forced-open one may have, the others have none. */
function readRemaining(what: string, fields: Fields, state: ExportedState): number | undefined {
  if (state === 'open') return required(what, fields, 'remainingMs', REMAINING)
  if (!fields.has('remainingMs')) return undefined
  if (state === 'forced-open') return required(what, fields, 'remainingMs', REMAINING)
  const limit = `left out: a ${state} breaker waits for nothing`
  throw new InvalidOptionError(`${what}.remainingMs`, fields.get('remainingMs'), limit)
}

function required(what: string, fields: Fields, key: string, range: Range): number {
  const value = numberOf(what, fields, key, range, Number.NaN)
  if (range.holds(value)) return value
  throw new InvalidOptionError(`${what}.${key}`, undefined, range.text)
}

function aged(breaker: ExportedBreaker, ageMs: number): ExportedBreaker {
  const { remainingMs } = breaker
  if (remainingMs === undefined || ageMs === 0) return breaker
  return Object.freeze({ ...breaker, remainingMs: Math.max(0, remainingMs - ageMs) })
}
