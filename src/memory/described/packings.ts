/** Words that are made of several numbers. Fields from the highest bit to the lowest. */

import { AGE_CALLS_BITS, AGE_GENERATION_BITS, AGE_LAP_BITS, AGE_PLACE_BITS } from '../words/ages.ts'
import { EPISODE_BITS, IN_A_ROW_BITS, UNTIL_BITS } from '../words/hosts.ts'
import { BREAKER_BITS, CLAIMED_BY_LISTENER } from '../words/journal.ts'
import { EDITION_BITS, GENERATION_BITS, NEXT_TAG_BITS, STATE_BITS } from '../words/state.ts'
import {
  DEFINITION_BITS,
  ENTRY_BITS,
  EPOCH_BITS,
  LINES_BITS,
  THREAD_BITS,
} from '../words/threads.ts'
import { PROBABILITY_BITS } from '../words/throttle.ts'
import { TAGGED_VALUE_BITS, TIME_BITS, TIMED_TAG_BITS } from '../words/timed.ts'
import {
  CLAIM_BITS,
  FIRST_TRIAL_PERMIT,
  KIND_BITS,
  PERMIT_GENERATION_BITS,
  PERMIT_PLACE_BITS,
  SLOT_BITS,
} from '../words/trials.ts'
import {
  EPOCH_NUMBER_BITS,
  LAP_BITS,
  OUTCOME_BITS,
  ROW_BITS,
  STOCK_LEFT_BITS,
  VERSION_SHIFT,
} from '../words/windows.ts'
import type { Field, Packing } from './types.ts'

const WORD = 32
const LONG = 64

/** Gives the fields their shifts; the first takes what the others leave of `bits`. */
function pack(
  name: string,
  bits: number,
  first: string,
  others: readonly (readonly [name: string, bits: number | bigint])[],
  rule: string,
): Packing {
  let shift = 0
  const fields: Field[] = []
  for (const [field, width] of others.toReversed()) {
    fields.unshift({ name: field, bits: Number(width), shift })
    shift += Number(width)
  }
  fields.unshift({ name: first, bits: bits - shift, shift })
  return { name, bits, fields, rule }
}

const time = ['time', TIME_BITS] as const

const BY_BITS = Math.log2(CLAIMED_BY_LISTENER) + 1

const PERMIT_BITS = CLAIM_BITS + PERMIT_PLACE_BITS + PERMIT_GENERATION_BITS

export const PACKINGS: readonly Packing[] = [
  pack(
    'STATE',
    GENERATION_BITS + EDITION_BITS + STATE_BITS,
    'generation',
    [
      ['edition', EDITION_BITS],
      ['state', STATE_BITS],
    ],
    'Bit 31 is 0. The generation says which words of the record are current, the edition, the ' +
      "low bits of the entry's, which options are in force.",
  ),
  pack(
    'NEXT',
    LONG,
    'tag',
    [['state', STATE_BITS], time],
    `tag = generation mod 2^${NEXT_TAG_BITS}. The time is when the wait of an open or ` +
      'forced-open state is over, else when the state began.',
  ),
  pack(
    'TIMED',
    LONG,
    'tag',
    [time],
    `tag = the number of what the word belongs to, mod 2^${TIMED_TAG_BITS}.`,
  ),
  pack(
    'TAGGED',
    LONG,
    'tag',
    [['value', TAGGED_VALUE_BITS]],
    'A value that belongs to what the tag says. Tags made of a generation are generation + 1, so ' +
      'that 0 belongs to none.',
  ),
  pack(
    'PLACE',
    LONG,
    'generation',
    [
      ['kind', KIND_BITS],
      ['claim', CLAIM_BITS],
      ['slot', SLOT_BITS],
    ],
    'Each claim of a place has the next number. A place of an older generation is free.',
  ),
  {
    ...pack(
      'PERMIT',
      PERMIT_BITS,
      'claim',
      [
        ['place', PERMIT_PLACE_BITS],
        ['generation', PERMIT_GENERATION_BITS],
      ],
      'What a trial is settled with. It stands in no shared memory, but anyone may settle it. ' +
        'Smaller permits, of calls while closed, disabled or metrics-only, are the generation.',
    ),
    base: FIRST_TRIAL_PERMIT,
  },
  pack(
    'THREAD',
    LONG,
    'live',
    [
      ['epoch', EPOCH_BITS],
      ['thread', THREAD_BITS],
      ['parent', THREAD_BITS],
    ],
    'live = 0: the slot is free. Each claim of a slot has the next epoch. thread and parent are ' +
      "Node's threadId, of the thread and of the one that started it; see the thread numbers.",
  ),
  pack(
    'ENTRY',
    LONG,
    'edition',
    [
      ['definition', DEFINITION_BITS],
      ['lines', LINES_BITS],
    ],
    'The field definition holds its number + 1, lines the length of the record. Each word of an ' +
      'entry has the next edition. The whole word is 0 when there is no breaker yet.',
  ),
  pack(
    'MAKING',
    LONG,
    'sequence',
    [
      ['definition', DEFINITION_BITS],
      ['entry', ENTRY_BITS],
    ],
    'What is being made: the definition, its number + 1, that is to stand at which entry. 0 in ' +
      'both: nothing. Each making has the next sequence number.',
  ),
  pack(
    'KEY',
    LONG,
    'lap',
    [
      ['breaker', BREAKER_BITS],
      ['generation', GENERATION_BITS],
      ['from', STATE_BITS],
      ['to', STATE_BITS],
    ],
    'lap = n / JOURNAL_ENTRIES, rounded down, + 1, n being unsigned; cut to its lowest bits. ' +
      'breaker = its number in the directory; generation = the one that the transition began. ' +
      'The whole word is 0 where there was no entry yet.',
  ),
  pack(
    'BY',
    BY_BITS,
    'claimed',
    [
      ['announces', 1],
      ['hand', 1],
      ['thread', THREAD_BITS],
    ],
    'The value of a TAGGED word. thread: who made the transition, all ones where it has not ' +
      'said so. hand = 1: by a command. announces = 1: the maker listens, and announces it as ' +
      'its own; claimed = 1: another listener does.',
  ),
  pack(
    'STOCK',
    WORD,
    'version',
    [
      ['minimum', VERSION_SHIFT - STOCK_LEFT_BITS],
      ['left', STOCK_LEFT_BITS],
    ],
    'The field holds left + STOCK_BIAS. The version goes up by 1 with each sum; minimum = 1: ' +
      'that sum found the minimum number of calls. Outcomes take 1 off the whole word. ' +
      'Written by nobody yet, left is -STOCK_BIAS.',
  ),
  pack(
    'RING',
    WORD,
    'generation',
    [
      ['lap', LAP_BITS],
      ['outcome', OUTCOME_BITS],
    ],
    'Generation and lap are cut to their lowest bits; lap = index / capacity, rounded down, the ' +
      'index being unsigned. Laps are compared by wrapped difference.',
  ),
  pack(
    'ROW',
    WORD,
    'generation',
    [['failures', ROW_BITS]],
    'The generation is cut to its lowest bits. Of a host: the episode of its EJECTION, as it is.',
  ),
  pack(
    'TURN',
    WORD,
    'number',
    [['generation', GENERATION_BITS]],
    'The next bits of the bucket number, above those in STAMP.',
  ),
  pack(
    'EPOCH',
    LONG,
    'generation',
    [['number', EPOCH_NUMBER_BITS]],
    'The bucket number is cut to its lowest bits.',
  ),
  pack(
    'PROBABILITY',
    WORD - 1,
    'round',
    [['probability', PROBABILITY_BITS]],
    'Bit 31 is 0. round = the fence of the duty in which it was found, cut to its lowest bits; ' +
      'the probability in parts of 2^24, rounded down, 1 being one part less.',
  ),
  pack(
    'WAITING',
    WORD,
    'version',
    [['any', 1]],
    'any = 0: nobody waits. Who joins the queue raises the version by 1 and sets any.',
  ),
  pack(
    'EJECTION',
    LONG,
    'episode',
    [
      ['row', IN_A_ROW_BITS],
      ['until', UNTIL_BITS],
    ],
    'Each ejection of a host has the next episode. row: how many there were in a row, this one ' +
      'with them, at most as many as the field holds. until: when it is over, in whole ms of the ' +
      "region's clock.",
  ),
  pack(
    'EJECTED',
    WORD - 1,
    'host',
    [['episode', EPISODE_BITS]],
    'The field holds the number of the host in the directory of controls + 1. The host is ' +
      'ejected where the episode is that of its EJECTION, until that is over; else the place is ' +
      'free.',
  ),
  pack(
    'AGED',
    WORD,
    'epoch',
    [['calls', AGE_CALLS_BITS]],
    'epoch: that of the THREAD word of who counted. Calls of another epoch are of a thread that ' +
      'has left or died: none of them is in flight.',
  ),
  pack(
    'AGED_PERMIT',
    AGE_LAP_BITS + AGE_PLACE_BITS + AGE_GENERATION_BITS,
    'lap',
    [
      ['place', AGE_PLACE_BITS],
      ['generation', AGE_GENERATION_BITS],
    ],
    'What a call is settled with that was told by age. It stands in no shared memory. place: ' +
      'that of its bucket of ages, all ones where none has it; lap = STAMP / AGE_BUCKETS, ' +
      'rounded down, and the generation, both cut to their lowest bits.',
  ),
]
