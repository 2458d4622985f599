/**
 * The overflow shard of a time window: the threads beyond `maxThreads` all count here. A bucket has
 * many writers, so it cannot be turned over; instead each counter carries its own tag, and a CAS
 * from an older tag starts it at one. Slower (64 bits wide), still right.
 */
import { compareExchange64, load64, type Memory } from '#atomics'
import { BUCKET_WORDS, KINDS, SHARD_BUCKETS } from '../memory/layout.ts'
import { highOf, lowOf, packTagged } from '../memory/words/timed.ts'
import { ageOfEpoch, isEpochLater, isEpochOf, packEpoch } from '../memory/words/windows.ts'
import { type Cell, shardOf } from './cell.ts'
import type { Counts } from './threshold.ts'
import { addKind } from './window.ts'

const ATTEMPTS = 64

export function recordOverflow(
  memory: Memory,
  bucket: number,
  generation: number,
  number: number,
  kind: number,
): void {
  const at = bucket / 2 + kind
  const epoch = packEpoch(generation, number)
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    // ATOMIC overflow.record
    //   observes:  a counter of this epoch, or of an older one.
    //   publishes: one outcome more of this kind.
    //   loses to:  another writer: try again, at the bound the outcome stays out of the window; a
    //              later epoch: the outcome has left the window already.
    //   dies here: the outcome is in the window or it is not.
    //   wraps:     2^20 bucket lengths and 4,096 generations at once.
    const found = load64(memory, at)
    const current = highOf(found)
    const age = ageOfEpoch(current, number)
    if (age < 0 || (age === 0 && isEpochLater(current, generation))) return
    const value = current === epoch ? lowOf(found) + 1 : 1
    if (compareExchange64(memory, at, found, packTagged(epoch, value)) === found) return
  }
}

export function sumOverflow(
  cell: Cell,
  buckets: number,
  generation: number,
  number: number,
  into: Counts,
): void {
  const start = (shardOf(cell, 0) + SHARD_BUCKETS) / 2
  for (let at = 0; at < (buckets * BUCKET_WORDS) / 2; at++) {
    // ATOMIC overflow.read
    //   observes: one counter with its epoch.
    const found = load64(cell.memory, start + at)
    const epoch = highOf(found)
    const age = ageOfEpoch(epoch, number)
    if (isEpochOf(epoch, generation) && age < buckets && age > -buckets) {
      addKind(into, at % KINDS, lowOf(found))
    }
  }
}
