/** What each thread counts for itself: totals, and the buckets of time windows. */
import {
  AGE,
  AGE_WORDS,
  BUCKET,
  BUCKET_WORDS,
  DURATION_COUNTERS,
  HUNG,
  KINDS,
  OVERFLOW_BUCKET_LONGS,
  SHARD_BUCKETS,
  TALLY,
  TALLY_WORDS,
  TOTAL,
} from '../layout.ts'
import type { Struct, Word } from './types.ts'
import { ANYONE, COUNTED, FIRST, OWNER } from './writers.ts'

const WORD = 4
const LONG = 8

const MEANINGS: Record<keyof typeof TOTAL, string> = {
  ADMITTED: 'Calls that were let through.',
  SUCCEEDED: 'Outcomes that were no failures.',
  FAILED: 'Failures.',
  SLOW: 'Slow calls, among both.',
  IGNORED: 'Calls released without an outcome.',
  LATE: 'Outcomes of an earlier generation.',
  REFUSED: 'Calls that were turned away while open; in other states see tally.',
  ABANDONED: 'Calls in flight in threads that died.',
}

function total(name: keyof typeof TOTAL): Word {
  const reaped = name === 'ABANDONED'
  return {
    name,
    offset: TOTAL[name] * LONG,
    type: 'i64',
    ...(reaped ? { ...ANYONE, writers: 'who reaps a dead thread' } : COUNTED),
    legal: '>= 0',
    meaning: MEANINGS[name],
  }
}

const TOTALS: Struct = {
  name: 'totals',
  title: 'Totals',
  about:
    'The start of each shard, of breakers and of controls. They go on when the slot changes ' +
    "hands; a thread's death adds. Of a retry budget ADMITTED counts calls and SUCCEEDED retries.",
  size: SHARD_BUCKETS * WORD,
  alignment: 8,
  ownLine: true,
  inHeader: true,
  words: (Object.keys(TOTAL) as (keyof typeof TOTAL)[]).map(total),
}

const BUCKET_STRUCT: Struct = {
  name: 'bucket',
  title: 'Bucket of slots 1 and above',
  about:
    'Bucket number b stands at b mod buckets. b = time / (durationMs / buckets), rounded down. ' +
    'Those of controls are of generation 0.',
  size: BUCKET_WORDS * WORD,
  alignment: 4,
  ownLine: false,
  inHeader: true,
  words: [
    {
      name: 'STAMP',
      offset: BUCKET.STAMP * WORD,
      type: 'i32',
      ...OWNER,
      legal: '-1, 0 .. 2^30 - 1',
      wraps: 'at 2^30, into TURN',
      meaning: 'Bucket number mod 2^30; TURNING while the owner turns it over.',
    },
    {
      name: 'TURN',
      offset: BUCKET.TURN * WORD,
      type: 'i32',
      packing: 'TURN',
      ...OWNER,
      legal: 'any',
      wraps: 'bucket number at 2^40',
      meaning: 'The rest of the bucket number, and the generation.',
    },
    {
      name: 'KINDS',
      offset: BUCKET.KINDS * WORD,
      type: 'u32',
      count: KINDS,
      ...OWNER,
      legal: 'any',
      wraps: 'at 2^32',
      meaning: 'Outcomes: good, failed, slow, both.',
    },
    unused(
      BUCKET.KINDS + KINDS,
      BUCKET_WORDS - BUCKET.KINDS - KINDS,
      'So that a bucket has a quarter of a line.',
    ),
  ],
}

const OVERFLOW_BUCKET: Struct = {
  name: 'overflow_bucket',
  title: 'Bucket of slot 0',
  about: 'Of the threads for which no slot was left.',
  size: OVERFLOW_BUCKET_LONGS * LONG,
  alignment: 8,
  ownLine: false,
  inHeader: true,
  words: [
    {
      name: 'EPOCH',
      offset: 0,
      type: 'i64',
      packing: 'EPOCH',
      ...ANYONE,
      legal: 'any',
      wraps: 'bucket number at 2^36',
      meaning: 'What the counters belong to.',
    },
    {
      name: 'KINDS',
      offset: (OVERFLOW_BUCKET_LONGS - KINDS) * LONG,
      type: 'i64',
      count: KINDS,
      packing: 'TAGGED',
      ...ANYONE,
      legal: 'any',
      wraps: 'value at 2^32',
      meaning: 'tag = the hash of EPOCH; outcomes: good, failed, slow, both.',
    },
  ],
}

function unused(at: number, words: number, meaning: string): Word {
  return {
    name: 'UNUSED',
    offset: at * WORD,
    type: 'i32',
    ...(words > 1 ? { count: words } : {}),
    class: 'unused',
    writers: 'nobody',
    legal: '0',
    meaning,
    since: FIRST,
  }
}

function turn(at: number): Word {
  const common = { type: 'i32', ...OWNER, legal: '0 .. 2^22 - 1' } as const
  return { name: 'TURN', offset: at * WORD, ...common, meaning: 'The generation.' }
}

function aged(at: number, meaning: string): Word {
  const common = { type: 'u32', packing: 'AGED', ...OWNER, legal: 'any' } as const
  return { name: 'COUNT', offset: at * WORD, ...common, meaning }
}

const HUNG_STRUCT: Struct = {
  name: 'hung',
  title: 'Calls that hang',
  about:
    'Behind the buckets of slots 1 and above, where calls in flight are told by age: those whose ' +
    'bucket of ages was needed again before they had ended.',
  size: AGE_WORDS * WORD,
  alignment: 4,
  ownLine: false,
  inHeader: true,
  words: [
    turn(HUNG.TURN),
    aged(HUNG.COUNT, 'Calls in flight that no bucket of ages tells of any more.'),
    unused(
      HUNG.COUNT + 1,
      AGE_WORDS - HUNG.COUNT - 1,
      'So that it is as long as a bucket of ages.',
    ),
  ],
}

const AGE_BUCKET: Struct = {
  name: 'age_bucket',
  title: 'Bucket of ages',
  about:
    'AGE_BUCKETS of them follow. Step number s stands at s mod AGE_BUCKETS. s = time / length, ' +
    'rounded down; the length of a step is slowCallDurationThresholdMs / AGE_STEPS, at least 1 ms.',
  size: AGE_WORDS * WORD,
  alignment: 4,
  ownLine: false,
  inHeader: true,
  words: [
    {
      name: 'STAMP',
      offset: AGE.STAMP * WORD,
      type: 'i32',
      ...OWNER,
      legal: '-1, 0 .. 20 * 2^25 - 1',
      wraps: 'at 20 * 2^25',
      meaning: 'The step, mod 20 * 2^25; TURNING while the owner turns it over.',
    },
    turn(AGE.TURN),
    aged(AGE.COUNT, 'Calls in flight that began in that step.'),
    unused(AGE.COUNT + 1, AGE_WORDS - AGE.COUNT - 1, 'So that no bucket crosses a cache line.'),
  ],
}

function tally(name: string, long: number, meaning: string): Word {
  return { name, offset: long * LONG, type: 'i64', ...COUNTED, legal: '>= 0', meaning }
}

const TALLY_STRUCT: Struct = {
  name: 'tally',
  title: 'Tally',
  about: 'What a thread counts for people besides its totals; likewise.',
  size: TALLY_WORDS * WORD,
  alignment: 8,
  ownLine: true,
  inHeader: true,
  words: [
    tally('REFUSED_HALF_OPEN', TALLY.REFUSED_HALF_OPEN, 'Calls refused while half-open.'),
    tally('REFUSED_FORCED_OPEN', TALLY.REFUSED_FORCED_OPEN, 'Calls refused while forced open.'),
    tally(
      'LOCAL_STALLS',
      TALLY.LOCAL_STALLS,
      "Timeouts that were late because the thread's own event loop was blocked.",
    ),
    tally('MICROS', TALLY.MICROS, 'The sum of all durations, in microseconds.'),
    {
      ...tally(
        'DURATIONS',
        TALLY.DURATIONS,
        'How many durations: below DURATION_UNIT_MICROS; in each octave from there on, in ' +
          'DURATION_STEPS equal steps; above.',
      ),
      count: DURATION_COUNTERS,
    },
    {
      name: 'USED_MS',
      offset: TALLY.USED_DOUBLE * LONG,
      type: 'f64',
      ...COUNTED,
      legal: '>= 0',
      meaning:
        "When this thread last looked the breaker up by its key, of the region's clock; two " +
        'ticks late at the most.',
    },
    {
      name: 'FIRST',
      offset: TALLY.FIRST * WORD,
      type: 'i32',
      ...OWNER,
      legal: '0 .. 2^22 - 1',
      meaning:
        "The first generation of the breaker to which the slot's totals and this tally belong: " +
        "where it is not the record's, they read as 0. Slot 0's are always the record's.",
    },
    {
      name: 'UNUSED_WORD',
      offset: (TALLY.FIRST + 1) * WORD,
      type: 'i32',
      class: 'unused',
      writers: 'nobody',
      legal: '0',
      meaning: 'Behind FIRST.',
      since: FIRST,
    },
    {
      name: 'UNUSED',
      offset: (TALLY.FIRST + 2) * WORD,
      type: 'i64',
      count: (TALLY_WORDS - TALLY.FIRST - 2) / 2,
      class: 'unused',
      writers: 'nobody',
      legal: '0',
      meaning: 'So that a tally has whole lines.',
      since: FIRST,
    },
  ],
}

export const SHARD_STRUCTS: readonly Struct[] = [
  TOTALS,
  BUCKET_STRUCT,
  OVERFLOW_BUCKET,
  HUNG_STRUCT,
  AGE_BUCKET,
  TALLY_STRUCT,
]
