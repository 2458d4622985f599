/**
 * Time in milliseconds since the region was made: monotonic, the same in every thread, untouched by
 * steps of the wall clock (spec 2.8).
 *
 * `performance.timeOrigin` is the same in all threads of a process, so the offset between this
 * thread's `performance.now()` and the region's zero is one constant.
 */
import { performance } from 'node:perf_hooks'
import { add64, load64, readFixed, readFixedDouble } from '#atomics'
import type { Memory } from '../memory/atomics.ts'
import { CLOCK_MANUAL, HEADER } from '../memory/layout.ts'
import { toMicros } from '../memory/words/timed.ts'

export interface Clock {
  /** Cost: one clock read, about 50 ns. */
  now(): number
}

// Taken once: a test that replaces performance.now() in this process must not stop the clock of
// the other threads' breakers. Use the manual clock for that.
const monotonicNow = performance.now.bind(performance)

/** The region's zero on this process's time line, to be stored when a region is made. */
export function originNow(): number {
  return performance.timeOrigin + monotonicNow()
}

/** The clock that the region says. */
export function clockOf(memory: Memory): Clock {
  return readFixed(memory, HEADER.CLOCK) === CLOCK_MANUAL
    ? new ManualClock(memory)
    : new MonotonicClock(memory)
}

class MonotonicClock implements Clock {
  readonly #offset: number

  constructor(memory: Memory) {
    this.#offset = performance.timeOrigin - readFixedDouble(memory, HEADER.ORIGIN_DOUBLE)
  }

  now(): number {
    return monotonicNow() + this.#offset
  }
}

/** Stands still until `advance`, in any thread, moves it for all of them. Resolution: 1 µs. */
export class ManualClock implements Clock {
  readonly #memory: Memory

  constructor(memory: Memory) {
    this.#memory = memory
  }

  now(): number {
    return Number(load64(this.#memory, HEADER.MANUAL_CLOCK_LONG)) / 1000
  }

  advance(ms: number): void {
    // ATOMIC clock.advance
    //   publishes: the new time, to every thread's next look.
    //   wraps:     never: 2^63 microseconds.
    add64(this.#memory, HEADER.MANUAL_CLOCK_LONG, toMicros(ms))
  }
}
