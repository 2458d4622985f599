/**
 * Records of controls: throttles, bulkheads, retry budgets, host groups and their hosts. Each is
 *
 *   its own line | duty | places | queue | shards
 *
 * and its shards are like those of breakers: totals, then buckets of a time window.
 */
import {
  BUCKET_WORDS,
  LINE_WORDS,
  linesFor,
  OPTION_COUNT,
  OVERFLOW_BUCKET_LONGS,
  SHARD_BUCKETS,
} from './layout.ts'

/** What a control is: the first of its options. */
export const THROTTLE = 0
export const BULKHEAD = 1
export const RETRY_BUDGET = 2
export const HOST_GROUP = 3
export const HOST = 4

/** The options of each kind, doubles like those of breakers; the rest are 0. */
export const CONTROL_KIND = 0

export const THROTTLE_OPTION = {
  K: 1,
  WINDOW_MS: 2,
  MINIMUM_PER_SECOND: 3,
  MAX_PROBABILITY: 4,
} as const

export const BULKHEAD_OPTION = {
  MAX_CONCURRENT: 1,
  MAX_QUEUED: 2,
  MAX_WAIT_MS: 3,
} as const

export const BUDGET_OPTION = {
  RATIO: 1,
  MINIMUM_PER_SECOND: 2,
} as const

export const HOSTS_OPTION = {
  CONSECUTIVE_FAILURES: 1, // 0: off
  INTERVAL_MS: 2,
  BASE_EJECTION_MS: 3,
  MAX_EJECTION_MS: 4,
  JITTER: 5,
  MAX_EJECTION_PERCENT: 6,
  STDEV_FACTOR: 7, // 0: success rates are not compared
  STDEV_HOSTS: 8,
  STDEV_VOLUME: 9,
  FAILURE_THRESHOLD: 10, // 0: off
  FAILURE_HOSTS: 11,
  FAILURE_VOLUME: 12,
} as const

export const HOST_OPTION = {
  GROUP: 1, // the number of its group in the directory
} as const

/** The line of its own, in words; STATE is there for all kinds. */
export const CONTROL = {
  STATE: 0, // reserved: 0 in this version, generation 0
  // a throttle's
  PROBABILITY: 1,
  // a bulkhead's
  WAITING: 1,
  RELEASES: 2,
  // a host group's
  EJECTIONS: 1,
  // a host's
  ROW: 1,
  EJECTION_LONG: 1,
  // of throttles and host groups, on a line of its own
  DUTY_LONG: LINE_WORDS / 2,
} as const

const CONTROL_PLACES = 2 * LINE_WORDS

/** Buckets in the window of a throttle or a budget. */
export const CONTROL_BUCKETS = 10

/** A host's window: the interval that goes on and the one before. */
export const HOST_BUCKETS = 2

/** The most calls that a bulkhead lets through, or lets wait. */
export const MAX_PLACES = 4096

/** The most hosts of one group that can be ejected at a time. */
export const MAX_EJECTED = 1024

/** One who waits in a bulkhead's queue. */
export const WAITER = { OWNER: 0, ARRIVED: 1 } as const
export const WAITER_WORDS = 2

/** Offsets of a control's record, in words from its start. */
export interface ControlShape {
  readonly kind: number
  /** A bulkhead's places, or those of the ejected hosts of a group. */
  readonly places: number
  readonly placeCount: number
  readonly queue: number
  readonly queueLength: number
  readonly shards: number
  readonly overflowWords: number
  readonly shardWords: number
  readonly buckets: number
  /** The whole record, in lines. */
  readonly lines: number
}

const BUCKETS_OF: Readonly<Record<number, number>> = {
  [THROTTLE]: CONTROL_BUCKETS,
  [RETRY_BUDGET]: CONTROL_BUCKETS,
  [HOST]: HOST_BUCKETS,
}

export function controlShapeOf(numbers: readonly number[], maxThreads: number): ControlShape {
  const kind = numbers[CONTROL_KIND] as number
  const isBulkhead = kind === BULKHEAD
  const concurrent = numbers[BULKHEAD_OPTION.MAX_CONCURRENT] as number
  const placeCount = isBulkhead ? concurrent : kind === HOST_GROUP ? MAX_EJECTED : 0
  const queueLength = isBulkhead ? (numbers[BULKHEAD_OPTION.MAX_QUEUED] as number) : 0
  const buckets = BUCKETS_OF[kind] ?? 0
  const places = CONTROL_PLACES
  const queue = places + linesFor(placeCount)
  const shards = queue + linesFor(queueLength * WAITER_WORDS)
  const overflowWords = linesFor(SHARD_BUCKETS + buckets * OVERFLOW_BUCKET_LONGS * 2)
  const shardWords = linesFor(SHARD_BUCKETS + buckets * BUCKET_WORDS)
  const lines = (shards + overflowWords + maxThreads * shardWords) / LINE_WORDS
  const before = { kind, places, placeCount, queue, queueLength }
  return { ...before, shards, overflowWords, shardWords, buckets, lines }
}

/** What the largest usual control of this region takes: a throttle, or with few threads a group. */
export function controlLinesOf(maxThreads: number): number {
  const linesOf = (kind: number): number => {
    const numbers = new Array<number>(OPTION_COUNT).fill(0)
    numbers[CONTROL_KIND] = kind
    return controlShapeOf(numbers, maxThreads).lines
  }
  return Math.max(linesOf(THROTTLE), linesOf(HOST_GROUP))
}
