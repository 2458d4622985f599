/** Packings by their description: words of fields, and fields to make words of. */
import * as fc from 'fast-check'
import { PACKINGS } from '../../src/memory/described/index.ts'
import * as timed from '../../src/memory/words/timed.ts'

export type Fields = Readonly<Record<string, bigint>>

export function packingOf(name: string) {
  const packing = PACKINGS.find(found => found.name === name)
  if (packing === undefined) throw new Error(`no packing ${name}`)
  return packing
}

/** The word by its description, unsigned. */
export function build(name: string, given: Fields): bigint {
  const { fields, base = 0 } = packingOf(name)
  const parts = fields.map(field => (given[field.name] ?? 0n) << BigInt(field.shift))
  return parts.reduce((word, part) => word + part, BigInt(base))
}

/** Values that fill the fields of a packing, their ends more often than chance has it. */
export function anyFields(name: string): fc.Arbitrary<Fields> {
  const arbitraries = packingOf(name).fields.map(field => {
    const max = (1n << BigInt(field.bits)) - 1n
    const values = fc.oneof(fc.constantFrom(0n, 1n, max - 1n, max), fc.bigInt(0n, max))
    return [field.name, values] as const
  })
  return fc.record(Object.fromEntries(arbitraries))
}

export const number = (value: bigint | undefined): number => Number(value ?? 0n)
export const unsigned = (word: number | bigint): bigint =>
  typeof word === 'bigint' ? BigInt.asUintN(64, word) : BigInt(word >>> 0)

/** Milliseconds that are stored as just so many microseconds. */
export const msOf = (micros: bigint | undefined): number =>
  micros === BigInt(timed.MAX_MICROS) ? Number.POSITIVE_INFINITY : number(micros) / 1000

/** As JavaScript has the word in its hands: a permit is no word. */
export function signed(name: string, word: bigint): bigint {
  const { bits } = packingOf(name)
  if (name === 'PERMIT') return word
  return BigInt.asIntN(bits > 32 ? 64 : 32, word)
}
