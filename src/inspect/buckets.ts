/** The shards of one breaker: totals, and the buckets of a time window. */
import { load, load64 } from '#atomics'
import {
  BUCKET,
  BUCKET_WORDS,
  KINDS,
  OPTION,
  OVERFLOW_BUCKET_LONGS,
  SHARD_BUCKETS,
} from '../memory/layout.ts'
import { GENERATION_BITS } from '../memory/words/state.ts'
import { highOf, lowOf } from '../memory/words/timed.ts'
import { epochGenerationOf, hashOfEpoch, STAMP_BITS, TURNING } from '../memory/words/windows.ts'
import { type Cell, shardOf } from '../protocol/cell.ts'
import { readShard, type ShardTotals } from '../protocol/totals.ts'

const GENERATION_MASK = 2 ** GENERATION_BITS - 1

interface BucketView {
  /** Counted since the region was made. */
  readonly number: number
  /** When it began, in ms. */
  readonly startMs: number
  readonly generation: number
  /** In the midst of being emptied: what it counts means nothing. */
  readonly turning: boolean
  readonly good: number
  readonly failed: number
  readonly slow: number
  readonly slowFailed: number
}

export interface ShardView {
  /** 0: that of the threads for which there was no slot. */
  readonly slot: number
  readonly totals: ShardTotals
  /** Those that are not empty. */
  readonly buckets: BucketView[]
}

/** The shards that are not empty. */
export function shardsOf(cell: Cell): ShardView[] {
  const shards: ShardView[] = []
  for (let slot = 0; slot <= cell.region.maxThreads; slot++) {
    const totals = readShard(cell, slot)
    const buckets = slot === 0 ? overflowBucketsOf(cell) : bucketsOf(cell, slot)
    const isEmpty = buckets.length === 0 && Object.values(totals).every(total => total === 0)
    if (!isEmpty) shards.push({ slot, totals, buckets })
  }
  return shards
}

/** TURN has the high bits of the bucket's number, STAMP the low 30. */
export function numberOfStamp(stamp: number, turn: number): number {
  return (turn >>> GENERATION_BITS) * 2 ** STAMP_BITS + stamp
}

export function numberOfEpoch(epoch: bigint): number {
  return Number(BigInt.asUintN(36, epoch))
}

/** When a bucket began, in ms. */
export function startOf(number: number, durationMs: number, buckets: number): number {
  return (number * durationMs) / buckets
}

function view(
  cell: Cell,
  number: number,
  generation: number,
  counts: readonly number[],
  turning = false,
): BucketView {
  const [good = 0, failed = 0, slow = 0, slowFailed = 0] = counts
  const durationMs = cell.numbers[OPTION.WINDOW_LENGTH] as number
  const startMs = startOf(number, durationMs, cell.shape.buckets)
  return { number, startMs, generation, turning, good, failed, slow, slowFailed }
}

function isEmpty({ turning, good, failed, slow, slowFailed }: BucketView): boolean {
  return !turning && good + failed + slow + slowFailed === 0
}

function bucketsOf(cell: Cell, slot: number): BucketView[] {
  const { memory, shape } = cell
  const found: BucketView[] = []
  for (let index = 0; index < shape.buckets; index++) {
    const at = shardOf(cell, slot) + SHARD_BUCKETS + index * BUCKET_WORDS
    const stamp = load(memory, at + BUCKET.STAMP)
    const turn = load(memory, at + BUCKET.TURN)
    const kinds = Array.from({ length: KINDS }, (_, kind) => at + BUCKET.KINDS + kind)
    const counts = kinds.map(word => load(memory, word) >>> 0)
    const turning = stamp === TURNING
    const number = turning ? index : numberOfStamp(stamp, turn)
    found.push(view(cell, number, turn & GENERATION_MASK, counts, turning))
  }
  return found.filter(bucket => !isEmpty(bucket))
}

function overflowBucketsOf(cell: Cell): BucketView[] {
  const { memory, shape } = cell
  const found: BucketView[] = []
  for (let index = 0; index < shape.buckets; index++) {
    const at = (shardOf(cell, 0) + SHARD_BUCKETS) / 2 + index * OVERFLOW_BUCKET_LONGS
    const epoch = load64(memory, at)
    const hash = hashOfEpoch(epoch)
    const counts = Array.from({ length: KINDS }, (_, kind) => {
      const counter = load64(memory, at + 1 + kind)
      return highOf(counter) === hash ? lowOf(counter) : 0
    })
    found.push(view(cell, numberOfEpoch(epoch), epochGenerationOf(epoch), counts))
  }
  return found.filter(bucket => !isEmpty(bucket))
}
