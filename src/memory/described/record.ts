/** What of a record belongs to one state or the next: its fixed part, reasons and trials. */
import { MAX_REASON_BYTES, PLACE_LONGS, REASON_LONGS, RECORD, STATES } from '../layout.ts'
import type { Struct, Word } from './types.ts'
import { ANYONE } from './writers.ts'

const WORD = 4
const LONG = 8

/** One word for each parity of the generation, tagged with generation + 1. */
function detail(name: string, long: number, meaning: string): Word {
  return {
    name,
    offset: long * LONG,
    type: 'i64',
    count: 2,
    packing: 'TAGGED',
    ...ANYONE,
    legal: 'any',
    wraps: 'value at 2^32',
    meaning,
  }
}

const REASON: Struct = {
  name: 'reason',
  title: 'Reason',
  about: 'What was said with the command that began the generation, if anything.',
  size: REASON_LONGS * LONG,
  alignment: 8,
  ownLine: false,
  inHeader: true,
  words: [
    {
      name: 'HEAD',
      offset: 0,
      type: 'i64',
      packing: 'TAGGED',
      ...ANYONE,
      legal: `value 0 .. ${MAX_REASON_BYTES}`,
      meaning: 'tag = generation + 1; the length in bytes. Written last.',
    },
    {
      name: 'WORDS',
      offset: LONG,
      type: 'i64',
      count: REASON_LONGS - 1,
      packing: 'TAGGED',
      ...ANYONE,
      legal: 'UTF-8',
      meaning: 'tag = generation + 1; four bytes, the first in the lowest bits.',
    },
  ],
}

const FIXED_PART: Struct = {
  name: 'record',
  title: "A record's fixed part",
  about:
    'STATE is what every call reads; it has a line of its own. The words after it come in two: ' +
    'of two words the one at `generation & 1` belongs to that generation.',
  size: RECORD.TRIALS_START * WORD,
  alignment: 8,
  ownLine: true,
  inHeader: true,
  words: [
    {
      name: 'STATE',
      offset: RECORD.STATE * WORD,
      type: 'i32',
      packing: 'STATE',
      ...ANYONE,
      legal: 'state 0 .. 6; another is damage and acts as disabled',
      wraps: 'generation after 2^22 transitions, edition after 2^6',
      meaning:
        'Generation, state (6: removed) and the edition of the options. A transition is one CAS ' +
        'of it, and so is another edition.',
    },
    {
      name: 'NEXT',
      offset: RECORD.NEXT_LONG * LONG,
      type: 'i64',
      count: 2,
      packing: 'NEXT',
      ...ANYONE,
      legal: 'state 0 .. 6',
      wraps: 'tag after 2^10 transitions',
      meaning: 'The decision to enter a generation. The first one decides; anyone publishes it.',
    },
    {
      name: 'SINCE',
      offset: RECORD.SINCE_LONG * LONG,
      type: 'i64',
      count: 2,
      packing: 'TIMED',
      ...ANYONE,
      legal: 'any',
      wraps: 'tag after 2^13 transitions',
      meaning: 'tag = generation; when it began.',
    },
    detail('OPENINGS', RECORD.OPENINGS_LONG, 'Openings since the breaker was last closed.'),
    detail(
      'TRIP_CALLS',
      RECORD.TRIP_CALLS_LONG,
      'Calls in the window that opened it; kept on until it closes.',
    ),
    detail('TRIP_FAILURES', RECORD.TRIP_FAILURES_LONG, 'Failures among them; likewise.'),
    detail('TRIP_SLOW', RECORD.TRIP_SLOW_LONG, 'Slow calls among them; likewise.'),
    {
      name: 'REASON',
      offset: RECORD.REASON_LONG * LONG,
      type: 'reason',
      count: 2,
      ...ANYONE,
      legal: 'as in reason',
      meaning: 'What was said with the command, if anything.',
    },
    {
      name: 'TRANSITIONS',
      offset: RECORD.TRANSITIONS_LONG * LONG,
      type: 'i64',
      count: STATES * STATES,
      packing: 'TAGGED',
      ...ANYONE,
      legal: 'any',
      wraps: 'value at 2^32',
      meaning:
        'tag = the generation that the last one began, + 1; how often it went from one state to ' +
        'another, at from * STATES + to.',
    },
  ],
}

const PLACE: Struct = {
  name: 'place',
  title: 'Place of a trial',
  about: 'As many as trials are permitted.',
  size: PLACE_LONGS * LONG,
  alignment: 8,
  ownLine: false,
  inHeader: true,
  words: [
    {
      name: 'PLACE',
      offset: 0,
      type: 'i64',
      packing: 'PLACE',
      ...ANYONE,
      legal: 'kind 0 .. 3; one of another generation is free',
      wraps: 'claim after 2^22 claims',
      meaning: 'Who tries here, or how it went.',
    },
    {
      name: 'LEASE',
      offset: LONG,
      type: 'i64',
      packing: 'TIMED',
      ...ANYONE,
      legal: 'at most LONGEST_LEASE_MS ahead',
      wraps: 'tag after 2^13 claims',
      meaning: 'tag = claim; when the trial counts as outlived.',
    },
  ],
}

export const RECORD_STRUCTS: readonly Struct[] = [FIXED_PART, REASON, PLACE]
