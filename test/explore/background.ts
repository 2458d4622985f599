/**
 * Words of which a search need not tell apart when they are read and written: those of the journal,
 * and the counts of transitions. No decision of the protocol depends on them, so whatever threads
 * do to them in between, all other words take the same values. Scenarios about the journal itself
 * look at every access (`observesJournal`).
 */
import type { Memory } from '../../src/memory/atomics.ts'
import {
  DEFINITION,
  DEFINITION_WORDS,
  HEADER,
  JOURNAL_ENTRIES,
  JOURNAL_LONGS,
  LINE_WORDS,
  RECORD,
  STATES,
} from '../../src/memory/layout.ts'
import { type RegionShape, regionShapeOf } from '../../src/memory/region-shape.ts'
import { linesOf } from '../../src/memory/words/threads.ts'

const JOURNAL_WORDS = JOURNAL_ENTRIES * JOURNAL_LONGS * 2
const COUNT_WORDS = STATES * STATES * 2

function shapeIn(memory: Memory): RegionShape {
  const at = (word: number): number => memory[word] as number
  return regionShapeOf({
    maxBreakers: at(HEADER.MAX_BREAKERS),
    maxThreads: at(HEADER.MAX_THREADS),
    arenaLines: at(HEADER.ARENA_LINES),
    maxControls: at(HEADER.MAX_CONTROLS),
    controlLines: at(HEADER.CONTROL_LINES),
  })
}

/** True for a word in the middle of a breaker's definition: after name and options. */
export function middleWords(memory: Memory): (word: number) => boolean {
  const { definitions, definitionCount } = shapeIn(memory).breakers
  const end = definitions + definitionCount * DEFINITION_WORDS
  return word =>
    word >= definitions &&
    word < end &&
    (word - definitions) % DEFINITION_WORDS === DEFINITION.FIRST
}

/** True for those words, of the breakers that there are now. */
export function journalWords(memory: Memory): (word: number) => boolean {
  const shape = shapeIn(memory)
  const counts: number[] = []
  let record = shape.breakers.arena
  for (let breaker = 0; breaker < shape.maxBreakers; breaker++) {
    counts.push(record + RECORD.TRANSITIONS_LONG * 2)
    record += linesOf(memory.longs[shape.breakers.directoryLong + breaker] as bigint) * LINE_WORDS
  }
  const journal = shape.journalLong * 2
  return word =>
    word === HEADER.JOURNAL_HEAD ||
    (word >= journal && word < journal + JOURNAL_WORDS) ||
    counts.some(start => word >= start && word < start + COUNT_WORDS)
}
