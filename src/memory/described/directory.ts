/** Who is there: slots of threads, entries and definitions of breakers. */
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
  title: 'Directory: one long for each breaker',
  about: 'Record k starts in the arena where record k - 1 ends.',
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
      writers: 'the maker of the breaker, once',
      legal: '0; else definition in [0, definitionCount), lines as the options say',
      meaning: 'The definition of breaker k, and the length of its record.',
    },
  ],
}

const DEFINITION_STRUCT: Struct = {
  name: 'definition',
  title: 'Definition',
  about:
    "A breaker's name and options, fixed once an entry names it. One that no entry names is " +
    "freed with its dead maker's slot.",
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
      writers: 'the maker of the breaker; who reaps it',
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
      legal: 'as in options',
      meaning: 'What the breaker goes by.',
    },
  ],
}

export const DIRECTORY_STRUCTS: readonly Struct[] = [THREAD, ENTRY, DEFINITION_STRUCT]
