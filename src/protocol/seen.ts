/** What a STATE word that was seen says of the one that is there. */
import { load, load64 } from '#atomics'
import { editionOf, generationOf, REMOVED, stateOf } from '../memory/words/state.ts'
import { editionOfEntry } from '../memory/words/threads.ts'
import type { Cell } from './cell.ts'

/**
 * Whether the generation of `seen` is current. It may have got another edition since: what is
 * decided by the old one's options is decided before that.
 */
export function isStill(cell: Cell, seen: number): boolean {
  return generationOf(load(cell.memory, cell.state)) === generationOf(seen)
}

/**
 * A transition keeps the edition. But that which begins a new breaker shows the entry's at once, so
 * that whoever knows the old one does not take the word for one of its own.
 */
export function editionAfter(cell: Cell, seen: number): number {
  if (stateOf(seen) !== REMOVED) return editionOf(seen)
  return editionOfEntry(load64(cell.memory, cell.entryLong))
}
