/**
 * Time in milliseconds since the region was made: monotonic, the same in every thread, untouched by
 * steps of the wall clock (spec 2.8).
 *
 * `process.hrtime()` reads one clock for all threads of the process, and leaves no garbage: V8
 * takes its array apart where it is inlined. `performance.now()` of Node 20 and 22 boxes its
 * result. A number that a function returns may be boxed too, so hot paths call `refresh()`, which
 * returns nothing, and read `current`.
 */
import { hrtime } from 'node:process'
import { add64, load64, readFixed, readFixedDouble } from '#atomics'
import type { Memory } from '../memory/atomics.ts'
import { CLOCK_MANUAL, HEADER } from '../memory/layout.ts'
import { toMicros } from '../memory/words/timed.ts'

export interface Clock {
  /** The time of the last refresh. */
  readonly current: number
  /** Cost: one clock read, about 40 ns. */
  refresh(): void
  /** Refreshes and returns the time. */
  now(): number
}

/** The process's monotonic clock in ms; its zero is nobody's business. */
export function monotonicNow(): number {
  const time = hrtime()
  return time[0] * 1e3 + time[1] / 1e6
}

/** The clock that the region says. */
export function clockOf(memory: Memory): Clock {
  return readFixed(memory, HEADER.CLOCK) === CLOCK_MANUAL
    ? new ManualClock(memory)
    : new MonotonicClock(memory)
}

class MonotonicClock implements Clock {
  current = 0
  readonly #zero: number

  constructor(memory: Memory) {
    this.#zero = readFixedDouble(memory, HEADER.ORIGIN_DOUBLE)
  }

  refresh(): void {
    this.current = monotonicNow() - this.#zero
  }

  now(): number {
    this.refresh()
    return this.current
  }
}

/** Stands still until `advance`, in any thread, moves it for all of them. Resolution: 1 µs. */
export class ManualClock implements Clock {
  current = 0
  readonly #memory: Memory

  constructor(memory: Memory) {
    this.#memory = memory
  }

  refresh(): void {
    this.current = Number(load64(this.#memory, HEADER.MANUAL_CLOCK_LONG)) / 1000
  }

  now(): number {
    this.refresh()
    return this.current
  }

  advance(ms: number): void {
    // ATOMIC clock.advance
    //   publishes: the new time, to every thread's next look.
    //   wraps:     never: 2^63 microseconds.
    add64(this.#memory, HEADER.MANUAL_CLOCK_LONG, toMicros(ms))
  }
}
