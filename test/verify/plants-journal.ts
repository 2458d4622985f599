/** Violations in the journal, in which four transitions stand: see `makeHistory`. */
import { HEADER, JOURNAL, JOURNAL_ENTRIES, JOURNAL_LONGS } from '../../src/memory/layout.ts'
import {
  BY_HAND,
  CLAIMED_BY_LISTENER,
  entryTag,
  type JournalKey,
  MAKER_ANNOUNCES,
  packBy,
  packKey,
} from '../../src/memory/words/journal.ts'
import { packTagged, packTimed } from '../../src/memory/words/timed.ts'
import { long, type Plant, word } from './planting.ts'
import { close, halfOpen, type Made } from './support.ts'

/** Entries 0 to 2: "row", breaker 2, opens, is half-open, closes. Entry 3: "time" is forced open. */
export function makeHistory(made: Made): void {
  close(made.row, halfOpen(made, made.row))
  made.time.forceOpen({ reason: 'a réason' })
}

const ROW = 2

const FIRST: JournalKey = { breaker: ROW, generation: 1, from: 0, to: 1 }
const SECOND: JournalKey = { breaker: ROW, generation: 2, from: 1, to: 2 }
const THIRD: JournalKey = { breaker: ROW, generation: 3, from: 2, to: 0 }
const FORCED: JournalKey = { breaker: 0, generation: 1, from: 0, to: 3 }

const at = (number: number, offset: number) => (from: Made) =>
  from.region.shape.journalLong + number * JOURNAL_LONGS + offset

/** Another key of an entry. */
const key = (number: number, of: JournalKey, change: Partial<JournalKey> = {}) =>
  long(at(number, JOURNAL.KEY_LONG), () => packKey(number, { ...of, ...change }))

/** Another value of a detail that the entry has. */
const detail = (number: number, offset: number, value: number) =>
  long(at(number, offset), () => packTagged(entryTag(number), value))

const time = (number: number, tag: number, ms: number) =>
  long(at(number, JOURNAL.TIME_LONG), () => packTimed(tag, ms))

const nothing = (number: number, offset: number) => long(at(number, offset), () => 0n)

export const KEYS: Plant[] = [
  ['a head too far', word(() => HEADER.JOURNAL_HEAD, 5), /entry 4, KEY is 0, JOURNAL_HEAD is 5/],
  [
    'a head that nobody raised',
    word(() => HEADER.JOURNAL_HEAD, 3),
    /entry 3, KEY is 0x[\da-f]+, JOURNAL_HEAD is only 3/,
  ],
  ['a hole', nothing(1, JOURNAL.KEY_LONG), /entry 1, KEY is 0, JOURNAL_HEAD is 4/],
  [
    'details of no entry',
    long(at(7, JOURNAL.BY_LONG), () => 1n),
    /entry \d+, word 4 is 0x1, KEY is 0/,
  ],
  [
    'another lap',
    long(at(1, JOURNAL.KEY_LONG), () => packKey(1 + 4 * JOURNAL_ENTRIES, SECOND)),
    /entry 1, KEY is 0x[\da-f]+, of lap 5, JOURNAL_HEAD 4 says 1/,
  ],
  ['a state that is none', key(1, SECOND, { to: 6 }), /entry 1, KEY .* there is no state 6/],
  [
    'a breaker that there cannot be',
    key(1, SECOND, { breaker: 6 }),
    /entry 1, KEY .* there can be no breaker 6/,
  ],
  [
    'a breaker that there is not',
    key(1, SECOND, { breaker: 4 }),
    /entry 1, KEY .* there is no breaker 4/,
  ],
  [
    'generations out of order',
    key(1, SECOND, { generation: 3 }),
    /entry 1, KEY of breaker 2 began generation 3, the one before it 1/,
  ],
  [
    'a first one that is not',
    key(0, FIRST, { generation: 9 }),
    /entry 0, KEY of breaker 2 began generation 9, the one before it 0/,
  ],
  [
    'states that do not follow each other',
    key(1, SECOND, { from: 4 }),
    /entry 1, KEY of breaker 2 began generation 2 from state 4, the one before it led to 1/,
  ],
  [
    'two that say otherwise',
    key(1, FIRST, { to: 3 }),
    /entry 1, KEY of breaker 2 began generation 1 from 0 to 3, entry 0 says otherwise/,
  ],
  [
    'a last one that is not',
    key(2, { ...FORCED, breaker: 1 }),
    /entry 1, KEY of breaker 2, its last, began 2, STATE says 3/,
  ],
  [
    'a last one to another state',
    key(2, THIRD, { to: 5 }),
    /entry 2, KEY of breaker 2, its last, led to 5, STATE says 0/,
  ],
  [
    'a breaker without an entry',
    key(3, FORCED, { breaker: 1 }),
    /entry 0, KEY and later ones know nothing of breaker 0, at generation 1/,
  ],
]

export const DETAILS: Plant[] = [
  ['a time to come', time(1, 2, 1e6), /entry 1, TIME says 1000000 ms, at \d+/],
  ['a time of an entry to come', time(1, 3, 1), /entry 1, TIME is 0x[\da-f]+, tagged 3/],
  ['a time of the next lap', time(1, 1026, 1), /entry 1, TIME is 0x[\da-f]+, tagged 1026/],
  ['a time that is not that of STATE', time(3, 4, 7), /entry 3, TIME says 7 ms, the record \d+ ms/],
  ['no time', nothing(0, JOURNAL.TIME_LONG), /entry 0, TIME lacks, yet nobody died/],
  [
    'too many bits',
    detail(0, JOURNAL.BY_LONG, 8 * BY_HAND),
    /entry 0, BY is 0x[\da-f]+: more than 29 bits/,
  ],
  [
    'two that announce',
    detail(0, JOURNAL.BY_LONG, packBy(0, MAKER_ANNOUNCES + CLAIMED_BY_LISTENER)),
    /entry 0, BY is 0x[\da-f]+: its maker announces it, and somebody else/,
  ],
  [
    'a command of nobody',
    detail(3, JOURNAL.BY_LONG, packBy(undefined, BY_HAND)),
    /entry 3, BY is 0x[\da-f]+: the maker said something, but not who it is/,
  ],
  [
    'a command that there is not',
    detail(1, JOURNAL.BY_LONG, packBy(0, BY_HAND)),
    /entry 1, BY is 0x[\da-f]+: no command makes a breaker half-open/,
  ],
  [
    'what comes of commands alone',
    detail(3, JOURNAL.BY_LONG, packBy(0, 0)),
    /entry 3, BY is 0x[\da-f]+: only a command leads from state 0 to 3/,
  ],
  ['no maker', nothing(0, JOURNAL.BY_LONG), /entry 0, BY lacks its thread, yet nobody died/],
  [
    "another entry's detail",
    long(at(1, JOURNAL.SLOW_LONG), () => packTagged(5, 0)),
    /entry 1, word 10 is 0x500000000, tagged 5/,
  ],
  [
    'a detail of the next lap',
    long(at(1, JOURNAL.SLOW_LONG), () => packTagged(1026, 0)),
    /entry 1, word 10 is 0x40200000000, tagged 1026/,
  ],
  [
    'more failures than calls',
    detail(0, JOURNAL.FAILURES_LONG, 99),
    /entry 0, CALLS says 99 failed and 0 slow of 5 calls/,
  ],
  [
    'more trials than permitted',
    detail(2, JOURNAL.CALLS_LONG, 3),
    /entry 2, CALLS says 3 trials, 2 are permitted/,
  ],
  [
    'a reason that is too long',
    detail(3, JOURNAL.REASON_LONG, 129),
    /entry 3, REASON, word 12, says 129 bytes, more than 128/,
  ],
  [
    'a reason with a gap',
    nothing(3, JOURNAL.REASON_LONG + 2),
    /entry 3, REASON, word 16, is tagged 0, its head 4/,
  ],
  [
    'a reason that is not UTF-8',
    detail(3, JOURNAL.REASON_LONG + 1, 0xffffffff),
    /entry 3, REASON, word 12, is ffffffff[\da-f]+, not UTF-8/,
  ],
  [
    'an unused word',
    long(at(3, JOURNAL_LONGS - 1), () => 1n),
    /entry 3, unused word 94 is 0x1, not 0/,
  ],
]
