/**
 * Words of which a search need not tell apart when they are read and written: those of the journal,
 * and the counts of transitions. No decision of the protocol depends on them, so whatever threads
 * do to them in between, all other words take the same values. Scenarios about the journal itself
 * look at every access (`observesJournal`).
 */
import type { Memory } from '../../src/memory/atomics.ts'
import {
  HEADER,
  JOURNAL_ENTRIES,
  JOURNAL_LONGS,
  LINE_WORDS,
  RECORD,
  regionShapeOf,
  STATES,
} from '../../src/memory/layout.ts'
import { linesOf } from '../../src/memory/words/threads.ts'

const JOURNAL_WORDS = JOURNAL_ENTRIES * JOURNAL_LONGS * 2
const COUNT_WORDS = STATES * STATES * 2

/** True for those words, of the breakers that there are now. */
export function journalWords(memory: Memory): (word: number) => boolean {
  const maxBreakers = memory[HEADER.MAX_BREAKERS] as number
  const maxThreads = memory[HEADER.MAX_THREADS] as number
  const arenaLines = memory[HEADER.ARENA_LINES] as number
  const shape = regionShapeOf({ maxBreakers, maxThreads, arenaLines })
  const counts: number[] = []
  let record = shape.arena
  for (let breaker = 0; breaker < maxBreakers; breaker++) {
    counts.push(record + RECORD.TRANSITIONS_LONG * 2)
    record += linesOf(memory.longs[shape.directoryLong + breaker] as bigint) * LINE_WORDS
  }
  const journal = shape.journalLong * 2
  return word =>
    word === HEADER.JOURNAL_HEAD ||
    (word >= journal && word < journal + JOURNAL_WORDS) ||
    counts.some(start => word >= start && word < start + COUNT_WORDS)
}
