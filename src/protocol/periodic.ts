/**
 * The periodic sum of a time window: every 100 ms, while outcomes arrive, one thread adds the
 * shards up and publishes what it found, for reads that must be cheap (`registry.snapshot()`).
 *
 * The duty is a lease { fence, due }: who finds it due takes it by one CAS that moves the fence on.
 * Every published word carries the fence, so a thread that took the duty and was late finds newer
 * words and stops; if it died, the next round comes 100 ms later whatever happened to this one.
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
  /** When to look at the duty next. Asked by the caller: a time passed on would be boxed. */
  nextLook = 0

  constructor(cell: Cell, window: Window) {
    this.#cell = cell
    this.#window = window
  }

  /** Takes the duty if it is due. */
  look(generation: number, now: number): void {
    const cell = this.#cell
    const start = summaryLong(cell)
    // ATOMIC periodic.take
    //   observes:  when the duty is due, and its fence.
    //   publishes: the next fence: words of earlier ones may be replaced.
    //   loses to:  another taker: it sums.
    //   dies here: nobody sums until the duty is due again.
    //   wraps:     13 bits of fence: a late taker needs 8,192 rounds, 13 minutes.
    const duty = load64(cell.memory, start + SUMMARY.DUTY_LONG)
    const due = timeOf(duty)
    // Due later than any taker can have made it is damage: take it over.
    if (now < due && due <= now + 2 * AGGREGATION_INTERVAL_MS) {
      this.nextLook = due
      return
    }
    this.nextLook = now + AGGREGATION_INTERVAL_MS
    const fence = (timedTagOf(duty) + 1) & 0x1fff
    const mine = packTimed(fence, this.nextLook)
    const found = compareExchange64(cell.memory, start + SUMMARY.DUTY_LONG, duty, mine)
    if (found !== duty) return
    this.#window.sum(generation, now, this.#counts)
    this.#publish(mine, fence, generation, now)
  }

  #publish(mine: bigint, fence: number, generation: number, now: number): void {
    const counts = this.#counts
    this.#put(SUMMARY.AT_LONG, mine, packTimed(fence, now))
    this.#put(SUMMARY.GENERATION_LONG, mine, packTagged(fence, generation))
    this.#put(SUMMARY.CALLS_LONG, mine, packCount(fence, counts.calls))
    this.#put(SUMMARY.FAILURES_LONG, mine, packCount(fence, counts.failures))
    this.#put(SUMMARY.SLOW_LONG, mine, packCount(fence, counts.slowCalls))
    this.#put(SUMMARY.SLOW_FAILURES_LONG, mine, packCount(fence, counts.slowFailures))
  }

  #put(long: number, mine: bigint, word: bigint): void {
    const { memory } = this.#cell
    const start = summaryLong(this.#cell)
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      // ATOMIC periodic.put
      //   observes:  the duty still ours after the word was read.
      //   publishes: one word of this round.
      //   loses to:  the next taker: stop; an earlier one, which was late with this word: again.
      //   dies here: the round is incomplete and no reader takes it.
      const old = load64(memory, start + long)
      if (load64(memory, start + SUMMARY.DUTY_LONG) !== mine) return
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
