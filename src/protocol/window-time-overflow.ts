/**
 * The overflow shard of a time window: the threads beyond `maxThreads` all count here. A bucket has
 * many writers, so none of them may zero it. Instead its EPOCH word says which bucket of time and
 * generation it is, and each counter carries the epoch's hash: a counter with another hash reads as
 * empty, and starts at one. Slower (64 bits wide), still right.
 *
 * 1. EPOCH only moves on, by CAS, so late writers find it moved and keep their hands off.
 * 2. A counter is replaced only while EPOCH says the writer's epoch, by a CAS from the word read
 *    before that was seen: what a later epoch counted is never replaced by an earlier one.
 * 3. A reader takes a counter only with the hash of the epoch it saw.
 */
import { compareExchange64, load, load64 } from '#atomics'
import { KINDS, OVERFLOW_BUCKET_LONGS, SHARD_BUCKETS } from '../memory/layout.ts'
import { generationOf } from '../memory/words/state.ts'
import { highOf, lowOf, packTagged } from '../memory/words/timed.ts'
import { ageOfEpoch, epochGenerationOf, hashOfEpoch, packEpoch } from '../memory/words/windows.ts'
import { type Sharded, shardOf } from './cell.ts'
import type { Counts } from './threshold.ts'
import { addKind } from './window.ts'

/** Each one lost is an outcome of another thread. */
const ATTEMPTS = 65_536

/** Ahead of our clock by more buckets than this is not ahead, but so far behind that it wrapped. */
const FAR_AHEAD = 2 ** 30

function bucketLong(cell: Sharded, index: number): number {
  return (shardOf(cell, 0) + SHARD_BUCKETS) / 2 + index * OVERFLOW_BUCKET_LONGS
}

export function recordOverflow(
  cell: Sharded,
  generation: number,
  number: number,
  kind: number,
): void {
  const { memory } = cell
  const bucket = bucketLong(cell, number % cell.shape.buckets)
  const epoch = packEpoch(generation, number)
  const hash = hashOfEpoch(epoch)
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (!enterEpoch(cell, bucket, epoch, generation, number)) return
    // ATOMIC overflow.count
    //   observes:  a counter of this epoch, or of an older one, while the epoch is ours.
    //   publishes: one outcome more of this kind.
    //   loses to:  another writer: try again, at the bound the outcome stays out of the window.
    //   dies here: the outcome is in the window or it is not.
    //   wraps:     a counter of an older epoch with the same 32-bit hash.
    const at = bucket + 1 + kind
    const found = load64(memory, at)
    if (load64(memory, bucket) !== epoch) continue
    const count = highOf(found) === hash ? lowOf(found) + 1 : 1
    if (compareExchange64(memory, at, found, packTagged(hash, count)) === found) return
  }
}

/** Moves the bucket on to this epoch. False when it is past it: the outcome has left the window. */
function enterEpoch(
  cell: Sharded,
  bucket: number,
  epoch: bigint,
  generation: number,
  number: number,
): boolean {
  // ATOMIC overflow.enter
  //   observes:  this epoch, an older one or a later one.
  //   publishes: that the counters of older epochs are over.
  //   loses to:  another writer; the caller looks again.
  //   dies here: an epoch without outcomes.
  //   wraps:     36 bits of bucket number: 2 years of silence at 1 ms a bucket.
  const found = load64(cell.memory, bucket)
  if (found === epoch) return true
  const age = ageOfEpoch(found, number)
  if (epochGenerationOf(found) === generation && age < 0 && age > -FAR_AHEAD) return false
  // Another generation's epoch is an older one's, however old, unless STATE has moved.
  if (generationOf(load(cell.memory, cell.state)) !== generation) return false
  compareExchange64(cell.memory, bucket, found, epoch)
  return true
}

/** As `sumBuckets`, of the overflow slot. Adds to `into`. */
export function sumOverflow(
  cell: Sharded,
  generation: number,
  number: number,
  span: number,
  into: Counts,
): void {
  const { buckets } = cell.shape
  for (let index = 0; index < buckets; index++) {
    // ATOMIC overflow.read
    //   observes: an epoch, then its counters; those of a later one read as empty.
    const bucket = bucketLong(cell, index)
    const epoch = load64(cell.memory, bucket)
    const age = ageOfEpoch(epoch, number)
    if (epochGenerationOf(epoch) !== generation || !(age < span && age > -span)) continue
    const hash = hashOfEpoch(epoch)
    for (let kind = 0; kind < KINDS; kind++) {
      const counter = load64(cell.memory, bucket + 1 + kind)
      if (highOf(counter) === hash) addKind(into, kind, lowOf(counter))
    }
  }
}
