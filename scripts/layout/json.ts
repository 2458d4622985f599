/** layout.json: the whole description as data, and the fingerprint of what programs depend on. */
import { createHash } from 'node:crypto'
import * as described from '../../src/memory/described/index.ts'
import type { Constant, Part } from '../../src/memory/described/types.ts'
import { LAYOUT_VERSION, LINE_BYTES, MAGIC } from '../../src/memory/layout.ts'

export function describeLayout() {
  return {
    generated: 'by `npm run layout` from src/memory/: do not edit',
    version: LAYOUT_VERSION,
    byteOrder: "the machine's",
    units: 'offsets, sizes and alignments are in bytes, shifts in bits from the lowest',
    magic: MAGIC,
    lineBytes: LINE_BYTES,
    classes: described.CLASSES,
    rules: described.RULES,
    constants: described.CONSTANTS,
    enumerations: described.ENUMERATIONS,
    packings: described.PACKINGS,
    structs: described.STRUCTS.map(({ words, ...struct }) => ({
      ...struct,
      words: words.map(({ name, offset, type, count = 1, ...word }) => ({
        name,
        offset,
        type,
        count,
        ...word,
        wraps: word.wraps ?? 'never',
      })),
    })),
    formulas: {
      functions: described.FUNCTIONS,
      region: described.REGION,
      record: described.RECORD,
      control: described.CONTROL,
    },
  }
}

export type LayoutDescription = ReturnType<typeof describeLayout>

export function jsonText(): string {
  return `${JSON.stringify(describeLayout(), null, 2)}\n`
}

/**
 * 16 hexadecimal digits that change with what a program may depend on: numbers, places, types,
 * classes, packings and formulas. Sentences do not matter, nor does who needs the header.
 */
export function fingerprintOf(layout: LayoutDescription): string {
  const text = JSON.stringify(machinePartOf(layout))
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

function machinePartOf(layout: LayoutDescription): unknown {
  const { version, magic, lineBytes, constants, enumerations, packings, structs, formulas } = layout
  return [
    [version, magic, lineBytes],
    constants.map(constantOf),
    enumerations.map(({ name, values }) => [name, values.map(constantOf)]),
    packings.map(({ name, bits, base = 0, fields }) => [
      name,
      bits,
      base,
      fields.map(field => [field.name, field.bits, field.shift]),
    ]),
    structs.map(({ name, size, alignment, ownLine, words }) => [
      [name, size, alignment, ownLine],
      words.map(word => [
        word.name,
        word.offset,
        word.type,
        word.count,
        word.class,
        word.packing ?? null,
      ]),
    ]),
    [formulas.region, formulas.record, formulas.control].map(shape => [
      Object.keys(shape.variables),
      shape.formulas.map(({ name, formula }) => [name, formula]),
      shape.parts.map(placeOf),
    ]),
  ]
}

function constantOf({ name, value }: Constant): unknown {
  return [name, value]
}

function placeOf({ name, struct, count, bytes }: Part): unknown {
  return [name, struct ?? null, count ?? null, bytes]
}
