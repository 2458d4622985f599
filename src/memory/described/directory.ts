/** Who is there: slots of threads, entries and definitions of breakers and controls. */
import { DEFINITION, DEFINITION_WORDS, LINE_WORDS, MAX_NAME_BYTES, MAX_TRIALS } from '../layout.ts'
import type { Struct, Word } from './types.ts'
import { ANYONE, DEFINED, FIRST } from './writers.ts'

const WORD = 4
const LONG = 8

const THREAD: Struct = {
  name: 'thread',
  title: 'Threads: one long for each slot',
  about: 'The first belongs to slot 0, which threads share for which no slot was left: it stays 0.',
  size: LONG,
  alignment: 8,
  ownLine: false,
  inHeader: false,
  words: [
    {
      name: 'THREAD',
      offset: 0,
      type: 'i64',
      packing: 'THREAD',
      ...ANYONE,
      writers: 'who claims the slot, knows of its death, or reaps it',
      legal: 'any',
      wraps: 'epoch at 2^11; numbers of Node threads are never used twice',
      meaning: 'Who holds the slot. Freed, it keeps its epoch and nothing else.',
    },
  ],
}

const MAKING: Struct = {
  name: 'making',
  title: 'Making',
  about: 'Breakers, and controls, are made one after the other; whoever comes by finishes one.',
  size: LINE_WORDS * WORD,
  alignment: 8,
  ownLine: true,
  inHeader: true,
  words: [
    {
      name: 'MAKING',
      offset: 0,
      type: 'i64',
      packing: 'MAKING',
      ...ANYONE,
      writers: 'who makes one; who finishes it',
      legal: 'definition in [0, definitionCount], entry below the number of entries',
      wraps: 'sequence after 2^26 makings',
      meaning: 'What is being made.',
    },
    {
      name: 'UNUSED',
      offset: LONG,
      type: 'i64',
      count: LINE_WORDS / 2 - 1,
      class: 'unused',
      writers: 'nobody',
      legal: '0',
      meaning: 'So that it has a line of its own.',
      since: FIRST,
    },
  ],
}

const ENTRY: Struct = {
  name: 'entry',
  title: 'Directory: one long for each breaker or control',
  about:
    'Record k starts in the arena where record k - 1 ends. A region has two directories: of ' +
    'breakers, and of controls, each with definitions and an arena of its own.',
  size: LONG,
  alignment: 8,
  ownLine: false,
  inHeader: false,
  words: [
    {
      name: 'ENTRY',
      offset: 0,
      type: 'i64',
      packing: 'ENTRY',
      ...ANYONE,
      writers: 'who makes one, gives it other options, or makes another in its record',
      legal: '0; else definition in [1, definitionCount], lines as the options say',
      meaning: 'The definition of breaker or control k, and the length of its record.',
    },
  ],
}

const FIRST_MEANING = "The first generation of the record that is this breaker's."
const MAX_KEYS_MEANING =
  'How many breakers its group may have at a time; 0: not one of a group of keyed breakers.'
const PREFIX_MEANING = 'The part of the name that is its group, in UTF-16 units.'
const MOST_TRIALS_MEANING = 'The most trials at a time, by whatever options the breaker has had.'

function fixed(name: string, word: number, legal: string, meaning: string): Word {
  return { name, offset: word * WORD, type: 'i32', ...DEFINED, legal, meaning }
}

const DEFINITION_STRUCT: Struct = {
  name: 'definition',
  title: 'Definition',
  about:
    'The name and options of a breaker or a control, fixed while an entry names it. One that no ' +
    "entry names is freed by who took it out of its entry, or with its dead maker's slot. " +
    'Names of breakers are unique; those of ' +
    'controls within a kind, of hosts within a group.',
  size: DEFINITION_WORDS * WORD,
  alignment: 8,
  ownLine: true,
  inHeader: true,
  words: [
    {
      name: 'HOLDER',
      offset: DEFINITION.HOLDER_LONG * LONG,
      type: 'i64',
      packing: 'THREAD',
      ...ANYONE,
      writers: 'the maker of the breaker or control; who reaps it',
      legal: 'a THREAD word, 0 = free',
      meaning: 'Who makes it. Taken before anything else in it is written.',
    },
    {
      name: 'CREATED_MS',
      offset: DEFINITION.CREATED_DOUBLE * LONG,
      type: 'f64',
      ...DEFINED,
      legal: '>= 0',
      meaning: "Of the region's clock.",
    },
    {
      name: 'NAME_BYTES',
      offset: DEFINITION.NAME_BYTES * WORD,
      type: 'i32',
      ...DEFINED,
      legal: `1 .. ${MAX_NAME_BYTES}`,
      meaning: 'The length of the name.',
    },
    {
      name: 'NAME',
      offset: DEFINITION.NAME * WORD,
      type: 'i32',
      count: Math.ceil(MAX_NAME_BYTES / WORD),
      ...DEFINED,
      legal: 'UTF-8',
      meaning: 'Four bytes a word, the first in the lowest bits.',
    },
    fixed('FIRST', DEFINITION.FIRST, '0 .. 2^22 - 1', FIRST_MEANING),
    fixed('MAX_KEYS', DEFINITION.MAX_KEYS, '0 .. 65536', MAX_KEYS_MEANING),
    fixed('PREFIX_LENGTH', DEFINITION.PREFIX_LENGTH, '0 .. 255', PREFIX_MEANING),
    fixed('MOST_TRIALS', DEFINITION.MOST_TRIALS, `0 .. ${MAX_TRIALS}`, MOST_TRIALS_MEANING),
    {
      name: 'OPTIONS',
      offset: DEFINITION.OPTIONS_DOUBLE * LONG,
      type: 'options',
      ...DEFINED,
      legal: "as in options, of a control as in its kind's",
      meaning: 'What the breaker or control goes by.',
    },
    {
      name: 'MADE',
      offset: DEFINITION.MADE_DOUBLE * LONG,
      type: 'options',
      ...DEFINED,
      legal: 'likewise',
      meaning: 'What it was made with.',
    },
    {
      name: 'LONGEST_WAIT_MS',
      offset: DEFINITION.LONGEST_WAIT_DOUBLE * LONG,
      type: 'f64',
      ...DEFINED,
      legal: '>= 0; 0 for controls',
      meaning: 'No wait is longer, by whatever options the breaker has had.',
    },
    {
      name: 'LONGEST_LEASE_MS',
      offset: DEFINITION.LONGEST_LEASE_DOUBLE * LONG,
      type: 'f64',
      ...DEFINED,
      legal: '>= 0; 0 for controls',
      meaning: "Likewise of trials' leases.",
    },
  ],
}

export const DIRECTORY_STRUCTS: readonly Struct[] = [THREAD, MAKING, ENTRY, DEFINITION_STRUCT]
