/** What people ask for: the journal of transitions, and which threads' loops turn. */
import { JOURNAL, JOURNAL_LONGS, LINE_WORDS, REASON_LONGS } from '../layout.ts'
import type { Struct, Word } from './types.ts'
import { ANYONE, FIRST, OWNER } from './writers.ts'

const WORD = 4
const LONG = 8

function count(name: string, long: number, meaning: string): Word {
  return {
    name,
    offset: long * LONG,
    type: 'i64',
    packing: 'TAGGED',
    ...ANYONE,
    writers: 'the maker of the transition',
    legal: 'any',
    wraps: 'value at 2^32',
    meaning,
  }
}

const UNUSED_LONGS = JOURNAL_LONGS - JOURNAL.REASON_LONG - REASON_LONGS

const JOURNAL_ENTRY: Struct = {
  name: 'journal_entry',
  title: 'Journal: one entry for each transition',
  about:
    'Entry n stands at n mod JOURNAL_ENTRIES. KEY makes it; the other words are its details ' +
    'where their tag is n + 1, and may be missing. Two entries may be of one transition: the ' +
    'first counts.',
  size: JOURNAL_LONGS * LONG,
  alignment: 8,
  ownLine: true,
  inHeader: true,
  words: [
    {
      name: 'KEY',
      offset: JOURNAL.KEY_LONG * LONG,
      type: 'i64',
      packing: 'KEY',
      ...ANYONE,
      legal: '0; else states 0 .. 5, from 6 or 7 where STATE was damaged',
      wraps: 'lap after 2^20 laps',
      meaning: 'Which transition, of which lap of the ring. No entry is before one that lacks.',
    },
    {
      name: 'TIME',
      offset: JOURNAL.TIME_LONG * LONG,
      type: 'i64',
      packing: 'TIMED',
      ...ANYONE,
      legal: 'any',
      wraps: 'tag after 2^13 entries',
      meaning: 'tag = n + 1; when it was. Until it is there: SINCE of the record.',
    },
    {
      name: 'BY',
      offset: JOURNAL.BY_LONG * LONG,
      type: 'i64',
      packing: 'TAGGED',
      ...ANYONE,
      writers: 'the maker of the transition; a listener',
      legal: 'value: a BY',
      meaning: 'tag = n + 1; who made it, and who announces it as its own.',
    },
    count(
      'CALLS',
      JOURNAL.CALLS_LONG,
      'tag = n + 1; calls that the state which ended had counted.',
    ),
    count('FAILURES', JOURNAL.FAILURES_LONG, 'Failures among them; likewise.'),
    count('SLOW', JOURNAL.SLOW_LONG, 'Slow calls among them; likewise.'),
    {
      name: 'REASON',
      offset: JOURNAL.REASON_LONG * LONG,
      type: 'reason',
      ...ANYONE,
      writers: 'the maker of the transition',
      legal: 'as in reason',
      meaning: 'tag = n + 1; what was said with the command, if anything.',
    },
    {
      name: 'UNUSED',
      offset: (JOURNAL.REASON_LONG + REASON_LONGS) * LONG,
      type: 'i64',
      count: UNUSED_LONGS,
      class: 'unused',
      writers: 'nobody',
      legal: '0',
      meaning: 'So that an entry has whole lines.',
      since: FIRST,
    },
  ],
}

const PRESENCE: Struct = {
  name: 'presence',
  title: 'Presence: one line for each slot',
  about: "Whether the event loop of the slot's thread turns. For people: nothing is decided by it.",
  size: LINE_WORDS * WORD,
  alignment: 4,
  ownLine: true,
  inHeader: true,
  words: [
    {
      name: 'BEAT',
      offset: 0,
      type: 'i32',
      ...OWNER,
      legal: 'any',
      wraps: 'at 2^32 tenths of a second',
      meaning:
        'When it last turned, in tenths of a second, + 1; 0: never. Native threads leave it.',
    },
  ],
}

export const JOURNAL_STRUCTS: readonly Struct[] = [PRESENCE, JOURNAL_ENTRY]
