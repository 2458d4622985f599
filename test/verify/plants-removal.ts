/**
 * Violations in what removals, makings and other options leave: see `makeRemoved`. The record of
 * "again" begins with generation 5.
 */
import {
  DEFINITION,
  OPTION,
  RECORD,
  STATES,
  SUMMARY,
  TALLY,
  TALLY_WORDS,
} from '../../src/memory/layout.ts'
import { packNext, packState, REMOVED } from '../../src/memory/words/state.ts'
import { packMaking } from '../../src/memory/words/threads.ts'
import { packTagged } from '../../src/memory/words/timed.ts'
import { packPlace } from '../../src/memory/words/trials.ts'
import { long, type Plant } from './planting.ts'
import type { Made } from './support.ts'
import { definitionOf, entryOf } from './support-removal.ts'

/** A word and a double of a definition. */
const defined = (name: string, offset: number, value: number) => (to: Made) => {
  to.memory[definitionOf(to, name) + offset] = value
}
const definedDouble = (name: string, offset: number, value: number) => (to: Made) => {
  to.memory.doubles[definitionOf(to, name) / 2 + offset] = value
}
const making =
  (
    sequence: number,
    definition: number,
    entry: number,
    area: 'breakers' | 'controls' = 'breakers',
  ) =>
  (to: Made): void => {
    to.memory.longs[to.region.shape[area].makingLong] = packMaking({ sequence, definition, entry })
  }
const state = (name: string, generation: number, value: number, editions: number) => (to: Made) => {
  const { record, word } = entryOf(to, name)
  const edition = Number(BigInt.asUintN(20, word >> 44n)) + editions
  to.memory[record + RECORD.STATE] = packState(generation, value, edition)
}
const recordLong = (name: string, offset: number, value: bigint) => (to: Made) => {
  to.memory.longs[entryOf(to, name).record / 2 + offset] = value
}
/** Of slot 1. */
const tally = (name: string, offset: number, value: number) => (to: Made) => {
  const { record, shape } = entryOf(to, name)
  to.memory[record + shape.tallies + TALLY_WORDS + offset] = value
}
const used = (name: string, value: number) => (to: Made) => {
  const { record, shape } = entryOf(to, name)
  to.memory.doubles[(record + shape.tallies + TALLY_WORDS) / 2 + TALLY.USED_DOUBLE] = value
}

export const MAKINGS: Plant[] = [
  ['an entry of nothing', making(9, -1, 3), /^MAKING is 0x\w+: entry 3, yet no definition/],
  ['no such definition', making(9, 900, 3), /^MAKING is 0x\w+: there is no definition 900/],
  ['no such entry', making(9, 3, 70), /^MAKING is 0x\w+: there can be no entry 70/],
  ['a making', making(9, 60, 0), /^MAKING is 0x\w+: yet nobody makes anything/],
  [
    'a making of controls',
    making(1, 3, 0, 'controls'),
    /^controls, MAKING is 0x\w+: yet nobody makes anything/,
  ],
  [
    'controls that nobody made',
    making(3, -1, 0, 'controls'),
    /^controls, MAKING is 0x\w+: 3 were made, the directory says 0/,
  ],
  [
    'a word beside it',
    to => {
      to.memory[to.region.shape.breakers.makingLong * 2 + 2] = 1
    },
    /^making, unused word \d+ is 0x1/,
  ],
  [
    'a word beside that of controls',
    to => {
      to.memory[to.region.shape.controls.makingLong * 2 + 31] = 1
    },
    /^making of controls, unused word \d+ is 0x1/,
  ],
]

export const DEFINITIONS: Plant[] = [
  ['a generation that is none', defined('time', DEFINITION.FIRST, 2 ** 22), /FIRST is 4194304, no/],
  ['too many keys', defined('host:2', DEFINITION.MAX_KEYS, 65_537), /MAX_KEYS is 65537, not in/],
  ['a negative prefix', defined('host:2', DEFINITION.PREFIX_LENGTH, -1), /PREFIX_LENGTH is -1, n/],
  [
    'no key behind the prefix',
    defined('host:2', DEFINITION.PREFIX_LENGTH, 6),
    /PREFIX_LENGTH is 6, its name has 6 units/,
  ],
  [
    'a prefix of no group',
    defined('time', DEFINITION.PREFIX_LENGTH, 1),
    /PREFIX_LENGTH is 1, yet MAX_KEYS is 0/,
  ],
  [
    'a group that is too large',
    to => {
      for (const key of [1, 2]) defined(`host:${key}`, DEFINITION.MAX_KEYS, 1)(to)
    },
    /^group "host" has 2 breakers, MAX_KEYS is 1/,
  ],
  ['more trials than places', defined('time', DEFINITION.MOST_TRIALS, 65), /MOST_TRIALS is 65, no/],
  [
    'fewer trials than were permitted',
    defined('count', DEFINITION.MOST_TRIALS, 1),
    /MOST_TRIALS is 1, its options say 2/,
  ],
  [
    'a wait that is longer',
    definedDouble('time', DEFINITION.LONGEST_WAIT_DOUBLE, 1499),
    /LONGEST_WAIT_MS is 1499, its options say 1500/,
  ],
  [
    'no longest wait',
    definedDouble('time', DEFINITION.LONGEST_WAIT_DOUBLE, Number.NaN),
    /LONGEST_WAIT_MS is NaN, not legal/,
  ],
  [
    'a lease that is longer',
    definedDouble('time', DEFINITION.LONGEST_LEASE_DOUBLE, 999),
    /LONGEST_LEASE_MS is 999, its options say 1000/,
  ],
  [
    'an endless lease',
    definedDouble('time', DEFINITION.LONGEST_LEASE_DOUBLE, Number.POSITIVE_INFINITY),
    /LONGEST_LEASE_MS is Infinity, not legal/,
  ],
  [
    'what it cannot have been made with',
    definedDouble('time', DEFINITION.MADE_DOUBLE + OPTION.FAILURE_RATE, 7),
    /^definition \d+, as made, option failureRate is 7, which is not legal/,
  ],
  [
    'another window than it was made with',
    definedDouble('time', DEFINITION.MADE_DOUBLE + OPTION.BUCKETS, 11),
    /^definition \d+, as made, option buckets is 11, in force it is 10/,
  ],
]

export const REMOVALS: Plant[] = [
  ['a state that is none', state('again', 8, 7, 0), /"again", word 0, STATE .* no state 7/],
  [
    'a removal that nobody decided',
    state('again', 8, REMOVED, 0),
    /NEXT decided state 0, STATE says 6/,
  ],
  [
    'a decision for no state',
    recordLong('again', RECORD.NEXT_LONG + 1, packNext(7, 7, 0)),
    /"again", word 34, NEXT .* there is no state 7/,
  ],
  ['options to come', state('again', 8, 0, 1), /STATE is of edition 3, its entry's is 2/],
  ['options of old', state('again', 8, 0, -1), /STATE is of edition 1, its entry's is 2/],
  [
    'a generation before the first',
    defined('again', DEFINITION.FIRST, 9),
    /"again", word 0, STATE says generation 8, its first is 9/,
  ],
  [
    'a transition too many',
    recordLong('again', RECORD.TRANSITIONS_LONG + 1, packTagged(7, 2)),
    /"again", word 188, TRANSITIONS add up to 4, from generation 5 to 8/,
  ],
  [
    'a transition of another breaker',
    recordLong('again', RECORD.TRANSITIONS_LONG + 2 * STATES, packTagged(2, 1)),
    /"again", .* TRANSITIONS 1 to 2 is of generation 7, the latest; STATE says 8, 0/,
  ],
  [
    'a trial where there is no place',
    to => {
      const { record, shape } = entryOf(to, 'again')
      to.memory.longs[(record + shape.trials) / 2 + 2 * 5] = packPlace(5, 0, 1, 1)
    },
    /"again", word 308, PLACE 5 is 0x\w+, MOST_TRIALS is 2/,
  ],
  [
    'a place of a generation that is none',
    to => {
      const { record, shape } = entryOf(to, 'again')
      to.memory.longs[(record + shape.trials) / 2] = packPlace(2 ** 22, 0, 1, 1)
    },
    /"again", word 288, PLACE 0 .* no generation 4194304/,
  ],
  [
    'a sum of a generation that is none',
    long(
      from =>
        (from.cells.time.record + from.cells.time.shape.summary) / 2 + SUMMARY.GENERATION_LONG,
      from => {
        const at = (from.cells.time.record + from.cells.time.shape.summary) / 2
        const fence = Number(BigInt.asUintN(13, (from.memory.longs[at] ?? 0n) >> 51n))
        return packTagged(fence, 2 ** 22)
      },
    ),
    /SUMMARY GENERATION is 4194304: there is none/,
  ],
  ['counters of no generation', tally('again', TALLY.FIRST, -1), /FIRST of slot 1 is -1, no gen/],
  ['counters to come', tally('again', TALLY.FIRST, 9), /FIRST of slot 1 is 9, the record's 5/],
  [
    'counters of another breaker',
    tally('time', TALLY.FIRST, 4_000_000),
    /"time", .* totals of slot 1 know 0 outcomes, its buckets hold \d+/,
  ],
  ['a word behind them', tally('again', TALLY.FIRST + 1, 1), /"again", .* unused is 0x1, not 0/],
  ['use before the beginning', used('again', -1), /USED_MS of slot 1 is -1, not a time/],
  ['use to come', used('again', 1e9), /USED_MS of slot 1 is 1000000000, at/],
]
