/** The directory of breakers, and a breaker as its entry says it. */
import type { RecordShape } from '../memory/layout.ts'
import { type Region, recordShapeOf } from '../memory/region.ts'
import type { ThreadId } from '../memory/words/threads.ts'
import { areSound } from '../options/shared.ts'
import { type Cell, makeCell, type News, NO_NEWS } from './cell.ts'
import { type Contents, Log, type LogEntry } from './log.ts'

/** A breaker as the directory knows it. */
export type Entry = LogEntry<RecordShape>

/** The breaker as a thread that tells `news` sees it. */
export function cellOf(region: Region, entry: Entry, id: ThreadId, news: News = NO_NEWS): Cell {
  const { memory, clock, shape, seed } = region
  return makeCell({ memory, clock, region: shape, seed, thread: id.thread, news }, entry)
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
}

export class Directory extends Log<RecordShape> {
  readonly #region: Region
  readonly #id: ThreadId

  constructor(region: Region, id: ThreadId) {
    super(region, id, BREAKERS)
    this.#region = region
    this.#id = id
  }

  names(): string[] {
    return this.entriesAfter(0).map(({ name }) => name)
  }

  /** Every breaker's cell, made for the occasion: for reaping and leaving. */
  cells(): Cell[] {
    return this.entriesAfter(0).map(entry => cellOf(this.#region, entry, this.#id))
  }
}
