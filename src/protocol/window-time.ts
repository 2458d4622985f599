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
import { generationOf, METRICS_ONLY, stateOf } from '../memory/words/state.ts'
import {
  ageOfStamp,
  holdsMinimumOf,
  packTurn,
  stampOf,
  stockOf,
  TURNING,
} from '../memory/words/windows.ts'
import { type Cell, shardOf } from './cell.ts'
import { PeriodicSum, readSummary } from './periodic.ts'
import { OVERFLOW_SLOT, slotsInUse } from './slots.ts'
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
  #foundMinimum = false
  /** Until this time good outcomes of this generation go into this counter, and that is all. */
  #sparesUntil = 0
  #sparesGeneration = -1
  #goodCounter = 0
  /** Without outcomes a window changes with its buckets only. */
  #tendedBucket = -1

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
    this.#slot = OVERFLOW_SLOT
    this.#shardBuckets = shardOf(this.#cell, OVERFLOW_SLOT) + SHARD_BUCKETS
    this.#sparesGeneration = -1
  }

  record(seen: number, kind: number): void {
    if (kind === GOOD && this.#isSpared(seen)) this.#count(this.#goodCounter)
    else this.#recordAndJudge(seen, kind)
  }

  #count(counter: number): void {
    // ATOMIC time.record
    //   observes:  our own bucket: nobody else writes it.
    //   publishes: one outcome more of this kind.
    //   dies here: the outcome is in the window or it is not.
    add(this.#cell.memory, counter, 1)
  }

  #isSpared(seen: number): boolean {
    if (generationOf(seen) !== this.#sparesGeneration) return false
    const { clock } = this.#cell
    clock.glance()
    return clock.latest < this.#sparesUntil
  }

  #recordAndJudge(seen: number, kind: number): void {
    const cell = this.#cell
    const { clock } = cell
    const generation = generationOf(seen)
    clock.refresh()
    const number = this.#currentBucket()
    this.#sparesGeneration = -1
    if (this.#slot === OVERFLOW_SLOT) recordOverflow(cell, generation, number, kind)
    else this.#count(this.#ownBucket(generation, number) + BUCKET.KINDS + kind)
    const relies = this.#reliesOnBucket === number && this.#reliesOnGeneration === generation
    const stock = spend(cell, seen)
    if (stockOf(stock) <= 1 || !relies) this.#judge(seen, generation)
    else if (holdsMinimumOf(stock)) this.#foundMinimum = true
    if (clock.current >= this.#periodic.nextLook) this.#periodic.look(generation, clock.current)
    this.#spareGood(seen, number)
  }

  #judge(seen: number, generation: number): void {
    const summedAt = judge(this.#cell, this, this.#thresholds, seen, this.#counts)
    this.#reliesOnBucket = summedAt >= 0 ? this.#bucketNumber(summedAt) : -1
    this.#reliesOnGeneration = generation
    this.#foundMinimum = this.#counts.calls >= this.#thresholds.minimumNumberOfCalls
  }

  /** Good outcomes need no look at the stock or the bucket until this one ends, or a sum is due. */
  #spareGood(seen: number, number: number): void {
    const generation = generationOf(seen)
    const isSafe =
      stateOf(seen) === METRICS_ONLY || (this.#reliesOnBucket === number && this.#foundMinimum)
    if (this.#slot === OVERFLOW_SLOT || !isSafe) return
    const end = ((number + 1) * this.#durationMs) / this.#buckets
    this.#sparesUntil = Math.min(end, this.#periodic.nextLook)
    this.#sparesGeneration = generation
    this.#goodCounter = this.#ownBucket(generation, number) + BUCKET.KINDS + GOOD
  }

  /** This thread's bucket of that number and generation, turned over where it must be. */
  #ownBucket(generation: number, number: number): number {
    const { memory } = this.#cell
    const bucket = this.#shardBuckets + (number % this.#buckets) * BUCKET_WORDS
    const turn = packTurn(generation, number)
    if (
      readOwn(memory, bucket + BUCKET.STAMP) !== stampOf(number) ||
      readOwn(memory, bucket + BUCKET.TURN) !== turn
    ) {
      this.#turnOver(bucket, turn, stampOf(number))
    }
    return bucket
  }

  #turnOver(bucket: number, turn: number, stamp: number): void {
    const { memory } = this.#cell
    // ATOMIC time.turnOver
    //   publishes: an empty bucket of this number and generation.
    //   dies here: the stamp is away and the bucket reads as empty, until its next owner's turn.
    //   wraps:     a bucket left alone for 2^34 bucket lengths, to within the window, reads as
    //              current: 199 days of silence of this thread at 1 ms a bucket, 545 years at 1 s.
    store(memory, bucket + BUCKET.STAMP, TURNING)
    for (let kind = 0; kind < KINDS; kind++) store(memory, bucket + BUCKET.KINDS + kind, 0)
    store(memory, bucket + BUCKET.TURN, turn)
    store(memory, bucket + BUCKET.STAMP, stamp)
  }

  tend(generation: number, now: number): void {
    const number = this.#bucketNumber(now)
    if (number === this.#tendedBucket) return
    const published = readSummary(this.#cell, generation)
    const isEmpty = published === undefined || published.counts.calls === 0
    if (isEmpty || this.#bucketNumber(published.at) === number) this.#tendedBucket = number
    else this.#periodic.look(generation, now)
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

  /** As of the clock's last refresh. Takes no time as an argument: it would be boxed. */
  #currentBucket(): number {
    return Math.floor((this.#cell.clock.current * this.#buckets) / this.#durationMs)
  }

  #bucketNumber(now: number): number {
    return Math.floor((now * this.#buckets) / this.#durationMs)
  }
}
