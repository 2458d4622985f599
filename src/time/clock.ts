/**
 * Time in milliseconds since the region was made: monotonic, the same in every thread, untouched by
 * steps of the wall clock (spec 2.8).
 *
 * A number that a function returns may be boxed. So hot paths call `glance()` or `refresh()`, which
 * return nothing, and read a field.
 */
import { readFixed } from '#atomics'
import type { Memory } from '../memory/atomics.ts'
import { CLOCK_MANUAL, HEADER } from '../memory/layout.ts'
import { ManualClock } from './manual.ts'
import { MonotonicClock } from './monotonic.ts'

export interface Clock {
  /** The time of the last refresh. */
  readonly current: number
  /** The time of the last glance was at most this, unless the keeper was late: see monotonic.ts. */
  readonly latest: number
  /** Cost: a few nanoseconds while a keeper ticks, else that of a refresh. */
  glance(): void
  /** Cost: one clock read, about 40 ns. */
  refresh(): void
  /** Refreshes and returns the time. */
  now(): number
}

/** The clock that the region says. */
export function clockOf(memory: Memory): Clock {
  return readFixed(memory, HEADER.CLOCK) === CLOCK_MANUAL
    ? new ManualClock(memory)
    : new MonotonicClock(memory)
}
