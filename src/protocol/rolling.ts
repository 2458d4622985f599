/**
 * Counts of four kinds over a control's window, as one thread records and sums them. The buckets
 * are those of breakers' time windows; a control has one generation, 0.
 */
import { add } from '#atomics'
import { BUCKET, BUCKET_WORDS, SHARD_BUCKETS } from '../memory/layout.ts'
import { shardOf } from './cell.ts'
import type { Control } from './control.ts'
import { OVERFLOW_SLOT } from './slots.ts'
import { emptyCounts } from './window.ts'
import { enterBucket, sumBuckets } from './window-buckets.ts'
import { recordOverflow, sumOverflow } from './window-time-overflow.ts'

const GENERATION = 0

/** In place of a counter of its own, where a thread has none. */
const SHARED = -1

export class RollingCounts {
  readonly #control: Control
  readonly #bucketMs: number
  readonly #buckets: number
  readonly #counts = emptyCounts()
  #slot: number
  /** The counter of kind 0 in the bucket that was entered last. */
  #entered = SHARED
  /** When that bucket ends. */
  end = 0

  /** `durationMs`: of all buckets of the window together. */
  constructor(control: Control, slot: number, durationMs: number) {
    this.#control = control
    this.#buckets = control.shape.buckets
    this.#bucketMs = durationMs / this.#buckets
    this.#slot = slot
  }

  moveToOverflow(): void {
    this.#slot = OVERFLOW_SLOT
    this.#entered = SHARED
  }

  /** Counts one more of that kind, 0 to 3, at the time of the clock's last refresh. */
  record(kind: number): void {
    this.enter()
    this.count(kind)
  }

  /** Enters the bucket of the clock's last refresh: until its end `count` is all that is needed. */
  enter(): void {
    const number = this.currentBucket()
    this.end = (number + 1) * this.#bucketMs
    if (this.#slot === OVERFLOW_SLOT) return
    const start = shardOf(this.#control, this.#slot) + SHARD_BUCKETS
    const bucket = start + (number % this.#buckets) * BUCKET_WORDS
    enterBucket(this.#control.memory, bucket, GENERATION, number)
    this.#entered = bucket + BUCKET.KINDS
  }

  /** Counts one more of that kind in the bucket that was entered, which goes on. */
  count(kind: number): void {
    if (this.#entered === SHARED) this.recordShared(kind)
    else {
      // ATOMIC rolling.count
      //   observes:  our own bucket: nobody else writes it.
      //   publishes: one more of this kind.
      //   dies here: it is in the window or it is not.
      add(this.#control.memory, this.#entered + kind, 1)
    }
  }

  /** The same in the shard that all threads share: of two who do so, one finds the other's. */
  recordShared(kind: number): void {
    recordOverflow(this.#control, GENERATION, this.currentBucket(), kind)
  }

  /** Fills `into`, one count a kind, with the window's counts at the clock's last refresh. */
  sum(into: number[]): void {
    this.sumOf(this.currentBucket(), this.#buckets, into)
  }

  /** The same of `span` buckets, of which number `last` is the last. */
  sumOf(last: number, span: number, into: number[]): void {
    const counts = this.#counts
    sumBuckets(this.#control, GENERATION, last, span, counts)
    sumOverflow(this.#control, GENERATION, last, span, counts)
    const both = counts.slowFailures
    const one = counts.failures - both
    const two = counts.slowCalls - both
    into[0] = counts.calls - one - two - both
    into[1] = one
    into[2] = two
    into[3] = both
  }

  /** As of the clock's last refresh. */
  currentBucket(): number {
    return Math.floor(this.#control.clock.current / this.#bucketMs)
  }
}
