/** A clock that stands still until `advance`, in any thread, moves it for all. Steps of 1 µs. */
import { add64, load64 } from '#atomics'
import type { Memory } from '../memory/atomics.ts'
import { HEADER } from '../memory/layout.ts'
import { toMicros } from '../memory/words/timed.ts'
import type { Clock } from './clock.ts'

export class ManualClock implements Clock {
  current = 0
  latest = 0
  readonly #memory: Memory

  constructor(memory: Memory) {
    this.#memory = memory
  }

  glance(): void {
    this.refresh()
    this.latest = this.current
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
