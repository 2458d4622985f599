/** The formulas and structs of layout.json against the code that lays regions out. */
import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LayoutDescription } from '../../scripts/layout/json.ts'
import {
  BUDGET_OPTION,
  BULKHEAD,
  BULKHEAD_OPTION,
  CONTROL,
  CONTROL_KIND,
  controlShapeOf,
  HOST,
  HOST_GROUP,
  HOST_OPTION,
  HOSTS_OPTION,
  RETRY_BUDGET,
  THROTTLE,
  THROTTLE_OPTION,
  WAITER,
} from '../../src/memory/controls.ts'
import {
  AGE,
  AGE_BUCKETS,
  AGE_WORDS,
  BUCKET,
  BUCKET_WORDS,
  DEFINITION,
  HEADER,
  HUNG,
  LINE_BYTES,
  OPTION,
  OPTION_COUNT,
  RECORD,
  SHARD_BUCKETS,
  SUMMARY,
  shapeOf,
  TOTAL,
  WINDOW_CONSECUTIVE,
  WINDOW_COUNT,
  WINDOW_TIME,
} from '../../src/memory/layout.ts'
import { regionShapeOf } from '../../src/memory/region-shape.ts'
import { compute, placesOf } from './formula.ts'

const file = new URL('../../native-layout/layout.json', import.meta.url)
const layout = JSON.parse(readFileSync(file, 'utf8')) as LayoutDescription

const DUTY = { DUTY_LONG: CONTROL.DUTY_LONG }
const { REASON_STRIDE_LONGS: _stride, TRIALS_START: _end, ...FIXED_PART } = RECORD
const OFFSETS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  header: HEADER,
  options: OPTION,
  definition: DEFINITION,
  record: FIXED_PART,
  summary: SUMMARY,
  totals: TOTAL,
  bucket: BUCKET,
  hung: HUNG,
  age_bucket: AGE,
  throttle_options: THROTTLE_OPTION,
  bulkhead_options: BULKHEAD_OPTION,
  retry_budget_options: BUDGET_OPTION,
  host_group_options: HOSTS_OPTION,
  host_options: HOST_OPTION,
  throttle: { STATE: CONTROL.STATE, PROBABILITY: CONTROL.PROBABILITY, ...DUTY },
  bulkhead: { STATE: CONTROL.STATE, WAITING: CONTROL.WAITING, RELEASES: CONTROL.RELEASES },
  host_group: { STATE: CONTROL.STATE, EJECTIONS: CONTROL.EJECTIONS, ...DUTY },
  host: { STATE: CONTROL.STATE, ROW: CONTROL.ROW, EJECTION_LONG: CONTROL.EJECTION_LONG },
  waiter: WAITER,
}
const IN_LONGS = new Set(
  Object.keys(OFFSETS).filter(name => name.endsWith('options') || name === 'totals'),
)

/** Words that stand where another does, as the kind of window or control is. */
const AGAIN = new Set(['head ROW', 'control_place EJECTED'])

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
      maxControls: fc.oneof(
        fc.constantFrom(1, 16, 17, 65_536),
        fc.integer({ min: 1, max: 65_536 }),
      ),
      controlLines: fc.integer({ min: 1, max: 1_000_000 }),
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
          making: shape.breakers.makingLong * 8,
          directory: shape.breakers.directoryLong * 8,
          definitions: shape.breakers.definitions * 4,
          arena: shape.breakers.arena * 4,
          controlMaking: shape.controls.makingLong * 8,
          controlDirectory: shape.controls.directoryLong * 8,
          controlDefinitions: shape.controls.definitions * 4,
          controlArena: shape.controls.arena * 4,
        })
        expect(bytes).toBe(shape.words * 4)
        expect(values.get('definitionCount')).toBe(shape.breakers.definitionCount)
        expect(values.get('controlDefinitionCount')).toBe(shape.controls.definitionCount)
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
      hanging: fc.constantFrom(0, 1),
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
        const ages = (SHARD_BUCKETS + shape.buckets * BUCKET_WORDS) * given.hanging
        expect(shape.ages).toBe(ages)
        const ageWords = given.hanging * (1 + AGE_BUCKETS) * AGE_WORDS
        expect(values.get('ageBytes')).toBe(ageWords * 4)
      }),
    )
  })

  it("lay a control's record out as controlShapeOf does", () => {
    const count = fc.oneof(fc.constantFrom(0, 1, 32, 33, 4096), fc.integer({ min: 0, max: 4096 }))
    const options = fc.record({
      kind: fc.constantFrom(THROTTLE, BULKHEAD, RETRY_BUDGET, HOST_GROUP, HOST),
      maxConcurrent: count,
      maxQueued: count,
      maxThreads: threads,
    })
    fc.assert(
      fc.property(options, given => {
        const { kind, maxConcurrent, maxQueued, maxThreads } = given
        const numbers = new Array<number>(OPTION_COUNT).fill(0)
        numbers[CONTROL_KIND] = kind
        numbers[BULKHEAD_OPTION.MAX_CONCURRENT] = maxConcurrent
        numbers[BULKHEAD_OPTION.MAX_QUEUED] = maxQueued
        const shape = controlShapeOf(numbers, maxThreads)
        const { starts, bytes, values } = placesOf(layout, 'control', given)
        expect(starts).toEqual({
          own: 0,
          places: shape.places * 4,
          queue: shape.queue * 4,
          overflow: shape.shards * 4,
          shards: (shape.shards + shape.overflowWords) * 4,
        })
        expect(bytes).toBe(shape.lines * LINE_BYTES)
        expect(values.get('placeCount')).toBe(shape.placeCount)
        expect(values.get('queueLength')).toBe(shape.queueLength)
        expect(values.get('windowBuckets')).toBe(shape.buckets)
        expect(values.get('shardBytes')).toBe(shape.shardWords * 4)
        expect(values.get('overflowBytes')).toBe(shape.overflowWords * 4)
      }),
    )
  })

  it('say how many of a struct a part has room for, and no less', () => {
    const region = { maxBreakers: 40, maxThreads: 9, arenaLines: 100, maxControls: 41 }
    const record = { trials: 5, buckets: 7, hanging: 0, window: WINDOW_COUNT, length: 100 }
    const control = { controlLines: 100, kind: BULKHEAD, maxConcurrent: 33, maxQueued: 17 }
    for (const shape of ['region', 'record', 'control'] as const) {
      const given = { ...region, ...record, ...control }
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
        const again = AGAIN.has(`${name} ${word.name}`)
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
