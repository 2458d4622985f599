/** Looks at a breaker that take nothing and move nothing. Cost: a microsecond or a few. */
import { load } from '#atomics'
import {
  CLOSED,
  FORCED_OPEN,
  generationOf,
  HALF_OPEN,
  OPEN,
  REMOVED,
  STATE_NAMES,
  type State,
  stateOf,
} from '../memory/words/state.ts'
import { countHanging } from './ages.ts'
import type { Core } from './breaker.ts'
import type { Cell } from './cell.ts'
import { type DurationSummary, summarizeDurations } from './durations.ts'
import { readSummary } from './periodic.ts'
import { readSince, readTime, readTrip, untilIfOpened } from './state.ts'
import type { Counts } from './threshold.ts'
import { readTotals, type Totals } from './totals.ts'
import { readTransitions } from './transition-counts.ts'
import { type TrialView, verdictForAsker, viewTrials } from './trials.ts'
import { emptyCounts } from './window.ts'

export function seenState(cell: Cell): number {
  return load(cell.memory, cell.state)
}

/**
 * The state's name; a damaged word acts as disabled, so it is called that. A breaker that has been
 * removed is closed when it is made again.
 */
export function stateNameOf(seen: number): State {
  if (stateOf(seen) === REMOVED) return 'closed'
  return STATE_NAMES[stateOf(seen)] ?? 'disabled'
}

/** Milliseconds until `tryAcquire` might admit; 0 when it would now. */
export function retryAfterMs(cell: Cell, seen: number, now: number): number {
  const state = stateOf(seen)
  if (state === OPEN || state === FORCED_OPEN) {
    const until = readTime(cell, generationOf(seen)) ?? now
    return Math.max(0, until - now)
  }
  if (state !== HALF_OPEN) return 0
  const view = viewTrials(cell, generationOf(seen), now)
  const verdict = verdictForAsker(cell, view, now)
  if (verdict === undefined) return view.free > 0 ? 0 : view.earliestLive - now
  if (verdict.target === CLOSED) return 0
  return Math.max(0, untilIfOpened(cell, seen, verdict.sinceMs) - now)
}

/** Exact: also where the thread that made a transition has died. */
export interface TransitionCount {
  from: State
  to: State
  count: number
}

interface WindowRates {
  failureRate: number | null
  slowCallRate: number | null
  /** With `countHangingCalls`: how many of the slow calls are in flight at this moment. */
  hangingCalls?: number
}

/** A breaker at one moment. A copy: nothing later changes it. */
export interface BreakerSnapshot {
  name: string
  state: State
  /** The number of the current state, from 0; each transition starts the next (wraps at 2^22). */
  generation: number
  /** When the current state began, in ms of the registry's clock. */
  since: number
  /** Milliseconds until a call may be admitted; 0 when one would be now. */
  retryAfterMs: number
  /** Transitions since the breaker was made. */
  transitions: number
  /** The window of the current generation. A rate is null below the minimum number of calls. */
  window: Counts & WindowRates
  /** Since the breaker was made, over all threads, dead ones included. */
  totals: Totals
  /** How often it went from one state to another; pairs that never happened are left out. */
  transitionCounts: TransitionCount[]
  /** How long calls took, of outcomes that came with a duration. */
  durations: DurationSummary
  /** While half-open. */
  trials?: { permitted: number; inFlight: number; succeeded: number; failed: number }
  /** While open and half-open: the window that made it open. */
  openedBy?: { calls: number; failures: number; slowCalls: number }
}

const ATTEMPTS = 4

/** Exact when nothing happens meanwhile; else each part is of one moment within the call. */
export function snapshotOf(core: Core): BreakerSnapshot {
  const { cell } = core
  for (let attempt = 1; ; attempt++) {
    const seen = seenState(cell)
    const now = cell.clock.now()
    const counts = emptyCounts()
    core.window.sum(generationOf(seen), now, counts)
    const snapshot = assemble(core, seen, now, counts)
    if (seenState(cell) === seen || attempt === ATTEMPTS) return snapshot
  }
}

/** The same, with the window as of the last periodic sum where there is one. */
export function summaryOf(core: Core): BreakerSnapshot & { windowAgeMs: number } {
  const { cell } = core
  const seen = seenState(cell)
  const now = cell.clock.now()
  const summary = readSummary(cell, generationOf(seen))
  if (summary === undefined) return { ...snapshotOf(core), windowAgeMs: 0 }
  const windowAgeMs = Math.max(0, now - summary.at)
  return { ...assemble(core, seen, now, summary.counts), windowAgeMs }
}

function assemble(core: Core, seen: number, now: number, counts: Counts): BreakerSnapshot {
  const { cell } = core
  const generation = generationOf(seen)
  const state = stateOf(seen)
  const transitionCounts = transitionCountsOf(cell)
  const snapshot: BreakerSnapshot = {
    name: cell.name,
    state: stateNameOf(seen),
    generation,
    since: readSince(cell, generation) ?? now,
    retryAfterMs: retryAfterMs(cell, seen, now),
    transitions: transitionCounts.reduce((sum, { count }) => sum + count, 0),
    window: { ...counts, ...ratesOf(core, counts), ...hangingOf(cell, generation, now) },
    totals: readTotals(cell),
    transitionCounts,
    durations: summarizeDurations(cell),
  }
  if (state === HALF_OPEN) snapshot.trials = trialsOf(cell, viewTrials(cell, generation, now))
  const trip = state === OPEN || state === HALF_OPEN ? readTrip(cell, generation) : undefined
  if (trip !== undefined) snapshot.openedBy = trip
  return snapshot
}

function transitionCountsOf(cell: Cell): TransitionCount[] {
  return STATE_NAMES.flatMap((from, row) =>
    STATE_NAMES.map((to, column) => ({ from, to, count: readTransitions(cell, row, column) })),
  ).filter(({ count }) => count > 0)
}

function hangingOf(cell: Cell, generation: number, now: number): { hangingCalls?: number } {
  return cell.shape.ages === 0 ? {} : { hangingCalls: countHanging(cell, generation, now) }
}

function ratesOf(core: Core, counts: Counts): WindowRates {
  const { calls, failures, slowCalls } = counts
  if (!(core.window.hasRates && calls >= core.thresholds.minimumNumberOfCalls)) {
    return { failureRate: null, slowCallRate: null }
  }
  return { failureRate: failures / calls, slowCallRate: slowCalls / calls }
}

function trialsOf(cell: Cell, view: TrialView): NonNullable<BreakerSnapshot['trials']> {
  return {
    permitted: cell.trials,
    inFlight: view.inFlight,
    succeeded: view.succeeded,
    failed: view.failed + view.outlived,
  }
}
