/** What each thread counts for itself: totals, and the buckets of time windows. */
import {
  BUCKET,
  BUCKET_WORDS,
  DURATION_COUNTERS,
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
  about: "The start of each shard. They go on when the slot changes hands; a thread's death adds.",
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
    'Bucket number b stands at b mod buckets. b = time / (durationMs / buckets), rounded down.',
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
      wraps: 'bucket number at 2^34',
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
    {
      name: 'UNUSED',
      offset: (BUCKET.KINDS + KINDS) * WORD,
      type: 'i32',
      count: BUCKET_WORDS - BUCKET.KINDS - KINDS,
      class: 'unused',
      writers: 'nobody',
      legal: '0',
      meaning: 'So that a bucket has a quarter of a line.',
      since: FIRST,
    },
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
      name: 'UNUSED',
      offset: (TALLY.DURATIONS + DURATION_COUNTERS) * LONG,
      type: 'i64',
      count: TALLY_WORDS / 2 - TALLY.DURATIONS - DURATION_COUNTERS,
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
  TALLY_STRUCT,
]
