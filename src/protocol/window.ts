/** What the three windows have in common. */
import type { Counts } from './threshold.ts'

/** Kinds of outcome: bit 0 says failed, bit 1 says slow. Every kind but 0 is a bad one. */
export const GOOD = 0
export const FAILED_KIND = 1
export const SLOW_KIND = 2

export interface Window {
  /** False for a window of failures in a row: it has no rates. */
  readonly hasRates: boolean
  /**
   * Records an outcome of the generation in `seen`, a STATE word of closed or metrics-only, and
   * opens the breaker when a closed one's window says so.
   */
  record(seen: number, kind: number): void
  /** Fills `into` with what the window holds for `generation` at time `now`. */
  sum(generation: number, now: number, into: Counts): void
  /** Sees to what is published of the window, while no outcome comes to do it. */
  tend(generation: number, now: number): void
  /** As `record` without an outcome, once a step: calls in flight may have begun to hang. */
  lookAtHanging?(seen: number): void
  /** The same at once: a call hangs no more that a sum may have seen. */
  judgeAgain?(seen: number): void
  /** From now on this thread records as one of the threads that share slot 0. */
  moveToOverflow(): void
}

export function emptyCounts(): Counts {
  return { calls: 0, failures: 0, slowCalls: 0, slowFailures: 0 }
}

export function clearCounts(counts: Counts): void {
  counts.calls = 0
  counts.failures = 0
  counts.slowCalls = 0
  counts.slowFailures = 0
}

export function addKind(counts: Counts, kind: number, times: number): void {
  counts.calls += times
  if (kind & FAILED_KIND) counts.failures += times
  if (kind & SLOW_KIND) counts.slowCalls += times
  if (kind === (FAILED_KIND | SLOW_KIND)) counts.slowFailures += times
}
