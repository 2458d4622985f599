/**
 * The time window: outcomes in buckets of time (window-buckets.ts), and when to add them up.
 */
import { add, load } from '#atomics'
import { BUCKET, BUCKET_WORDS, HEADER, OPTION, SHARD_BUCKETS } from '../memory/layout.ts'
import { CLOSED, generationOf, METRICS_ONLY, stateOf } from '../memory/words/state.ts'
import { holdsMinimumOf, stockOf } from '../memory/words/windows.ts'
import { countHanging, stepMsOf } from './ages.ts'
import { type Cell, shardOf } from './cell.ts'
import { PeriodicSum, readSummary } from './periodic.ts'
import { OVERFLOW_SLOT } from './slots.ts'
import { judge, spend } from './stock.ts'
import type { Counts, Thresholds } from './threshold.ts'
import { emptyCounts, GOOD, type Window } from './window.ts'
import { enterBucket, sumBuckets } from './window-buckets.ts'
import { recordOverflow, sumOverflow } from './window-time-overflow.ts'

export class TimeWindow implements Window {
  readonly hasRates = true
  readonly #cell: Cell
  readonly #thresholds: Thresholds
  readonly #durationMs: number
  readonly #buckets: number
  readonly #counts = emptyCounts()
  readonly #periodic: PeriodicSum
  /** For ever where calls in flight are not told by age: all time is one step. */
  readonly #stepMs: number
  readonly #tellsAges: boolean
  /** Those of the last sum. */
  #hanging = 0
  #slot: number
  #shardBuckets: number
  /** The bucket, step and generation for which this thread has published a stock: see stock.ts. */
  #reliesOnBucket = -1
  #reliesOnStep = -1
  #reliesOnGeneration = -1
  #foundMinimum = false
  #foundHanging = false
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
    this.#stepMs = stepMsOf(cell)
    this.#tellsAges = cell.shape.ages !== 0
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
    const relies = this.#relies(number, generation)
    const stock = spend(cell, seen)
    if (stockOf(stock) <= 1 || !relies) this.#judge(seen, generation)
    else if (holdsMinimumOf(stock)) this.#foundMinimum = true
    if (clock.current >= this.#periodic.nextLook) this.#periodic.look(generation, clock.current)
    this.#spareGood(seen, number)
  }

  /** The stock holds until the bucket or the step ends. */
  #relies(number: number, generation: number): boolean {
    return (
      this.#reliesOnBucket === number &&
      this.#reliesOnStep === this.#stepOf(this.#cell.clock.current) &&
      this.#reliesOnGeneration === generation
    )
  }

  #judge(seen: number, generation: number): void {
    const summedAt = judge(this.#cell, this, this.#thresholds, seen, this.#counts)
    this.#reliesOnBucket = summedAt >= 0 ? this.#bucketNumber(summedAt) : -1
    this.#reliesOnStep = this.#stepOf(summedAt)
    this.#reliesOnGeneration = generation
    this.#foundMinimum = this.#counts.calls >= this.#thresholds.minimumNumberOfCalls
    this.#foundHanging = this.#hanging > 0
  }

  /** When the bucket or the step of that time ends, whichever is first. */
  #endOfRelying(time: number): number {
    const end = ((this.#bucketNumber(time) + 1) * this.#durationMs) / this.#buckets
    return Math.min(end, (this.#stepOf(time) + 1) * this.#stepMs)
  }

  /** Good outcomes need no look at the stock or the bucket until this one ends, or a sum is due. */
  #spareGood(seen: number, number: number): void {
    const generation = generationOf(seen)
    const isSafe =
      stateOf(seen) === METRICS_ONLY || (this.#reliesOnBucket === number && this.#foundMinimum)
    if (this.#slot === OVERFLOW_SLOT || !isSafe || this.#foundHanging) return
    this.#sparesUntil = Math.min(
      this.#endOfRelying(this.#cell.clock.current),
      this.#periodic.nextLook,
    )
    this.#sparesGeneration = generation
    this.#goodCounter = this.#ownBucket(generation, number) + BUCKET.KINDS + GOOD
  }

  /** This thread's bucket of that number and generation, turned over where it must be. */
  #ownBucket(generation: number, number: number): number {
    const bucket = this.#shardBuckets + (number % this.#buckets) * BUCKET_WORDS
    enterBucket(this.#cell.memory, bucket, generation, number)
    return bucket
  }

  lookAtHanging(seen: number): void {
    this.#cell.clock.refresh()
    const generation = generationOf(seen)
    if (!this.#relies(this.#currentBucket(), generation)) this.#judge(seen, generation)
  }

  judgeAgain(seen: number): void {
    if (stateOf(seen) === CLOSED) this.#judge(seen, generationOf(seen))
  }

  tend(generation: number, now: number): void {
    if (this.#tellsAges) this.#tendHanging(generation, now)
    const number = this.#bucketNumber(now)
    if (number === this.#tendedBucket) return
    const published = readSummary(this.#cell, generation)
    const isEmpty = published === undefined || published.counts.calls === 0
    if (isEmpty || this.#bucketNumber(published.at) === number) this.#tendedBucket = number
    else this.#periodic.look(generation, now)
  }

  /** They change with time alone. */
  #tendHanging(generation: number, now: number): void {
    const seen = load(this.#cell.memory, this.#cell.state)
    const state = stateOf(seen)
    if (state === CLOSED) this.lookAtHanging(seen)
    if (state === CLOSED || state === METRICS_ONLY) this.#periodic.look(generation, now)
  }

  /** Outcomes before the calls that hang: see ages.ts. */
  sum(generation: number, now: number, into: Counts): void {
    const cell = this.#cell
    const number = this.#bucketNumber(now)
    sumBuckets(cell, generation, number, this.#buckets, into)
    if (load(cell.memory, HEADER.OVERFLOW_USED) !== 0) {
      sumOverflow(cell, generation, number, this.#buckets, into)
    }
    if (this.#tellsAges) this.#addHanging(generation, now, into)
  }

  #addHanging(generation: number, now: number, into: Counts): void {
    this.#hanging = countHanging(this.#cell, generation, now)
    into.calls += this.#hanging
    into.slowCalls += this.#hanging
  }

  /** As of the clock's last refresh. Takes no time as an argument: it would be boxed. */
  #currentBucket(): number {
    return Math.floor((this.#cell.clock.current * this.#buckets) / this.#durationMs)
  }

  #stepOf(now: number): number {
    return Math.floor(now / this.#stepMs)
  }

  #bucketNumber(now: number): number {
    return Math.floor((now * this.#buckets) / this.#durationMs)
  }
}
