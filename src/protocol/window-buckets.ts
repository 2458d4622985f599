/**
 * Buckets of time, sharded: each thread counts into buckets of its own, so recording shares no line
 * with any other thread. The overflow shard has many writers and a file of its own.
 *
 * A bucket is { stamp, turn, one counter a kind }; the turn holds the generation. Its owner turns
 * it over: stamp away, counters to zero, turn, stamp. A reader takes stamp, turn, counters, stamp,
 * turn, and drops what changed under it.
 *
 * 1. Only the owner writes, so it sees its own last writes and needs no CAS.
 * 2. A reader that saw the same stamp and generation before and after saw no counter of another
 *    bucket or generation: the owner takes the stamp away before it zeroes, and a stamp that comes
 *    back within one reading comes back with a later generation.
 * 3. A bucket of another generation reads as empty: after a transition nobody walks over shards.
 * 4. Counters only grow, and are read in the order of their kinds.
 */
import { load, readOwn, store } from '#atomics'
import type { Memory } from '../memory/atomics.ts'
import { BUCKET, BUCKET_WORDS, KINDS, SHARD_BUCKETS } from '../memory/layout.ts'
import { ageOfStamp, packTurn, stampOf, TURNING } from '../memory/words/windows.ts'
import { type Sharded, shardOf } from './cell.ts'
import { slotsInUse } from './slots.ts'
import type { Counts } from './threshold.ts'
import { addKind, clearCounts } from './window.ts'

/** Makes `bucket`, the calling thread's own, that of `number` and `generation`. */
export function enterBucket(
  memory: Memory,
  bucket: number,
  generation: number,
  number: number,
): void {
  const turn = packTurn(generation, number)
  if (
    readOwn(memory, bucket + BUCKET.STAMP) !== stampOf(number) ||
    readOwn(memory, bucket + BUCKET.TURN) !== turn
  ) {
    turnOver(memory, bucket, turn, stampOf(number))
  }
}

function turnOver(memory: Memory, bucket: number, turn: number, stamp: number): void {
  // ATOMIC time.turnOver
  //   publishes: an empty bucket of this number and generation.
  //   dies here: the stamp is away and the bucket reads as empty, until its next owner's turn.
  //   wraps:     a bucket left alone for 2^40 bucket lengths, to within the window, reads as
  //              current: 34 years of silence of this thread at 1 ms a bucket.
  store(memory, bucket + BUCKET.STAMP, TURNING)
  for (let kind = 0; kind < KINDS; kind++) store(memory, bucket + BUCKET.KINDS + kind, 0)
  store(memory, bucket + BUCKET.TURN, turn)
  store(memory, bucket + BUCKET.STAMP, stamp)
}

/**
 * Fills `into` with what `span` buckets hold for `generation`, of which `number` is the last: those
 * of all slots but the overflow slot. Later ones, by less than `span`, are taken along: they were
 * written by threads whose look at the clock came after the caller's.
 */
export function sumBuckets(
  of: Sharded,
  generation: number,
  number: number,
  span: number,
  into: Counts,
): void {
  clearCounts(into)
  const { memory, shape } = of
  const slots = slotsInUse(memory, of.region)
  for (let slot = 1; slot <= slots; slot++) {
    const buckets = shardOf(of, slot) + SHARD_BUCKETS
    for (let index = 0; index < shape.buckets; index++) {
      addBucket(memory, buckets + index * BUCKET_WORDS, generation, number, span, into)
    }
  }
}

function addBucket(
  memory: Memory,
  bucket: number,
  generation: number,
  number: number,
  span: number,
  into: Counts,
): void {
  // ATOMIC time.read
  //   observes: one bucket as its owner left it (pairs with time.turnOver, time.record).
  //   loses to: a turn-over: the bucket is dropped, as it would have been a moment later.
  const stamp = load(memory, bucket + BUCKET.STAMP)
  const age = ageOfStamp(stamp, number)
  if (stamp === TURNING || !(age < span && age > -span)) return
  const turn = packTurn(generation, number - age)
  if (load(memory, bucket + BUCKET.TURN) !== turn) return
  const good = load(memory, bucket + BUCKET.KINDS) >>> 0
  const failed = load(memory, bucket + BUCKET.KINDS + 1) >>> 0
  const slow = load(memory, bucket + BUCKET.KINDS + 2) >>> 0
  const slowFailed = load(memory, bucket + BUCKET.KINDS + 3) >>> 0
  if (load(memory, bucket + BUCKET.STAMP) !== stamp) return
  if (load(memory, bucket + BUCKET.TURN) !== turn) return
  addKind(into, 0, good)
  addKind(into, 1, failed)
  addKind(into, 2, slow)
  addKind(into, 3, slowFailed)
}
