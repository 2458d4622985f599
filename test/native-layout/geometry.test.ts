/** The formulas and structs of layout.json against the code that lays regions out. */
import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LayoutDescription } from '../../scripts/layout/json.ts'
import {
  BUCKET,
  DEFINITION,
  HEADER,
  LINE_BYTES,
  OPTION,
  RECORD,
  regionShapeOf,
  SHARD_BUCKETS,
  SUMMARY,
  shapeOf,
  TOTAL,
  WINDOW_CONSECUTIVE,
  WINDOW_COUNT,
  WINDOW_TIME,
} from '../../src/memory/layout.ts'
import { compute, placesOf } from './formula.ts'

const file = new URL('../../native-layout/layout.json', import.meta.url)
const layout = JSON.parse(readFileSync(file, 'utf8')) as LayoutDescription

const { REASON_STRIDE_LONGS: _stride, TRIALS_START: _end, ...FIXED_PART } = RECORD
const OFFSETS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  header: HEADER,
  options: OPTION,
  definition: DEFINITION,
  record: FIXED_PART,
  summary: SUMMARY,
  totals: TOTAL,
  bucket: BUCKET,
}
const IN_LONGS = new Set(['options', 'totals'])

const UNITS: Readonly<Record<string, number>> = { i32: 4, u32: 4, i64: 8, f64: 8 }
const threads = fc.oneof(fc.constantFrom(1, 2, 15, 16, 1023), fc.integer({ min: 1, max: 1023 }))

describe('formulas', () => {
  it('lay a region out as regionShapeOf does', () => {
    const geometry = fc.record({
      maxBreakers: fc.oneof(
        fc.constantFrom(1, 16, 17, 65_536),
        fc.integer({ min: 1, max: 65_536 }),
      ),
      maxThreads: threads,
      arenaLines: fc.integer({ min: 1, max: 1_000_000 }),
    })
    fc.assert(
      fc.property(geometry, given => {
        const shape = regionShapeOf(given)
        const { starts, bytes, values } = placesOf(layout, 'region', given)
        expect(starts).toEqual({
          header: 0,
          defaults: shape.defaultsDouble * 8,
          threads: shape.threadsLong * 8,
          presence: shape.presence * 4,
          journal: shape.journalLong * 8,
          directory: shape.directoryLong * 8,
          definitions: shape.definitions * 4,
          arena: shape.arena * 4,
        })
        expect(bytes).toBe(shape.words * 4)
        expect(values.get('definitionCount')).toBe(shape.definitionCount)
      }),
    )
  })

  it('lay a record out as shapeOf does', () => {
    const lengths = fc.oneof(
      fc.constantFrom(1, 64, 65, 4095, 16_384),
      fc.integer({ min: 1, max: 9999 }),
    )
    const options = fc.record({
      window: fc.constantFrom(WINDOW_TIME, WINDOW_COUNT, WINDOW_CONSECUTIVE),
      length: lengths,
      buckets: fc.oneof(fc.constantFrom(1, 2, 3, 1024), fc.integer({ min: 1, max: 1024 })),
      trials: fc.integer({ min: 1, max: 64 }),
      maxThreads: threads,
    })
    fc.assert(
      fc.property(options, given => {
        const shape = shapeOf(given, given.maxThreads)
        const { starts, bytes, values } = placesOf(layout, 'record', given)
        expect(starts).toEqual({
          fixed: 0,
          trials: shape.trials * 4,
          stock: shape.stock * 4,
          summary: shape.summary * 4,
          head: shape.head * 4,
          ring: shape.ring * 4,
          overflow: shape.shards * 4,
          shards: (shape.shards + shape.overflowWords) * 4,
          tallies: shape.tallies * 4,
        })
        expect(bytes).toBe(shape.lines * LINE_BYTES)
        expect(values.get('ringCapacity')).toBe(shape.ringCapacity)
        expect(values.get('timeBuckets')).toBe(shape.buckets)
        expect(values.get('shardBytes')).toBe(shape.shardWords * 4)
        expect(values.get('overflowBytes')).toBe(shape.overflowWords * 4)
      }),
    )
  })

  it('say how many of a struct a part has room for, and no less', () => {
    const variables = { maxBreakers: 40, maxThreads: 9, arenaLines: 100, trials: 5, buckets: 7 }
    for (const shape of ['region', 'record'] as const) {
      const given = { ...variables, window: WINDOW_COUNT, length: 100 }
      const { values } = placesOf(layout, shape, given)
      for (const { struct, count, bytes, name } of layout.formulas[shape].parts) {
        if (count === undefined) continue
        const size = compute(layout, values, `(${count}) * size(${struct})`)
        const room = compute(layout, values, bytes)
        expect(room - size, name).toBeGreaterThanOrEqual(0)
        expect(room - size, name).toBeLessThan(LINE_BYTES)
      }
    }
  })

  it('are refused where they say something unknown', () => {
    const wrong = ['nothing + 1', 'size(nothing)', 'half(2)', '(1', '1 1', 'is(1, 2']
    for (const formula of wrong) expect(() => compute(layout, new Map(), formula)).toThrow(formula)
    expect(compute(layout, new Map([['x', 5]]), '2 * (x - 1) / 4 + ceilTo(x, 4)')).toBe(10)
  })
})

describe('structs', () => {
  const sizeOf = (type: string): number =>
    UNITS[type] ?? layout.structs.find(({ name }) => name === type)?.size ?? Number.NaN
  const alignmentOf = (type: string): number =>
    UNITS[type] ?? layout.structs.find(({ name }) => name === type)?.alignment ?? Number.NaN

  it.each(layout.structs.map(struct => [struct.name, struct] as const))(
    '%s: words are aligned, in order, inside, and do not overlap',
    (name, { size, alignment, ownLine, words }) => {
      let end = 0
      for (const word of words) {
        // One word under two names, as the window is.
        const again = name === 'head' && word.name === 'ROW'
        expect(word.offset, word.name).toBeGreaterThanOrEqual(again ? 0 : end)
        expect(word.offset % alignmentOf(word.type), word.name).toBe(0)
        expect(alignmentOf(word.type), word.name).toBeLessThanOrEqual(alignment)
        end = word.offset + word.count * sizeOf(word.type)
      }
      expect(end).toBeLessThanOrEqual(size)
      expect(size % alignment).toBe(0)
      if (ownLine && name !== 'totals') expect(size % LINE_BYTES).toBe(0)
    },
  )

  it('leave out no offset of layout.ts', () => {
    for (const [struct, offsets] of Object.entries(OFFSETS)) {
      const words = layout.structs.find(({ name }) => name === struct)?.words ?? []
      const described = words.map(({ offset }) => offset)
      for (const [name, offset] of Object.entries(offsets)) {
        const bytes = offset * (/_(LONG|DOUBLE)$/.test(name) || IN_LONGS.has(struct) ? 8 : 4)
        expect(described, `${struct} ${name}`).toContain(bytes)
      }
    }
  })

  it('have buckets right after the totals', () => {
    expect(sizeOf('totals')).toBe(SHARD_BUCKETS * 4)
  })

  it('have words of known classes, packings and versions', () => {
    const packings = layout.packings.map(({ name, bits }) => [name, bits <= 32 ? 4 : 8] as const)
    for (const word of layout.structs.flatMap(({ words }) => words)) {
      expect(Object.keys(layout.classes)).toContain(word.class)
      expect(word.since).toBeGreaterThanOrEqual(1)
      expect(word.since).toBeLessThanOrEqual(layout.version)
      for (const text of [word.writers, word.legal, word.wraps, word.meaning]) {
        expect(text).not.toBe('')
      }
      if (word.packing === undefined) continue
      expect(packings).toContainEqual([word.packing, sizeOf(word.type)])
    }
  })
})
