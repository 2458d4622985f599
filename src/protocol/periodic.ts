/**
 * The periodic sum of a time window: every 100 ms, while outcomes arrive, one thread adds the
 * shards up and publishes what it found, for reads that must be cheap (`registry.snapshot()`). Who
 * does it is a duty (duty.ts).
 */
import { compareExchange64, load64 } from '#atomics'
import { SUMMARY } from '../memory/layout.ts'
import {
  isTaggedOf,
  lowOf,
  packTagged,
  packTimed,
  timedTagOf,
  timeOf,
} from '../memory/words/timed.ts'
import type { Cell } from './cell.ts'
import { Duty } from './duty.ts'
import type { Counts } from './threshold.ts'
import { emptyCounts, type Window } from './window.ts'

const AGGREGATION_INTERVAL_MS = 100

const MAX_COUNT = 2 ** 32 - 1

/** An earlier taker is late with each word once at the most; more than so many leave a gap. */
const ATTEMPTS = 4

export class PeriodicSum {
  readonly #cell: Cell
  readonly #window: Window
  readonly #counts = emptyCounts()
  readonly #duty: Duty

  constructor(cell: Cell, window: Window) {
    this.#cell = cell
    this.#window = window
    const long = summaryLong(cell) + SUMMARY.DUTY_LONG
    this.#duty = new Duty(cell.memory, long, AGGREGATION_INTERVAL_MS)
  }

  /** When to look at the duty next. */
  get nextLook(): number {
    return this.#duty.nextLook
  }

  /** Takes the duty if it is due. */
  look(generation: number, now: number): void {
    if (!this.#duty.take(now)) return
    this.#window.sum(generation, now, this.#counts)
    this.#publish(generation, now)
  }

  #publish(generation: number, now: number): void {
    const counts = this.#counts
    const { fence } = this.#duty
    this.#put(SUMMARY.AT_LONG, packTimed(fence, now))
    this.#put(SUMMARY.GENERATION_LONG, packTagged(fence, generation))
    this.#put(SUMMARY.CALLS_LONG, packCount(fence, counts.calls))
    this.#put(SUMMARY.FAILURES_LONG, packCount(fence, counts.failures))
    this.#put(SUMMARY.SLOW_LONG, packCount(fence, counts.slowCalls))
    this.#put(SUMMARY.SLOW_FAILURES_LONG, packCount(fence, counts.slowFailures))
  }

  #put(long: number, word: bigint): void {
    const { memory } = this.#cell
    const start = summaryLong(this.#cell)
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      // ATOMIC periodic.put
      //   observes:  the duty still ours after the word was read.
      //   publishes: one word of this round.
      //   loses to:  the next taker: stop; an earlier one, which was late with this word: again.
      //   dies here: the round is incomplete and no reader takes it.
      const old = load64(memory, start + long)
      if (!this.#duty.isMine()) return
      if (compareExchange64(memory, start + long, old, word) === old) return
    }
  }
}

function summaryLong(cell: Cell): number {
  return (cell.record + cell.shape.summary) / 2
}

function packCount(fence: number, count: number): bigint {
  return packTagged(fence, Math.min(count, MAX_COUNT))
}

export interface Summary {
  readonly counts: Counts
  readonly at: number
}

/**
 * The last whole periodic sum, if there was one of this generation; else undefined. Count and
 * consecutive windows have none: their counts are shared anyway.
 */
export function readSummary(cell: Cell, generation: number): Summary | undefined {
  const start = summaryLong(cell)
  const at = load64(cell.memory, start + SUMMARY.AT_LONG)
  if (at === 0n) return undefined
  const fence = timedTagOf(at)
  const read = (long: number): number | undefined => {
    const word = load64(cell.memory, start + long)
    return isTaggedOf(word, fence) ? lowOf(word) : undefined
  }
  const of = read(SUMMARY.GENERATION_LONG)
  const calls = read(SUMMARY.CALLS_LONG)
  const failures = read(SUMMARY.FAILURES_LONG)
  const slowCalls = read(SUMMARY.SLOW_LONG)
  const slowFailures = read(SUMMARY.SLOW_FAILURES_LONG)
  if (of !== generation || calls === undefined || failures === undefined) return undefined
  if (slowCalls === undefined || slowFailures === undefined) return undefined
  if (load64(cell.memory, start + SUMMARY.AT_LONG) !== at) return undefined
  return { counts: { calls, failures, slowCalls, slowFailures }, at: timeOf(at) }
}
