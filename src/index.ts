/** The public names, nothing else. */
export type { CircuitBreaker } from './breaker.ts'
export type { ExecuteTrace, Refusal, TracedOutcome } from './channels.ts'
export {
  BulkheadFullError,
  BusbarError,
  CallTimeoutError,
  CircuitOpenError,
  type ErrorCode,
  InvalidOptionError,
  isRefusal,
  NoRegistryError,
  OptionsMismatchError,
  RegionError,
  RegistryFullError,
  ThrottledError,
} from './errors.ts'
export type { Call } from './execute.ts'
export type { ExecuteResult } from './execute-faces.ts'
export {
  type BreakerHealth,
  type Health,
  type HealthOptions,
  type HealthStatus,
  health,
} from './health.ts'
export type { KeyedBreakers } from './keyed/keyed.ts'
export type { KeyedOptions } from './keyed/options.ts'
export { attachRegistry, createRegistry } from './make-registry.ts'
export type { RegistryHandle } from './memory/handle.ts'
export type { State } from './memory/words/state.ts'
export type { KeeperState } from './memory/words/tick.ts'
export { REFUSED } from './memory/words/trials.ts'
export type { Gap, StateChange } from './news/events.ts'
export type { ExecuteOptions } from './options/execute.ts'
export type {
  BreakerOptions,
  ConsecutiveWindow,
  CountWindow,
  ExportedBreaker,
  ExportedState,
  LiveOptions,
  LocalOptions,
  RegistryExport,
  RegistryImport,
  RegistryOptions,
  ResolvedOptions,
  SharedOptions,
  SlidingWindow,
  TimeWindow,
  WaitDuration,
} from './options/types.ts'
export type {
  AcquireOptions,
  Bulkhead,
  BulkheadSnapshot,
  ResolvedBulkheadOptions,
} from './overload/bulkhead.ts'
export type {
  HostGroup,
  HostGroupSnapshot,
  HostOutcome,
  HostSnapshot,
  ResolvedHostGroupOptions,
} from './overload/hosts.ts'
export type {
  ResolvedRetryBudgetOptions,
  RetryBudget,
  RetryBudgetSnapshot,
} from './overload/retry-budget.ts'
export type { ResolvedThrottleOptions, Throttle, ThrottleSnapshot } from './overload/throttle.ts'
export type {
  BulkheadOptions,
  FailurePercentageOptions,
  HostGroupOptions,
  RetryBudgetOptions,
  SuccessRateOptions,
  ThrottleOptions,
} from './overload/types.ts'
export type { PipelineOptions, PipelineRetryOptions } from './pipeline/parts.ts'
export type { Pipeline, PipelineSnapshot } from './pipeline/pipeline.ts'
export { getRegistry } from './process.ts'
export type { DurationHistogram, DurationSummary } from './protocol/durations.ts'
export type { Transition, TransitionCounts } from './protocol/history.ts'
export type { BreakerSnapshot, TransitionCount } from './protocol/look.ts'
export type { ShardSnapshot } from './protocol/shards.ts'
export type { Totals } from './protocol/totals.ts'
export type { Registry } from './registry.ts'
export type { RegistrySnapshot } from './registry-snapshot.ts'
export type { BackoffOptions, Budget, RetryOptions } from './retry/options.ts'
export { type RetryAttempt, retry } from './retry/retry.ts'
export {
  type Logger,
  type Logging,
  type LogLevel,
  type LogOptions,
  logStateChanges,
} from './telemetry/logger.ts'
export type { SlotSnapshot } from './threads/presence.ts'
