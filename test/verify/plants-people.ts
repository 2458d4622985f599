/** Violations in what is there for people: presence, the exporter's lease, transitions, tallies. */
import {
  DEFINITION_WORDS,
  HEADER,
  LINE_WORDS,
  RECORD,
  STATES,
  TALLY,
} from '../../src/memory/layout.ts'
import { packTagged, packTimed } from '../../src/memory/words/timed.ts'
import { tallyOf } from '../../src/protocol/cell.ts'
import { long, type Plant, recordLong, word } from './planting.ts'
import type { Made } from './support.ts'

const beat = (slot: number) => (from: Made) => from.region.shape.presence + slot * LINE_WORDS

/** At 5 s, after `use`, which takes some more. */
export const PEOPLE: Plant[] = [
  [
    'a thread without a slot and no overflow',
    word(() => HEADER.THREADS_WITHOUT_SLOT, 2),
    /^header, THREADS_WITHOUT_SLOT is 2, yet OVERFLOW_USED is 0/,
  ],
  [
    'a lease of more than a day',
    long(
      () => HEADER.EXPORTER_LONG,
      () => packTimed(1, 86_500_000),
    ),
    /^header, EXPORTER has a lease until 86500000 ms, .* longer than a day/,
  ],
  [
    'an unused word between them',
    word(() => HEADER.THREADS_WITHOUT_SLOT + 1, 1),
    /^header, unused word 39 is 0x1/,
  ],
  ['one behind them', word(() => 42, 1), /^header, unused word 42 is 0x1/],
  ['one behind the tick', word(() => HEADER.TICK + 1, 1), /^header, unused word 65 is 0x1/],
  [
    'one behind the head of the journal',
    word(() => HEADER.JOURNAL_HEAD + 1, 1),
    /^header, unused word 97 is 0x1/,
  ],
  [
    'one behind the slots',
    word(from => from.region.shape.presence - 1, 1),
    /^threads, unused word \d+ is 0x1/,
  ],
  [
    'one behind the directory',
    word(from => from.region.shape.breakers.definitions - 1, 1),
    /^directory, unused word \d+ is 0x1/,
  ],
  [
    'one before the options of a definition',
    word(from => from.region.shape.breakers.definitions + 73, 1),
    /^definition 0, unused word \d+ is 0x1/,
  ],
  [
    'one at the end of a definition',
    word(from => from.region.shape.breakers.definitions + DEFINITION_WORDS - 1, 1),
    /^definition 0, unused word \d+ is 0x1/,
  ],
  ['a beat of no slot', word(beat(0), 1), /^slot 0, BEAT is 1, yet no thread ever had/],
  ['a beat of a slot never used', word(beat(2), 1), /^slot 2, BEAT is 1, yet no thread ever had/],
  ['a beat to come', word(beat(1), 9999), /^slot 1, BEAT is 9999: of tenths .* have begun/],
  [
    'an unused word beside a beat',
    word(from => beat(1)(from) + 1, 1),
    /^presence, unused word \d+ is 0x1/,
  ],
]

const count = (from: number, to: number, generation: number, value: number) =>
  recordLong('row', RECORD.TRANSITIONS_LONG + from * STATES + to, packTagged(generation + 1, value))

/** In the record of a breaker that has opened, been half-open and closed: generation 3. */
export const TRANSITIONS: Plant[] = [
  [
    'a transition counted twice',
    count(0, 1, 1, 2),
    /"row", word 188, TRANSITIONS add up to 4, from generation 0 to 3/,
  ],
  [
    'a count of no generation',
    recordLong('row', RECORD.TRANSITIONS_LONG + 4, 1n),
    /"row", word 196, TRANSITIONS 0 to 4 is 0x1, tagged with no generation/,
  ],
  [
    'a count of a generation to come',
    count(0, 4, 4, 1),
    /"row", word 196, TRANSITIONS 0 to 4 was last counted for generation 4, at generation 3/,
  ],
  [
    'a transition that was not counted',
    recordLong('row', RECORD.TRANSITIONS_LONG + 2 * STATES, 0n),
    /TRANSITIONS 1 to 2 is of generation 2, the latest; STATE says 3, 0/,
  ],
  [
    'two of one generation',
    count(1, 2, 3, 1),
    /TRANSITIONS 2 to 0 is of generation 3, as is TRANSITIONS 1 to 2/,
  ],
  [
    'two that do not follow each other',
    count(0, 1, 2, 1),
    /TRANSITIONS 0 to 1 is of generation 2, and TRANSITIONS 2 to 0 of the next/,
  ],
  [
    'a state left more often than entered',
    to => {
      count(1, 2, 2, 0)(to)
      count(2, 0, 3, 2)(to)
    },
    /TRANSITIONS enter state 2 0 times and leave it 2 times; it is in state 0/,
  ],
]

const tally = (slot: number, offset: number) => (from: Made) =>
  tallyOf(from.cells.time, slot) + offset
/** Of 1 ms, which most calls of `use` took. */
const ONE_MS = TALLY.DURATIONS + 33

/** After `use`: 22 outcomes, of which 20 were measured. */
export const TALLIES: Plant[] = [
  [
    'refusals below zero',
    long(tally(1, TALLY.REFUSED_HALF_OPEN), () => -1n),
    /REFUSED_HALF_OPEN of slot 1 is -1/,
  ],
  [
    'refusals in a state that it never was in',
    long(tally(1, TALLY.REFUSED_FORCED_OPEN), () => 2n),
    /REFUSED_FORCED_OPEN of slot 1 is 2, yet it was never in state 3/,
  ],
  ['a sum below zero', long(tally(1, TALLY.MICROS), () => -5n), /MICROS of slot 1 is -5/],
  [
    'a sum that is too small',
    long(tally(1, TALLY.MICROS), () => 5n),
    /MICROS of slot 1 is 5, its 20 durations are \d+ or more/,
  ],
  [
    'a sum that is too large',
    long(tally(1, TALLY.MICROS), () => 5_000_000n),
    /MICROS of slot 1 is 5000000, its 20 durations are \d+ or less/,
  ],
  ['a counter below zero', long(tally(1, ONE_MS), () => -1n), /DURATIONS 33 of slot 1 is -1/],
  [
    'more durations than outcomes',
    long(tally(1, ONE_MS), () => 99n),
    /DURATIONS of slot 1 hold 1\d\d of 22 outcomes/,
  ],
  ['an unused word', long(tally(1, 239), () => 1n), /unused is 0x1, not 0/],
  [
    'a tally that nobody had',
    long(tally(3, TALLY.MICROS), () => 1n),
    /tally 3 is 0x1, yet no thread ever had the slot/,
  ],
  [
    'a tally of no slot',
    long(tally(0, TALLY.MICROS), () => 1n),
    /tally 0 is 0x1, yet no thread ever had the slot/,
  ],
]
