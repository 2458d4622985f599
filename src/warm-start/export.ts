/** Writes down what a restarted process needs to know of each breaker: nothing of any clock. */
import { CLOSED, generationOf, OPEN, STATE_NAMES, stateOf } from '../memory/words/state.ts'
import type { ExportedBreaker, RegistryExport } from '../options/types.ts'
import type { Cell } from '../protocol/cell.ts'
import { retryAfterMs, seenState } from '../protocol/look.ts'
import { readOpenings, readReason, untilIfOpened } from '../protocol/state.ts'
import { verdictForAsker, viewTrials } from '../protocol/trials.ts'
import { FORMAT_VERSION, MAX_EXPORTED } from './read.ts'

/** How often a breaker is read again because a transition came between. */
const ATTEMPTS = 4

/**
 * Every breaker that is not closed, and those that still wait to be made, which were listed before:
 * one that is made in between is among the breakers. All of it is fresh: nothing later changes it.
 */
export function exportBreakers(
  waiting: readonly ExportedBreaker[],
  breakers: readonly Cell[],
): RegistryExport {
  const names = new Set(breakers.map(({ name }) => name))
  const made = breakers.map(exportOne).filter(breaker => breaker !== undefined)
  const all = [...made, ...waiting.filter(({ name }) => !names.has(name))]
  return { busbar: FORMAT_VERSION, breakers: all.slice(0, MAX_EXPORTED) }
}

/** Exact when nothing happens meanwhile; undefined for one that is closed. */
function exportOne(cell: Cell): ExportedBreaker | undefined {
  for (let attempt = 1; ; attempt++) {
    const seen = seenState(cell)
    const exported = read(cell, seen)
    if (seenState(cell) === seen || attempt === ATTEMPTS) return exported
  }
}

function read(cell: Cell, seen: number): ExportedBreaker | undefined {
  const { name } = cell
  const state = STATE_NAMES[stateOf(seen)]
  // Nor has one that was removed meanwhile; a damaged one says nothing that should outlive us.
  if (state === undefined || state === 'closed') return undefined
  if (state === 'half-open') return readHalfOpen(cell, seen)
  const generation = generationOf(seen)
  const openings = readOpenings(cell, generation)
  const reason = readReason(cell, generation)
  const exported = { name, state, openings, ...(reason === undefined ? {} : { reason }) }
  const remainingMs = retryAfterMs(cell, seen, cell.clock.now())
  if (state === 'open') return { ...exported, openings: Math.max(1, openings), remainingMs }
  if (state === 'forced-open' && remainingMs < Number.POSITIVE_INFINITY) {
    return { ...exported, remainingMs }
  }
  return exported
}

/**
 * Trials end with their process, so half-open is open with its wait over; unless those that have
 * ended, or outlived their leases, have decided already and the next asker would carry it out.
 */
function readHalfOpen(cell: Cell, seen: number): ExportedBreaker | undefined {
  const { name } = cell
  const now = cell.clock.now()
  const openings = readOpenings(cell, generationOf(seen))
  const view = viewTrials(cell, generationOf(seen), now)
  const verdict = verdictForAsker(cell, view, now)
  if (verdict?.target === CLOSED) return undefined
  if (verdict?.target === OPEN) {
    const remainingMs = Math.max(0, untilIfOpened(cell, seen, verdict.sinceMs) - now)
    return { name, state: 'open', openings: openings + 1, remainingMs }
  }
  // What was forced open and never opened by itself has no row of openings.
  return { name, state: openings > 0 ? 'open' : 'forced-open', openings, remainingMs: 0 }
}
