/** Who is there: slots of threads, entries and definitions of breakers and controls. */
import { DEFINITION, DEFINITION_WORDS, MAX_NAME_BYTES } from '../layout.ts'
import type { Struct } from './types.ts'
import { ANYONE, DEFINED } from './writers.ts'

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
      writers: 'the maker of the breaker or control, once',
      legal: '0; else definition in [0, definitionCount), lines as the options say',
      meaning: 'The definition of breaker or control k, and the length of its record.',
    },
  ],
}

const DEFINITION_STRUCT: Struct = {
  name: 'definition',
  title: 'Definition',
  about:
    'The name and options of a breaker or a control, fixed once an entry names it. One that no ' +
    "entry names is freed with its dead maker's slot. Names of breakers are unique; those of " +
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
    {
      name: 'OPTIONS',
      offset: DEFINITION.OPTIONS_DOUBLE * LONG,
      type: 'options',
      ...DEFINED,
      legal: "as in options, of a control as in its kind's",
      meaning: 'What the breaker or control goes by.',
    },
  ],
}

export const DIRECTORY_STRUCTS: readonly Struct[] = [THREAD, ENTRY, DEFINITION_STRUCT]
