/**
 * The time window, sharded: each thread counts into buckets of its own, so recording shares no line
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
 */
import { add, load, readOwn, store } from '#atomics'
import { BUCKET, BUCKET_WORDS, HEADER, KINDS, OPTION, SHARD_BUCKETS } from '../memory/layout.ts'
import { generationOf } from '../memory/words/state.ts'
import { ageOfStamp, packTurn, stampOf, TURNING } from '../memory/words/windows.ts'
import { type Cell, shardOf } from './cell.ts'
import { PeriodicSum } from './periodic.ts'
import { slotsInUse } from './slots.ts'
import { judge, spend } from './stock.ts'
import type { Counts, Thresholds } from './threshold.ts'
import { addKind, clearCounts, emptyCounts, GOOD, type Window } from './window.ts'
import { recordOverflow, sumOverflow } from './window-time-overflow.ts'

export class TimeWindow implements Window {
  readonly hasRates = true
  readonly #cell: Cell
  readonly #thresholds: Thresholds
  readonly #durationMs: number
  readonly #buckets: number
  readonly #counts = emptyCounts()
  readonly #periodic: PeriodicSum
  #slot: number
  #shardBuckets: number
  /** The bucket and generation for which this thread has published a stock: see stock.ts. */
  #reliesOnBucket = -1
  #reliesOnGeneration = -1

  constructor(cell: Cell, thresholds: Thresholds, slot: number) {
    this.#cell = cell
    this.#thresholds = thresholds
    this.#durationMs = cell.numbers[OPTION.WINDOW_LENGTH] as number
    this.#buckets = cell.shape.buckets
    this.#periodic = new PeriodicSum(cell, this)
    this.#slot = slot
    this.#shardBuckets = shardOf(cell, slot) + SHARD_BUCKETS
  }

  moveToOverflow(): void {
    this.#slot = 0
    this.#shardBuckets = shardOf(this.#cell, 0) + SHARD_BUCKETS
  }

  record(seen: number, kind: number): void {
    const cell = this.#cell
    const generation = generationOf(seen)
    cell.clock.refresh()
    const now = cell.clock.current
    const number = this.#bucketNumber(now)
    if (this.#slot === 0) recordOverflow(cell, generation, number, kind)
    else this.#recordOwn(generation, number, kind)
    const left = kind === GOOD ? 1 : spend(cell, seen)
    if (left <= 0 || this.#reliesOnBucket !== number || this.#reliesOnGeneration !== generation) {
      const summedAt = judge(cell, this, this.#thresholds, seen, this.#counts)
      this.#reliesOnBucket = summedAt >= 0 ? this.#bucketNumber(summedAt) : -1
      this.#reliesOnGeneration = generation
    }
    if (now >= this.#periodic.nextLook) this.#periodic.look(generation, now)
  }

  #recordOwn(generation: number, number: number, kind: number): void {
    const { memory } = this.#cell
    const bucket = this.#shardBuckets + (number % this.#buckets) * BUCKET_WORDS
    const turn = packTurn(generation, number)
    // ATOMIC time.record
    //   observes:  our own bucket: nobody else writes it.
    //   publishes: one outcome more of this kind.
    //   dies here: the outcome is in the window or it is not.
    //   wraps:     a bucket left alone for 2^34 bucket lengths, to within the window, reads as
    //              current: 199 days of silence of this thread at 1 ms a bucket, 545 years at 1 s.
    if (
      readOwn(memory, bucket + BUCKET.STAMP) !== stampOf(number) ||
      readOwn(memory, bucket + BUCKET.TURN) !== turn
    ) {
      this.#turnOver(bucket, turn, stampOf(number))
    }
    add(memory, bucket + BUCKET.KINDS + kind, 1)
  }

  #turnOver(bucket: number, turn: number, stamp: number): void {
    const { memory } = this.#cell
    // ATOMIC time.turnOver
    //   publishes: an empty bucket of this number and generation.
    //   dies here: the stamp is away and the bucket reads as empty, until its next owner's turn.
    store(memory, bucket + BUCKET.STAMP, TURNING)
    for (let kind = 0; kind < KINDS; kind++) store(memory, bucket + BUCKET.KINDS + kind, 0)
    store(memory, bucket + BUCKET.TURN, turn)
    store(memory, bucket + BUCKET.STAMP, stamp)
  }

  sum(generation: number, now: number, into: Counts): void {
    const cell = this.#cell
    const number = this.#bucketNumber(now)
    clearCounts(into)
    const slots = slotsInUse(cell.memory, cell.region)
    for (let slot = 1; slot <= slots; slot++) {
      const buckets = shardOf(cell, slot) + SHARD_BUCKETS
      for (let index = 0; index < this.#buckets; index++) {
        this.#addBucket(buckets + index * BUCKET_WORDS, generation, number, into)
      }
    }
    if (load(cell.memory, HEADER.OVERFLOW_USED) !== 0) {
      sumOverflow(cell, generation, number, into)
    }
  }

  #addBucket(bucket: number, generation: number, number: number, into: Counts): void {
    const { memory } = this.#cell
    // ATOMIC time.read
    //   observes: one bucket as its owner left it (pairs with time.turnOver, time.record).
    //   loses to: a turn-over: the bucket is dropped, as it would have been a moment later.
    const stamp = load(memory, bucket + BUCKET.STAMP)
    const age = ageOfStamp(stamp, number)
    // A bucket still to come was written by a thread whose look at the clock came after ours.
    if (stamp === TURNING || !(age < this.#buckets && age > -this.#buckets)) return
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

  #bucketNumber(now: number): number {
    return Math.floor((now * this.#buckets) / this.#durationMs)
  }
}
