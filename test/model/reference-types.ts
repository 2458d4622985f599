/** What the reference breaker talks about: its own types, nothing from src/. */

export type State = 'closed' | 'open' | 'half-open' | 'forced-open' | 'disabled' | 'metrics-only'

export type Window =
  | { type: 'time'; durationMs: number; buckets: number }
  | { type: 'count'; size: number }
  | { type: 'consecutive'; failures: number }

export interface Options {
  slidingWindow?: Window
  failureRateThreshold?: number
  minimumNumberOfCalls?: number
  slowCallDurationThresholdMs?: number
  slowCallRateThreshold?: number
  waitDurationInOpenStateMs?: number | { initialMs: number; multiplier?: number; maxMs?: number }
  permittedNumberOfCallsInHalfOpenState?: number
  halfOpenFailureRateThreshold?: number
  trialTimeoutMs?: number
}

export type Settings = Options &
  Required<Omit<Options, 'slowCallDurationThresholdMs' | 'halfOpenFailureRateThreshold'>>

/** 2.9 */
export const DEFAULTS: Settings = {
  slidingWindow: { type: 'time', durationMs: 10_000, buckets: 10 },
  failureRateThreshold: 0.5,
  minimumNumberOfCalls: 20,
  slowCallRateThreshold: 1,
  waitDurationInOpenStateMs: 30_000,
  permittedNumberOfCallsInHalfOpenState: 3,
  trialTimeoutMs: 60_000,
}

/** A permit is a name here: the generation, and for a trial the number of its claim behind it. */
export type Permit = string
export const REFUSED: Permit = 'refused'

export type OutcomeKind = 'success' | 'failure' | 'ignored'

export interface Outcome {
  generation: number
  at: number
  failed: boolean
  slow: boolean
}

export interface Trial {
  permit: Permit
  leaseEnd: number
  outcome: 'pending' | 'succeeded' | 'failed'
}

export interface Counts {
  calls: number
  failures: number
  slowCalls: number
  slowFailures: number
}

export interface Look {
  state: State
  canExecute: boolean
  retryAfterMs: number
  snapshot: Snapshot
}

export interface Snapshot {
  name: string
  state: State
  generation: number
  since: number
  retryAfterMs: number
  transitions: number
  window: Counts & { failureRate: number | null; slowCallRate: number | null }
  totals: {
    admitted: number
    succeeded: number
    failed: number
    slow: number
    ignored: number
    late: number
    abandoned: number
    refused: number
    inFlight: number
  }
  trials?: { permitted: number; inFlight: number; succeeded: number; failed: number }
  openedBy?: { calls: number; failures: number; slowCalls: number }
}
