/** The last transitions of all breakers, as the journal holds them. */
import { JOURNAL_ENTRIES } from '../memory/layout.ts'
import type { Cell } from '../protocol/cell.ts'
import {
  type JournalEntry,
  NOT_YET,
  OVERRUN,
  readJournalEntry,
  type Transition,
  type TransitionCounts,
  transitionOf,
  Unseen,
} from '../protocol/history.ts'
import { type JournalPlace, journalHead } from '../protocol/journal.ts'
import { readSince } from '../protocol/state.ts'

/** A breaker whose record can be read. */
export interface NamedCell {
  readonly name: string
  readonly cell: Cell
  /** The number of its definition. */
  readonly definition: number
}

export interface HistoryView extends Omit<Transition, 'at' | 'thread' | 'counts'> {
  /** The number of its entry in the journal. */
  readonly entry: number
  /** In ms; null where neither the entry nor the record says it. */
  readonly at: number | null
  /** Whether the reason was said with the command; else it is what can be told from the rest. */
  readonly said: boolean
  /** Null where the maker has not said so. */
  readonly thread: number | null
  readonly counts: TransitionCounts | null
}

/**
 * The oldest first. Reading raises JOURNAL_HEAD over an entry whose maker has not, so this is for a
 * copy of the region of which nobody needs that word any more.
 */
export function historyOf(place: JournalPlace, cells: readonly NamedCell[]): HistoryView[] {
  const byNumber = new Map(cells.map(named => [named.cell.breaker, named]))
  const unseen = new Unseen()
  const found: HistoryView[] = []
  const first = journalHead(place) - JOURNAL_ENTRIES
  for (let step = 0; step < 2 * JOURNAL_ENTRIES; step++) {
    const number = (first + step) | 0
    const entry = readJournalEntry(place, number)
    if (entry === NOT_YET && step >= JOURNAL_ENTRIES) break
    if (entry === NOT_YET || entry === OVERRUN || !unseen.add(entry)) continue
    const named = byNumber.get(entry.breaker)
    const view = named && viewOf(place, number, entry, named)
    if (view !== undefined) found.push(view)
  }
  return found
}

function viewOf(
  place: JournalPlace,
  number: number,
  entry: JournalEntry,
  { cell }: NamedCell,
): HistoryView | undefined {
  const transition = transitionOf(place, entry, cell)
  if (transition === undefined) return undefined
  return {
    entry: number >>> 0,
    ...transition,
    at: entry.at ?? readSince(cell, entry.generation) ?? null,
    said: entry.text !== undefined,
    thread: transition.thread ?? null,
    counts: transition.counts ?? null,
  }
}
