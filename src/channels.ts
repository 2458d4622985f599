/**
 * The channels of `node:diagnostics_channel` by which other code hears of this thread's calls:
 * `busbar:refused` and the tracing channel `busbar:execute`. Where nobody subscribes they cost one
 * look, and no message is made. (`busbar:stateChange` stands in news/state-changes.ts.)
 *
 * Subscribers run within the call that publishes. One that throws harms neither the call nor other
 * subscribers: Node raises its error as an `uncaughtException` once the call has gone on.
 */
import { channel, tracingChannel } from 'node:diagnostics_channel'
import type { CircuitOpenError } from './errors.ts'
import type { State } from './memory/words/state.ts'

/** The message of `busbar:refused`: a call through `execute` and the like, or an adapter. */
export interface Refusal {
  readonly breaker: string
  /** The state that refused. */
  readonly state: State
  /** Milliseconds until the breaker may admit a call; `Infinity`: by command only. */
  readonly retryAfterMs: number
}

/**
 * What came of a traced call for the breaker. `'late'`: the breaker had moved on when the call
 * ended, so that it counted for nothing.
 */
export type TracedOutcome = 'success' | 'failure' | 'ignored' | 'late' | 'refused'

/** The message of `tracing:busbar:execute:*`: the same object in all events of one call. */
export interface ExecuteTrace {
  readonly breaker: string
  /** Undefined until it is known, and where no permit was asked for: bad options, an abort. */
  outcome?: TracedOutcome
  /** Whether the call was a trial of a half-open breaker. */
  isTrial: boolean
  /** The error that a fallback answered, if one had to. */
  fallbackError?: unknown
  /** What the caller is given, set by the tracing channel; adapters do not say. */
  result?: unknown
  /**
   * What the caller's promise rejects with, or what `executeSync` throws; of an adapter's call,
   * what it failed with or was given up with.
   */
  error?: unknown
}

export const executeChannel = tracingChannel<unknown, ExecuteTrace>('busbar:execute')
const refusedChannel = channel('busbar:refused')

export function publishRefusal(breaker: string, error: CircuitOpenError): void {
  if (!refusedChannel.hasSubscribers) return
  const { state, retryAfterMs } = error
  const refusal: Refusal = { breaker, state, retryAfterMs }
  refusedChannel.publish(refusal)
}
