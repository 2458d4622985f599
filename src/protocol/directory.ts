/** The directory of breakers, and a breaker as its entry says it. */
import { load } from '#atomics'
import { OPTION, RECORD, type RecordShape } from '../memory/layout.ts'
import { type Region, recordShapeOf } from '../memory/region.ts'
import { generationOf, nextGeneration, REMOVED, stateOf } from '../memory/words/state.ts'
import type { ThreadId } from '../memory/words/threads.ts'
import { areSound, type SharedNumbers } from '../options/shared.ts'
import { type Cell, makeCell, type News, NO_NEWS, trialTimeoutMsOf } from './cell.ts'
import type { Contents, LogEntry } from './log.ts'
import { MakingLog } from './making.ts'
import { longestWaitMsOf } from './wait.ts'

/** A breaker as the directory knows it. */
export type Entry = LogEntry<RecordShape>

/** The breaker as a thread that tells `news` sees it. */
export function cellOf(region: Region, entry: Entry, id: ThreadId, news: News = NO_NEWS): Cell {
  const { memory, clock, shape, seed } = region
  return makeCell({ memory, clock, region: shape, seed, thread: id.thread, news }, entry)
}

/** What a record is laid out by, and what its buckets are numbered by. */
const SHAPING = [OPTION.WINDOW, OPTION.WINDOW_LENGTH, OPTION.BUCKETS, OPTION.HANGING]

function stateWord({ memory }: Region, { record }: Entry): number {
  return load(memory, record + RECORD.STATE)
}

/** Removed; not made again, for then the next generation is the new one's first. */
function isVacant(region: Region, entry: Entry): boolean {
  const seen = stateWord(region, entry)
  return stateOf(seen) === REMOVED && nextGeneration(generationOf(seen)) !== entry.first
}

const BREAKERS: Contents<RecordShape> = {
  what: 'circuit breaker',
  limit: 'maxBreakers',
  size: 'windows',
  remedy: 'a larger maxBreakers, or with the largest sliding window in its defaults',
  areaOf: region => region.breakers,
  areSound,
  shapeOf: recordShapeOf,
  keyOf: name => name,
  isVacant,
  fits: (numbers: SharedNumbers, entry: Entry) =>
    SHAPING.every(option => numbers[option] === entry.numbers[option]),
  firstAfter: (region, entry) => nextGeneration(generationOf(stateWord(region, entry))),
  limitsOf: numbers => ({
    longestWaitMs: longestWaitMsOf(numbers),
    longestLeaseMs: trialTimeoutMsOf(numbers),
    mostTrials: numbers[OPTION.TRIALS] as number,
  }),
}

export class Directory extends MakingLog<RecordShape> {
  constructor(region: Region, id: ThreadId) {
    super(region, id, BREAKERS)
  }

  /** The breakers that there are, in the order of their records. */
  present(): Entry[] {
    return this.entriesAfter(0).filter(entry => this.isPresent(entry))
  }

  /** Whether the breaker has not been removed. */
  isPresent(entry: Entry): boolean {
    return !isVacant(this.region, entry)
  }

  /** Every record's cell, made for the occasion: for reaping and leaving. */
  cells(): Cell[] {
    return this.entriesAfter(0).map(entry => cellOf(this.region, entry, this.id))
  }
}
