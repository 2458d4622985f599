// Type tests of the options: compiled, never run. `undefined` counts as left out everywhere, also
// for users who compile with exactOptionalPropertyTypes, as this repository does.
import {
  type BreakerOptions,
  createRegistry,
  type LocalOptions,
  type Registry,
  type RegistryOptions,
  type SharedOptions,
  type SlidingWindow,
  type WaitDuration,
} from '../../src/index.ts'
import { type Equal, expectType } from './expect.ts'

declare const registry: Registry

export function windows(window: SlidingWindow): void {
  const all: SlidingWindow[] = [
    { type: 'time' },
    { type: 'time', durationMs: 10_000, buckets: 10 },
    { type: 'count' },
    { type: 'count', size: 100 },
    { type: 'consecutive' },
    { type: 'consecutive', failures: 5 },
  ]
  for (const slidingWindow of all) registry.breaker('b', { slidingWindow })
  expectType<Equal<SlidingWindow['type'], 'time' | 'count' | 'consecutive'>>()
  if (window.type === 'time') {
    expectType<Equal<typeof window.durationMs, number | undefined>>()
  } else if (window.type === 'count') {
    expectType<Equal<typeof window.size, number | undefined>>()
  } else {
    expectType<Equal<typeof window.failures, number | undefined>>()
  }

  // @ts-expect-error a window has a type
  registry.breaker('b', { slidingWindow: { size: 100 } })
  // @ts-expect-error of these three
  registry.breaker('b', { slidingWindow: { type: 'rolling' } })
  // @ts-expect-error a count window has a size
  registry.breaker('b', { slidingWindow: { type: 'count', durationMs: 10_000 } })
  // @ts-expect-error and a time window none
  registry.breaker('b', { slidingWindow: { type: 'time', size: 100 } })
  // @ts-expect-error the union does not let one through that mixes both
  registry.breaker('b', { slidingWindow: { type: 'consecutive', failures: 5, buckets: 10 } })
}

export function waits(): void {
  const waits: (number | WaitDuration)[] = [
    30_000,
    { initialMs: 1_000 },
    { initialMs: 1_000, multiplier: 2, maxMs: 60_000, jitter: 0.2 },
  ]
  for (const waitDurationInOpenStateMs of waits) {
    registry.breaker('b', { waitDurationInOpenStateMs })
  }
  // @ts-expect-error a growing wait begins somewhere
  registry.breaker('b', { waitDurationInOpenStateMs: { multiplier: 2 } })
  // @ts-expect-error not a function
  registry.breaker('b', { waitDurationInOpenStateMs: () => 5 })
}

export const everyOption: Required<BreakerOptions> = {
  slidingWindow: { type: 'time', durationMs: 10_000, buckets: 10 },
  failureRateThreshold: 0.5,
  minimumNumberOfCalls: 20,
  slowCallDurationThresholdMs: 1_000,
  slowCallRateThreshold: 1,
  waitDurationInOpenStateMs: 30_000,
  permittedNumberOfCallsInHalfOpenState: 3,
  halfOpenFailureRateThreshold: 0.5,
  trialTimeoutMs: 60_000,
  countHangingCalls: true,
  isFailure: result => result === undefined,
  classifyError: error => (error instanceof TypeError ? 'ignored' : 'failure'),
  timeoutMs: 5_000,
  measureDurations: true,
  optionSet: 'calm',
}
type BreakerKeys = keyof SharedOptions | keyof LocalOptions | 'optionSet'
expectType<Equal<keyof BreakerOptions, BreakerKeys>>()

export function breakers(): void {
  registry.breaker('b')
  registry.breaker('b', undefined)
  registry.breaker('b', {})
  registry.breaker('b', everyOption)

  // @ts-expect-error unknown options are refused
  registry.breaker('b', { failureThreshold: 0.5 })
  // @ts-expect-error rates are numbers
  registry.breaker('b', { failureRateThreshold: '50%' })
  // @ts-expect-error off is said by leaving it out
  registry.breaker('b', { slowCallDurationThresholdMs: null })
  // @ts-expect-error a result is of a type that busbar does not know
  registry.breaker('b', { isFailure: (result: Response) => !result.ok })
  // @ts-expect-error an answer of these two
  registry.breaker('b', { classifyError: () => 'success' })
  // @ts-expect-error and always one
  registry.breaker('b', { classifyError: () => undefined })
}

export function registries(): void {
  createRegistry()
  createRegistry(undefined)
  createRegistry({ maxBreakers: 8, maxThreads: 4, clock: 'manual', defaults: everyOption })
  createRegistry({ keeper: false })
  createRegistry({ keeper: true })
  createRegistry({ keeper: {} })
  createRegistry({ keeper: undefined })
  createRegistry({ keeper: { tickMs: 10 } })

  // @ts-expect-error of these two
  createRegistry({ clock: 'system' })
  // @ts-expect-error options of breakers stand in `defaults`
  createRegistry({ failureRateThreshold: 0.5 })
  // @ts-expect-error a tick is given by name
  createRegistry({ keeper: 5 })
  // @ts-expect-error a keeper has a tick
  createRegistry({ keeper: { intervalMs: 10 } })
}

// ---- undefined counts as left out ---------------------------------------------------------------

type AllUndefined<T> = { [K in keyof T]: undefined }
declare function allUndefined<T>(): AllUndefined<T>

export const breakerOptions: BreakerOptions = allUndefined<Required<BreakerOptions>>()
export const registryOptions: RegistryOptions = allUndefined<Required<RegistryOptions>>()
export const sharedOptions: SharedOptions = allUndefined<Required<SharedOptions>>()
export const localOptions: LocalOptions = allUndefined<Required<LocalOptions>>()
export const timeWindow: SlidingWindow = { type: 'time', durationMs: undefined, buckets: undefined }
export const countWindow: SlidingWindow = { type: 'count', size: undefined }
export const rowWindow: SlidingWindow = { type: 'consecutive', failures: undefined }
export const wait: WaitDuration = {
  initialMs: 5,
  multiplier: undefined,
  maxMs: undefined,
  jitter: undefined,
}
// @ts-expect-error but a wait begins somewhere
export const noWait: WaitDuration = { initialMs: undefined }

/** As configuration is often read: every field there, maybe undefined. */
export function fromEnvironment(timeoutMs?: number, reason?: string): void {
  registry.breaker('b', { timeoutMs }).forceOpen({ reason, ttlMs: timeoutMs })
}
