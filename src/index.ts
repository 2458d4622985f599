/** The public names, nothing else. */
export type { CircuitBreaker, ExecuteResult } from './breaker.ts'
export type { ExecuteTrace, Refusal, TracedOutcome } from './channels.ts'
export {
  BusbarError,
  CallTimeoutError,
  CircuitOpenError,
  type ErrorCode,
  InvalidOptionError,
  NoRegistryError,
  OptionsMismatchError,
  RegionError,
  RegistryFullError,
} from './errors.ts'
export type { Call } from './execute.ts'
export {
  type BreakerHealth,
  type Health,
  type HealthOptions,
  type HealthStatus,
  health,
} from './health.ts'
export type { RegistryHandle } from './memory/region.ts'
export type { State } from './memory/words/state.ts'
export type { KeeperState } from './memory/words/tick.ts'
export { REFUSED } from './memory/words/trials.ts'
export type { Gap, StateChange } from './news/events.ts'
export type { ExecuteOptions } from './options/execute.ts'
export type {
  BreakerOptions,
  ConsecutiveWindow,
  CountWindow,
  LocalOptions,
  RegistryOptions,
  ResolvedOptions,
  SharedOptions,
  SlidingWindow,
  TimeWindow,
  WaitDuration,
} from './options/types.ts'
export { getRegistry } from './process.ts'
export type { DurationHistogram, DurationSummary } from './protocol/durations.ts'
export type { Transition, TransitionCounts } from './protocol/history.ts'
export type { BreakerSnapshot, TransitionCount } from './protocol/look.ts'
export type { ShardSnapshot } from './protocol/shards.ts'
export type { Totals } from './protocol/totals.ts'
export {
  attachRegistry,
  createRegistry,
  type Registry,
  type RegistrySnapshot,
} from './registry.ts'
export {
  type Logger,
  type Logging,
  type LogLevel,
  type LogOptions,
  logStateChanges,
} from './telemetry/logger.ts'
export type { SlotSnapshot } from './threads/presence.ts'
