/**
 * What the dashboard reads of a registry, by shape: `Registry` has it, and so has anything that
 * tests make up. Everything here only looks; nothing takes a permit or moves a state.
 */
import type { State } from '../memory/words/state.ts'

export interface SourceWindow {
  readonly calls: number
  readonly failures: number
  readonly slowCalls: number
  readonly failureRate: number | null
  readonly slowCallRate: number | null
}

interface SourceTotals {
  readonly admitted: number
  readonly succeeded: number
  readonly failed: number
  readonly late: number
  readonly abandoned: number
  readonly refused: number
  readonly inFlight: number
}

export interface SourceBreaker {
  readonly name: string
  readonly state: State
  readonly generation: number
  readonly since: number
  readonly retryAfterMs: number
  readonly window: SourceWindow
  /** How old that window's counts are. */
  readonly windowAgeMs: number
  readonly totals: SourceTotals
  readonly trials?: {
    readonly permitted: number
    readonly inFlight: number
    readonly succeeded: number
    readonly failed: number
  }
  readonly openedBy?: {
    readonly calls: number
    readonly failures: number
    readonly slowCalls: number
  }
}

export interface SourceSlot {
  readonly slot: number
  readonly thread: number
  readonly state: 'live' | 'silent' | 'dead'
}

export interface SourceSnapshot {
  readonly now: number
  readonly threads: number
  readonly maxThreads: number
  readonly maxBreakers: number
  readonly damaged: number
  readonly keeper: string
  readonly threadsWithoutSlot: number
  readonly slots: readonly SourceSlot[]
  readonly breakers: readonly SourceBreaker[]
}

export interface SourceTransition {
  readonly breaker: string
  readonly from: State
  readonly to: State
  readonly generation: number
  readonly at: number
  readonly reason: string
  readonly thread: number | undefined
  readonly counts:
    | {
        readonly calls: number
        readonly failures: number
        readonly slowCalls: number
        readonly failureRate: number | null
        readonly slowCallRate: number | null
      }
    | undefined
}

/** One breaker's thresholds, and what is too dear to read of a breaker that made no calls. */
export interface SourceHandle {
  /** One load. */
  readonly state: State
  readonly options: {
    readonly slidingWindow: { readonly type: string; readonly failures?: number | undefined }
    readonly failureRateThreshold: number
    readonly minimumNumberOfCalls: number
    readonly slowCallDurationThresholdMs?: number | undefined
    readonly slowCallRateThreshold: number
    readonly permittedNumberOfCallsInHalfOpenState: number
  }
  /** Adds the window up anew. */
  snapshot(): { readonly window: SourceWindow }
  durations(): {
    readonly count: number
    readonly buckets: readonly { readonly leMs: number; readonly count: number }[]
  }
  shards(): readonly SourceShard[]
}

export interface SourceShard {
  readonly slot: number
  readonly thread: number | undefined
  readonly admitted: number
  readonly inFlight: number
}

export interface Source {
  snapshot(): SourceSnapshot
  history(): readonly SourceTransition[]
  get(name: string): SourceHandle | undefined
}
