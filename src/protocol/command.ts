/** Commands by hand (spec 2.7). Each starts a new generation; a trial cannot undo it. */
import { RegionError } from '../errors.ts'
import { CLOSED, FORCED_OPEN, generationOf, METRICS_ONLY, stateOf } from '../memory/words/state.ts'
import type { Core } from './breaker.ts'
import { transition } from './state.ts'
import type { Counts } from './threshold.ts'
import { emptyCounts } from './window.ts'

export interface Command {
  readonly target: number
  /** The states in which it has an effect; all when undefined. */
  readonly from: readonly number[] | undefined
  readonly reason: Uint8Array | undefined
  /** Forced-open only; `Infinity`: until told otherwise. */
  readonly ttlMs: number
}

export function plainCommand(target: number): Command {
  return { target, from: undefined, reason: undefined, ttlMs: Number.POSITIVE_INFINITY }
}

/** Each attempt that fails was overtaken by a transition. So many in a row are damage. */
const ATTEMPTS = 10_000

export function carryOutCommand(core: Core, command: Command): void {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const seen = core.currentState()
    if (seen === undefined) continue
    const { cell } = core
    if (command.from !== undefined && !command.from.includes(stateOf(seen))) return
    const sinceMs = cell.clock.now()
    const detail = {
      sinceMs,
      untilMs: command.target === FORCED_OPEN ? sinceMs + command.ttlMs : undefined,
      openings: undefined,
      counts: countsOf(core, seen, sinceMs),
      byHand: true,
      reason: command.reason,
    }
    if (transition(cell, seen, command.target, detail)) return
  }
  throw new RegionError('the state of a breaker is damaged: no command takes effect')
}

/** What the state that ends has counted in its window, if it keeps one. */
function countsOf(core: Core, seen: number, now: number): Counts | undefined {
  const state = stateOf(seen)
  if (state !== CLOSED && state !== METRICS_ONLY) return undefined
  const counts = emptyCounts()
  core.window.sum(generationOf(seen), now, counts)
  return counts
}
