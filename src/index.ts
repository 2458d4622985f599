/** The public names, nothing else. */
export type { CircuitBreaker, ExecuteResult } from './breaker.ts'
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
export type { ExecuteOptions } from './options/execute.ts'
export type {
  BreakerOptions,
  ConsecutiveWindow,
  CountWindow,
  LocalOptions,
  RegistryOptions,
  SharedOptions,
  SlidingWindow,
  TimeWindow,
  WaitDuration,
} from './options/types.ts'
export type { BreakerSnapshot } from './protocol/look.ts'
export type { Totals } from './protocol/totals.ts'
export {
  attachRegistry,
  createRegistry,
  getRegistry,
  type Registry,
  type RegistrySnapshot,
} from './registry.ts'
