/** The types of opossum's interface, by the names under which its users know them. */
import type { EventEmitter } from 'node:events'
import type { Registry } from '../registry.ts'
import type { Status } from './status.ts'

/**
 * What opossum's types leave open, and code that was written against them relies on: the errors
 * that a filter is given, and the arguments of a fallback.
 */
export type Open = ReturnType<typeof JSON.parse>

/** Where results are kept. Times are those of Date.now(), in ms; 0: for good. */
export interface CacheTransport {
  /** May answer with a promise. Nothing, or null: there is no such result. */
  get(key: string): unknown
  set(key: string, value: unknown, expiresAt: number): unknown
  flush(): unknown
}

/** Outcomes after which a result is not given to later callers. */
export type CoalesceResetOn = 'error' | 'success' | 'timeout'

/** What a circuit can be restored from: the `state` of toJSON(). */
export interface State {
  readonly name?: string | undefined
  readonly enabled?: boolean | undefined
  readonly closed?: boolean | undefined
  readonly open?: boolean | undefined
  readonly halfOpen?: boolean | undefined
  readonly warmUp?: boolean | undefined
  readonly shutdown?: boolean | undefined
  /** When it opened, as Date.now() says it. Only while it is open. */
  readonly lastTimerAt?: number | undefined
}

export interface Options {
  /** Where the breaker is found. Default: the process's, `getRegistry()`. */
  readonly registry?: Registry | undefined
  /** The breaker's, over all threads. Default: the action's; for one that has none a unique one. */
  readonly name?: string | undefined
  /** Default: the name. */
  readonly group?: string | undefined
  /** A call that takes longer has failed. Milliseconds; false or 0: off. Default 10,000. */
  readonly timeout?: number | false | undefined
  /** Opens when more than this part of the calls failed. In percent, 0 to 100; default 50. */
  readonly errorThresholdPercentage?: number | undefined
  /** How long it stays open. Milliseconds, at least 0; default 30,000. */
  readonly resetTimeout?: number | undefined
  /** Calls in the window before the rate is judged. 0 to 1,000,000; default 0. */
  readonly volumeThreshold?: number | undefined
  /** What the rate and `stats` are over. Milliseconds, at least 1 a bucket; default 10,000. */
  readonly rollingCountTimeout?: number | undefined
  /** 1 to 1,024. Default 10. */
  readonly rollingCountBuckets?: number | undefined
  /** Whether latencies are kept. Default true; else mean and percentiles are -1. */
  readonly rollingPercentilesEnabled?: boolean | undefined
  /** Calls in flight at the most, over all threads. 1 to 4,096; default: any number. */
  readonly capacity?: number | undefined
  /** Whether an error is none of the dependency's faults: the call then counts as a success. */
  readonly errorFilter?: ((error: Open) => boolean) | undefined
  /** Whether results are kept and given again, in this thread. Default false. */
  readonly cache?: boolean | undefined
  /** How long a result is kept. Milliseconds; 0, the default: for good. */
  readonly cacheTTL?: number | undefined
  /** How many are kept at the most. Default 2^24 - 1. */
  readonly cacheSize?: number | undefined
  /** What results are kept under. Default: JSON of the arguments. */
  readonly cacheGetKey?: ((...args: Open[]) => string) | undefined
  readonly cacheTransport?: CacheTransport | undefined
  /** Whether calls with the same key are made once, in this thread. Default false. */
  readonly coalesce?: boolean | undefined
  /** For how long from the call's beginning. Milliseconds; default: `timeout`, or 10,000. */
  readonly coalesceTTL?: number | undefined
  /** How many at the most. Default 2^24 - 1. */
  readonly coalesceSize?: number | undefined
  readonly coalesceResetOn?: readonly CoalesceResetOn[] | undefined
  /** Whether failures in the first `rollingCountTimeout` of this object do not count. */
  readonly allowWarmUp?: boolean | undefined
  /** Aborted by every timeout. */
  readonly abortController?: AbortController | undefined
  /** Whether one that was aborted is replaced unless the circuit is open. Makes one if need be. */
  readonly autoRenewAbortController?: boolean | undefined
  /** False: disabled, if this makes the breaker. Default true. */
  readonly enabled?: boolean | undefined
  /** Restores the circuit, if this makes the breaker. */
  readonly state?: State | undefined
  /** Counts to go on from: see newStatus(). */
  readonly status?: Status | undefined
  /** Whether `status` emits 'snapshot' once a bucket. Default true. */
  readonly enableSnapshots?: boolean | undefined
  /** Begins the next bucket of `stats` when it emits 'rotate', in place of the clock. */
  readonly rotateBucketController?: EventEmitter | undefined
}

/** What is emitted, with which arguments. */
export interface Events<TI extends unknown[], TR> {
  open: []
  close: []
  halfOpen: [resetTimeout: number]
  fire: [args: TI]
  success: [result: TR, latencyMs: number]
  failure: [error: Error, latencyMs: number, args: TI]
  timeout: [error: Error, latencyMs: number, args: TI]
  reject: [error: Error]
  semaphoreLocked: [error: Error]
  fallback: [result: unknown, error: Error]
  cacheHit: []
  cacheMiss: []
  coalesceCacheHit: []
  coalesceCacheMiss: []
  healthCheckFailed: [error: Error]
  shutdown: []
}
