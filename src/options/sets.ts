/** Named sets of options: read where a registry is made, known in every thread by its handle. */
import { InvalidOptionError } from '../errors.ts'
import type { Fields } from './read.ts'
import { readFields } from './read.ts'
import { readShared, SHARED_KEYS, type SharedPatch } from './shared.ts'

export type OptionSets = ReadonlyMap<string, SharedPatch>

/** The sets as they travel in a handle: numbers by layout's OPTION. */
export type PackedSets = Readonly<Record<string, readonly (readonly [number, number])[]>>

export const NO_SETS: OptionSets = new Map()

/** @throws InvalidOptionError */
export function readOptionSets(what: string, given: unknown): OptionSets {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new InvalidOptionError(what, given, 'an object of option sets by name')
  }
  const sets = new Map<string, SharedPatch>()
  for (const [name, options] of Object.entries(given)) {
    const inner = `${what}.${name}`
    sets.set(name, readShared(inner, readFields(inner, options, SHARED_KEYS)))
  }
  return sets
}

export function packSets(sets: OptionSets): PackedSets {
  return Object.fromEntries([...sets].map(([name, patch]) => [name, [...patch]]))
}

/** Whether it is what `packSets` makes, or nothing. What a handle says is not to be trusted. */
export function isPacked(packed: unknown): packed is PackedSets | undefined {
  if (packed === undefined) return true
  if (typeof packed !== 'object' || packed === null) return false
  return Object.values(packed).every(patch => Array.isArray(patch) && patch.every(isOption))
}

function isOption(option: unknown): boolean {
  return (
    Array.isArray(option) && option.length === 2 && option.every(value => typeof value === 'number')
  )
}

/** What `packSets` made of them. */
export function unpackSets(packed: PackedSets | undefined): OptionSets {
  if (packed === undefined) return NO_SETS
  return new Map(Object.entries(packed).map(([name, patch]) => [name, new Map(patch)]))
}

/** What `fields` say over the set that they name. @throws InvalidOptionError */
export function readWithSet(what: string, fields: Fields, sets: OptionSets): SharedPatch {
  const patch = readShared(what, fields)
  const name = fields.get('optionSet')
  if (name === undefined) return patch
  const set = typeof name === 'string' ? sets.get(name) : undefined
  if (set !== undefined) return new Map([...set, ...patch])
  const known = [...sets.keys()].map(key => `'${key}'`).join(', ')
  const limit = known === '' ? 'left out: the registry was made without optionSets' : known
  throw new InvalidOptionError(`${what}.optionSet`, name, limit)
}
