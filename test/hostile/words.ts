/** Every class of word in a region, by the name that native-layout/layout.md gives it. */
import { createRegistry, type Registry } from '../../src/index.ts'
import { type Memory, viewsOf } from '../../src/memory/atomics.ts'
import {
  AGE_BUCKETS,
  AGE_WORDS,
  BUCKET_WORDS,
  DEFINITION,
  DEFINITION_WORDS,
  HEADER,
  JOURNAL_LONGS,
  LINE_WORDS,
  OPTION,
  OPTION_COUNT,
  OVERFLOW_BUCKET_LONGS,
  PLACE_LONGS,
  RECORD,
  SHARD_BUCKETS,
  STATES,
  TALLY,
  TALLY_WORDS,
  WINDOW_CONSECUTIVE,
  WINDOW_COUNT,
  WINDOW_TIME,
} from '../../src/memory/layout.ts'
import { attachRegion } from '../../src/memory/region.ts'
import { REMOVED } from '../../src/memory/words/state.ts'
import type { BreakerOptions } from '../../src/options/types.ts'
import { type Cell, shardOf } from '../../src/protocol/cell.ts'
import { Directory } from '../../src/protocol/directory.ts'
import type { Random } from '../model/random.ts'
import { controlClassesOf, makeControls } from './words-controls.ts'

/** Words [from, from + length) of a region. */
export interface WordClass {
  readonly name: string
  readonly from: number
  readonly length: number
}

export const WAIT_MS = 100
export const TRIAL_TIMEOUT_MS = 1000

const COMMON = {
  waitDurationInOpenStateMs: WAIT_MS,
  trialTimeoutMs: TRIAL_TIMEOUT_MS,
  permittedNumberOfCallsInHalfOpenState: 2,
  slowCallDurationThresholdMs: 50,
} as const

export const BREAKERS: Record<string, BreakerOptions> = {
  time: { ...COMMON, slidingWindow: { type: 'time', durationMs: 1000, buckets: 4 } },
  count: { ...COMMON, slidingWindow: { type: 'count', size: 8 }, minimumNumberOfCalls: 4 },
  row: { ...COMMON, slidingWindow: { type: 'consecutive', failures: 3 } },
  rate: {
    ...COMMON,
    slidingWindow: { type: 'time', durationMs: 1000, buckets: 4 },
    minimumNumberOfCalls: 4,
    halfOpenFailureRateThreshold: 0.5,
  },
  aged: {
    ...COMMON,
    slidingWindow: { type: 'time', durationMs: 1000, buckets: 4 },
    minimumNumberOfCalls: 4,
    countHangingCalls: true,
  },
}

export interface Hostile {
  readonly registry: Registry
  readonly memory: Memory
  readonly cells: readonly Cell[]
  readonly classes: readonly WordClass[]
}

/** A small region, and where each class of its words stands. */
export function makeHostile(clock: 'manual' | 'monotonic', maxThreads = 2): Hostile {
  const registry = createRegistry({ clock, maxThreads, maxBreakers: 10, maxControls: 12 })
  for (const [name, options] of Object.entries(BREAKERS)) registry.breaker(name, options)
  makeControls(registry)
  const region = attachRegion(registry.handle)
  const cells = new Directory(region, { thread: 0, parent: 0 }).cells()
  const { shape } = region
  const classes = [
    { name: 'header', from: 0, length: HEADER.TICK_MS_DOUBLE * 2 },
    { name: 'TICK_MS', from: HEADER.TICK_MS_DOUBLE * 2, length: 2 },
    { name: 'MAX_CONTROLS, CONTROL_LINES', from: HEADER.MAX_CONTROLS, length: 2 },
    { name: 'MANUAL_CLOCK', from: HEADER.MANUAL_CLOCK_LONG * 2, length: 2 },
    { name: 'SLOTS_USED', from: HEADER.SLOTS_USED, length: 1 },
    { name: 'DAMAGED', from: HEADER.DAMAGED, length: 1 },
    { name: 'OVERFLOW_USED', from: HEADER.OVERFLOW_USED, length: 1 },
    { name: 'ACTIVE', from: HEADER.ACTIVE, length: 1 },
    { name: 'TICK', from: HEADER.TICK, length: 1 },
    { name: 'THREADS_WITHOUT_SLOT', from: HEADER.THREADS_WITHOUT_SLOT, length: 1 },
    { name: 'EXPORTER', from: HEADER.EXPORTER_LONG * 2, length: 2 },
    { name: 'JOURNAL_HEAD', from: HEADER.JOURNAL_HEAD, length: 1 },
    { name: 'BEAT', from: shape.presence + LINE_WORDS, length: 1 },
    { name: 'journal entry', from: shape.journalLong * 2, length: JOURNAL_LONGS * 2 * 8 },
    { name: 'defaults', from: shape.defaultsDouble * 2, length: OPTION_COUNT * 2 },
    { name: 'THREAD', from: shape.threadsLong * 2, length: (maxThreads + 1) * 2 },
    { name: 'ENTRY', from: shape.breakers.directoryLong * 2, length: shape.maxBreakers * 2 },
    { name: 'MAKING', from: shape.breakers.makingLong * 2, length: 2 },
    { name: 'MAKING of controls', from: shape.controls.makingLong * 2, length: 2 },
    { name: 'definitions', from: shape.breakers.definitions, length: 8 * DEFINITION_WORDS },
    ...cells.flatMap((_, index) => {
      const from = shape.breakers.definitions + index * DEFINITION_WORDS
      return [
        { name: 'definition', from, length: DEFINITION.NAME + 2 },
        { name: 'FIRST to MOST_TRIALS', from: from + DEFINITION.FIRST, length: 4 },
        { name: 'option', from: from + DEFINITION.OPTIONS_DOUBLE * 2, length: OPTION_COUNT * 2 },
        { name: 'option', from: from + DEFINITION.MADE_DOUBLE * 2, length: OPTION_COUNT * 2 },
        { name: 'longest', from: from + DEFINITION.LONGEST_WAIT_DOUBLE * 2, length: 4 },
        // The highest bits of the word, which count its changes.
        {
          name: 'edition of ENTRY',
          from: (shape.breakers.directoryLong + index) * 2 + 1,
          length: 1,
        },
      ]
    }),
    ...cells.flatMap(cell => classesOf(cell)),
    ...controlClassesOf(region),
  ]
  return { registry, memory: viewsOf(registry.handle.buffer), cells, classes }
}

/** The classes of words in one record. */
export function classesOf(cell: Cell): WordClass[] {
  const { record, shape, mostTrials } = cell
  const window = cell.numbers[OPTION.WINDOW]
  const detail = (name: string, long: number, longs = 2): WordClass => ({
    name,
    from: record + long * 2,
    length: longs * 2,
  })
  const shard = (slot: number): WordClass[] => {
    const start = shardOf(cell, slot)
    const words = slot === 0 ? OVERFLOW_BUCKET_LONGS * 2 : BUCKET_WORDS
    const buckets = { name: slot === 0 ? 'overflow bucket' : 'bucket', from: start + SHARD_BUCKETS }
    const totals = { name: 'total', from: start, length: SHARD_BUCKETS }
    const isAged = slot > 0 && shape.ages > 0
    const length = (1 + AGE_BUCKETS) * AGE_WORDS
    return [
      totals,
      ...(window === WINDOW_TIME ? [{ ...buckets, length: shape.buckets * words }] : []),
      ...(isAged ? [{ name: 'ages', from: start + shape.ages, length }] : []),
    ]
  }
  return [
    { name: 'STATE', from: cell.state, length: 1 },
    detail('NEXT', RECORD.NEXT_LONG),
    detail('SINCE', RECORD.SINCE_LONG),
    detail('OPENINGS', RECORD.OPENINGS_LONG),
    detail('TRIP', RECORD.TRIP_CALLS_LONG, 6),
    detail('REASON', RECORD.REASON_LONG, RECORD.REASON_STRIDE_LONGS * 2),
    detail('TRANSITIONS', RECORD.TRANSITIONS_LONG, STATES * STATES),
    { name: 'tally', from: record + shape.tallies, length: 2 * TALLY_WORDS },
    ...[0, 1].map(slot => ({
      name: 'USED_MS and FIRST',
      from: record + shape.tallies + slot * TALLY_WORDS + TALLY.USED_DOUBLE * 2,
      length: 3,
    })),
    { name: 'PLACE and LEASE', from: record + shape.trials, length: mostTrials * PLACE_LONGS * 2 },
    ...(window === WINDOW_CONSECUTIVE
      ? [{ name: 'ROW', from: record + shape.head, length: 1 }]
      : [{ name: 'STOCK', from: record + shape.stock, length: 1 }]),
    ...(window === WINDOW_COUNT
      ? [
          { name: 'HEAD', from: record + shape.head, length: 1 },
          { name: 'RING', from: record + shape.ring, length: shape.ringCapacity },
        ]
      : []),
    ...(window === WINDOW_TIME
      ? [{ name: 'DUTY and SUMMARY', from: record + shape.summary, length: 14 }]
      : []),
    ...[0, 1, 2].flatMap(shard),
  ]
}

const EXTREMES = [0, -1, 1, 2 ** 31 - 1, -(2 ** 31), 0x7ff00000, -0x80000, 0x42555342]

/** A state that there is not, and the removal that nobody decided, of any generation and edition. */
const NO_STATES = [REMOVED, 7]

/** What the word becomes: a bit turned, an extreme, another word's value or anything. */
export function damagedValue(random: Random, memory: Memory, at: number): number {
  const old = memory[at] ?? 0
  switch (random.weighted({ bit: 4, extreme: 3, neighbour: 1, any: 3, state: 1 })) {
    case 'state':
      return (old & ~7) | random.pick(NO_STATES)
    case 'bit':
      return old ^ (1 << random.between(0, 31))
    case 'extreme':
      return random.pick(EXTREMES)
    case 'neighbour':
      return memory[at ^ random.between(1, 3)] ?? 0
    case 'any':
      return random.between(-(2 ** 31), 2 ** 31 - 1)
  }
}
