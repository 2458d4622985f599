/** What of a record all threads count into: stock, summary, head and ring. */
import { LINE_BYTES, SUMMARY } from '../layout.ts'
import type { Struct, Word } from './types.ts'
import { ANYONE } from './writers.ts'

const WORD = 4
const LONG = 8

const STOCK: Struct = {
  name: 'stock',
  title: 'Stock',
  about: 'A line of its own.',
  size: LINE_BYTES,
  alignment: 4,
  ownLine: true,
  inHeader: false,
  words: [
    {
      name: 'STOCK',
      offset: 0,
      type: 'i32',
      packing: 'STOCK',
      ...ANYONE,
      legal: 'any',
      wraps: 'version after 2^17 sums',
      meaning: 'How many outcomes may pass until somebody must add the window up.',
    },
  ],
}

function summed(name: string, long: number, meaning: string): Word {
  return {
    name,
    offset: long * LONG,
    type: 'i64',
    packing: 'TAGGED',
    ...ANYONE,
    writers: 'who took the duty',
    legal: 'value stays at 2^32 - 1',
    meaning: `tag = fence; ${meaning}`,
  }
}

const SUMMARY_STRUCT: Struct = {
  name: 'summary',
  title: 'Summary',
  about:
    'A line of its own: what the periodic sum of a time window found. Each word has the fence.',
  size: LINE_BYTES,
  alignment: 8,
  ownLine: true,
  inHeader: true,
  words: [
    {
      name: 'DUTY',
      offset: SUMMARY.DUTY_LONG * LONG,
      type: 'i64',
      packing: 'TIMED',
      ...ANYONE,
      legal: 'at most 200 ms ahead',
      wraps: 'fence after 2^13 rounds',
      meaning: 'tag = fence, by 1 a round; when the next sum is due.',
    },
    {
      name: 'AT',
      offset: SUMMARY.AT_LONG * LONG,
      type: 'i64',
      packing: 'TIMED',
      ...ANYONE,
      writers: 'who took the duty',
      legal: 'any',
      meaning: 'tag = fence; the time of the sum.',
    },
    {
      ...summed('GENERATION', SUMMARY.GENERATION_LONG, 'the generation that was summed.'),
      legal: 'value below 2^22',
    },
    summed('CALLS', SUMMARY.CALLS_LONG, 'calls.'),
    summed('FAILURES', SUMMARY.FAILURES_LONG, 'failures.'),
    summed('SLOW', SUMMARY.SLOW_LONG, 'slow calls.'),
    summed('SLOW_FAILURES', SUMMARY.SLOW_FAILURES_LONG, 'calls that were both.'),
  ],
}

const HEAD: Struct = {
  name: 'head',
  title: 'Head',
  about: 'A line of its own. Its first word is HEAD or ROW, as the window is.',
  size: LINE_BYTES,
  alignment: 4,
  ownLine: true,
  inHeader: false,
  words: [
    {
      name: 'HEAD',
      offset: 0,
      type: 'i32',
      ...ANYONE,
      legal: 'any',
      wraps: 'at 2^32',
      meaning: 'Count windows: the index of the next outcome; index mod capacity is its place.',
    },
    {
      name: 'ROW',
      offset: 0,
      type: 'i32',
      packing: 'ROW',
      ...ANYONE,
      legal: 'the row stays at MAX_ROW',
      meaning: 'Consecutive windows: failures in a row.',
    },
  ],
}

const OUTCOME: Struct = {
  name: 'outcome',
  title: 'Ring',
  about: 'Count windows only: one word for each outcome.',
  size: WORD,
  alignment: 4,
  ownLine: false,
  inHeader: false,
  words: [
    {
      name: 'RING',
      offset: 0,
      type: 'i32',
      packing: 'RING',
      ...ANYONE,
      legal: 'outcome 0 none, else kind + 1: 1 good, 2 failed, 3 slow, 4 both',
      wraps: 'lap at 2^9',
      meaning: 'An outcome. One of another generation or lap is none.',
    },
  ],
}

export const WINDOW_STRUCTS: readonly Struct[] = [STOCK, SUMMARY_STRUCT, HEAD, OUTCOME]
