/** How often a breaker went from one state to another: a word for each pair, exact. */
import { compareExchange64, load, load64 } from '#atomics'
import { RECORD, STATES } from '../memory/layout.ts'
import { generationOf, isLater, isOwn, nextGeneration } from '../memory/words/state.ts'
import { highOf, lowOf, packTagged } from '../memory/words/timed.ts'
import type { Cell } from './cell.ts'

function transitionLong(cell: Cell, from: number, to: number): number {
  return cell.recordLong + RECORD.TRANSITIONS_LONG + from * STATES + to
}

/** Whether a count's tag is of this breaker, not of one that had the record before. */
function isOwnTag(cell: Cell, tag: number, current: number): boolean {
  return tag !== 0 && isOwn(tag - 1, cell.first, current)
}

/** A state that there is not is damage: nobody counts transitions from it. */
export function countTransition(cell: Cell, seen: number, from: number, to: number): void {
  if (!(from < STATES && to < STATES)) return
  // ATOMIC state.count
  //   observes:  a count whose last transition was before this one.
  //   publishes: one more, once: the tag says for which generation.
  //   loses to:  another helper, which counted it.
  //   dies here: the next helper counts it.
  //   wraps:     a pair of states that had no transition for 2^21 generations misses one.
  const long = transitionLong(cell, from, to)
  const generation = nextGeneration(generationOf(seen))
  const old = load64(cell.memory, long)
  if (old !== 0n && !isLater(generation, highOf(old) - 1)) return
  const before = isOwnTag(cell, highOf(old), generation) ? lowOf(old) : 0
  compareExchange64(cell.memory, long, old, packTagged(generation + 1, before + 1))
}

/** How often the breaker went from one state to another (wraps at 2^32). */
export function readTransitions(cell: Cell, from: number, to: number): number {
  const word = load64(cell.memory, transitionLong(cell, from, to))
  const current = generationOf(load(cell.memory, cell.state))
  return isOwnTag(cell, highOf(word), current) ? lowOf(word) : 0
}
