/**
 * How long calls took: a log-linear histogram for each thread and breaker, since the breaker was
 * made. Ten equal steps to an octave from 0.1 ms to 14 minutes, so that a value read back, the
 * harmonic mean of its step's ends, is off by at most 1 / 21 (4.8 %).
 *
 * Counted plainly by the owner of the slot, for people: no decision reads it. A thread that has no
 * slot counts atomically, in the shared one.
 */
import { add64, count, countBy, counterWord, load64 } from '#atomics'
import type { Memory } from '../memory/atomics.ts'
import {
  DURATION_COUNTERS,
  DURATION_OCTAVES,
  DURATION_STEPS,
  DURATION_UNIT_MICROS,
  TALLY,
} from '../memory/layout.ts'
import { type Cell, isCountedFor, tallyOf } from './cell.ts'
import { OVERFLOW_SLOT, slotsInUse } from './slots.ts'

const TOO_LONG_MICROS = DURATION_UNIT_MICROS * 2 ** DURATION_OCTAVES
const FIRST_STEP_MICROS = DURATION_UNIT_MICROS / DURATION_STEPS

/** Sums take a longer duration for this, 12 days, so that many of them do not overflow. */
const MAX_MICROS = 2 ** 40

/** Which counter takes a duration of so many whole microseconds. */
export function durationCounterOf(micros: number): number {
  if (!(micros >= DURATION_UNIT_MICROS)) return 0
  if (micros >= TOO_LONG_MICROS) return DURATION_COUNTERS - 1
  const octave = 31 - Math.clz32(micros / DURATION_UNIT_MICROS)
  // Whole numbers, whose quotient is rounded rightly: no step is missed by a rounding.
  const steps = Math.floor(micros / (FIRST_STEP_MICROS << octave))
  return 1 + octave * DURATION_STEPS + steps - DURATION_STEPS
}

function leastMs(counter: number): number {
  if (counter === 0) return 0
  if (counter >= DURATION_COUNTERS) return Number.POSITIVE_INFINITY
  const octave = Math.floor((counter - 1) / DURATION_STEPS)
  const step = (counter - 1) % DURATION_STEPS
  return (FIRST_STEP_MICROS / 1000) * 2 ** octave * (DURATION_STEPS + step)
}

/** The least duration that each counter takes, in ms; of the one behind the last: Infinity. */
export const LEAST_MS: readonly number[] = Array.from({ length: DURATION_COUNTERS + 1 }, (_, at) =>
  leastMs(at),
)

/** One thread's counters of one breaker. */
export class Durations {
  readonly #cell: Cell
  readonly #memory: Memory
  #isShared = false
  /** Where the sum and the first counter stand, in longs. */
  #sum = 0
  #first = 0

  constructor(cell: Cell, slot: number) {
    this.#cell = cell
    this.#memory = cell.memory
    this.#use(slot)
  }

  moveToOverflow(): void {
    this.#use(OVERFLOW_SLOT)
  }

  #use(slot: number): void {
    this.#isShared = slot === OVERFLOW_SLOT
    this.#sum = tallyOf(this.#cell, slot) + TALLY.MICROS
    this.#first = tallyOf(this.#cell, slot) + TALLY.DURATIONS
  }

  /** Counts a duration of at least 0 ms. */
  record(durationMs: number): void {
    // A BigInt would throw; a duration is a number.
    if (typeof durationMs !== 'number') return
    const micros = Math.min(Math.round(durationMs * 1000), MAX_MICROS)
    const counter = this.#first + durationCounterOf(micros)
    if (this.#isShared) this.#addShared(counter, micros)
    else {
      count(this.#memory, counterWord(counter))
      countBy(this.#memory, counterWord(this.#sum), micros)
    }
  }

  #addShared(counter: number, micros: number): void {
    // ATOMIC durations.add
    //   publishes: one duration more, for people. In other tallies plainly, by their only writer.
    add64(this.#memory, counter, 1n)
    add64(this.#memory, this.#sum, BigInt(micros))
  }
}

/** Durations in one reading of all threads' counters. */
interface DurationSums {
  readonly count: number
  readonly sumMs: number
  /** How many each counter has taken. */
  readonly counters: readonly number[]
}

/** Adds all threads' counters up. Cost: 3 microseconds a thread, less where none were given. */
function readDurations(cell: Cell): DurationSums {
  const counters: number[] = new Array(DURATION_COUNTERS).fill(0)
  let micros = 0
  for (let slot = OVERFLOW_SLOT; slot <= slotsInUse(cell.memory, cell.region); slot++) {
    if (!isCountedFor(cell, slot)) continue
    const start = tallyOf(cell, slot)
    const sum = load64(cell.memory, start + TALLY.MICROS)
    // With no sum there may be durations of nothing, which the first counter takes.
    const last = sum === 0n ? 0 : DURATION_COUNTERS - 1
    micros += Number(sum)
    for (let counter = 0; counter <= last; counter++) {
      const count = load64(cell.memory, start + TALLY.DURATIONS + counter)
      if (count !== 0n) counters[counter] = (counters[counter] as number) + Number(count)
    }
  }
  const count = counters.reduce((sum, of) => sum + of, 0)
  return { count, sumMs: micros / 1000, counters }
}

/**
 * The duration in ms that the part `quantile` (0 to 1) of them did not exceed, give or take 4.8 %;
 * null when there are none. Below 0.1 ms it says 0.05, above 14 minutes it says those.
 */
function quantileMs({ count, counters }: DurationSums, quantile: number): number | null {
  if (!(count > 0)) return null
  const rank = Math.max(1, Math.ceil(quantile * count))
  let passed = 0
  for (let counter = 0; counter < DURATION_COUNTERS; counter++) {
    passed += counters[counter] as number
    if (passed >= rank) return representativeMs(counter)
  }
  return representativeMs(DURATION_COUNTERS - 1)
}

/** The value from which those of a counter differ least, in proportion. */
function representativeMs(counter: number): number {
  const low = LEAST_MS[counter] as number
  const high = LEAST_MS[counter + 1] as number
  if (counter === 0) return high / 2
  return high < Number.POSITIVE_INFINITY ? (2 * low * high) / (low + high) : low
}

/** Durations since the breaker was made, of outcomes that came with one. */
export interface DurationSummary {
  count: number
  /** Exact, to the microsecond. */
  sumMs: number
  /** Null when there are none. The mean is exact, the rest within 4.8 %. */
  meanMs: number | null
  p50Ms: number | null
  p90Ms: number | null
  p99Ms: number | null
}

export function summarizeDurations(cell: Cell): DurationSummary {
  const sums = readDurations(cell)
  const { count, sumMs } = sums
  const at = (quantile: number): number | null => quantileMs(sums, quantile)
  const meanMs = count > 0 ? sumMs / count : null
  return { count, sumMs, meanMs, p50Ms: at(0.5), p90Ms: at(0.9), p99Ms: at(0.99) }
}

/** The same as cumulative buckets. */
export interface DurationHistogram {
  readonly count: number
  readonly sumMs: number
  /**
   * How many took less than `leMs`: 0.1 ms; ten equal steps to each octave from there on, 0.11,
   * 0.12, ... 0.2, 0.22, ... 838,860.8; Infinity.
   */
  readonly buckets: readonly { readonly leMs: number; readonly count: number }[]
}

export function histogramOf(cell: Cell): DurationHistogram {
  const { count, sumMs, counters } = readDurations(cell)
  let passed = 0
  const buckets = Array.from(counters, (of, counter) => {
    passed += of
    return { leMs: LEAST_MS[counter + 1] as number, count: passed }
  })
  return { count, sumMs, buckets }
}
