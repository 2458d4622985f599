/**
 * The process's monotonic clock, and how a thread goes without reading it while a keeper ticks.
 *
 * `process.hrtime()` reads one clock for all threads of the process, and leaves no garbage: V8
 * takes its array apart where it is inlined. `performance.now()` of Node 20 and 22 boxes its
 * result.
 *
 * Reading the clock costs more than all else that a refusal does. So hot paths ask less: is it
 * surely before a certain moment? `glance()` answers with an upper bound of the time, `latest`. The
 * keeper never tells the time. It moves the TICK word on every few milliseconds, and a thread that
 * finds the word as it was knows that not much time has passed since it last looked at its clock.
 * So every time that is compared or stored comes from one clock, with a keeper or without.
 *
 * 1. A tick first seen at time t ends by t + TICK_MS, give or take how late the keeper wakes. The
 *    bound is t + 2 TICK_MS. The next tick seen brings the next look at the clock.
 * 2. A keeper that is later than that, or dead, leaves the word as it is. So a thread takes the
 *    same word on trust for 1, 2, 4, ... 256 calls and then looks at its clock; past the bound it
 *    trusts this tick no more. A late keeper misleads a thread for at most 256 calls in a row.
 * 3. The same fence covers a plain read that the memory model lets be old.
 * 4. What it may be misled about: to refuse, as breaker, throttle or host group, although the time
 *    of that is over; and to put a good outcome, or one of a throttle, into a bucket that is over.
 *    Everything else reads the clock.
 */
import { hrtime } from 'node:process'
import { compareExchange, notify, peek, readFixedDouble, store } from '#atomics'
import type { Memory } from '../memory/atomics.ts'
import { HEADER } from '../memory/layout.ts'
import { ASLEEP, FIRST_TICK, isTicking, NO_KEEPER } from '../memory/words/tick.ts'
import type { Clock } from './clock.ts'

/** The most calls in a row that take one tick on trust. */
const MAX_GLANCES = 256

/** The process's monotonic clock in ms; its zero is nobody's business. */
export function monotonicNow(): number {
  const time = hrtime()
  return time[0] * 1e3 + time[1] / 1e6
}

export class MonotonicClock implements Clock {
  current = 0
  latest = 0
  readonly #memory: Memory
  readonly #zero: number
  readonly #tickMs: number
  #tick = NO_KEEPER
  /** Calls that may still take `#tick` on trust, and how many the next look allows. */
  #glances = 0
  #allowance = 1
  /** Where `#tick` ends the bound. */
  #bound = 0

  constructor(memory: Memory) {
    this.#memory = memory
    this.#zero = readFixedDouble(memory, HEADER.ORIGIN_DOUBLE)
    this.#tickMs = readFixedDouble(memory, HEADER.TICK_MS_DOUBLE)
  }

  glance(): void {
    if (this.#glances > 0 && peek(this.#memory, HEADER.TICK) === this.#tick) this.#glances--
    else this.#look()
  }

  refresh(): void {
    this.current = monotonicNow() - this.#zero
  }

  now(): number {
    this.refresh()
    return this.current
  }

  #look(): void {
    const before = this.current
    this.refresh()
    this.latest = this.current
    this.#glances = 0
    // Made without a keeper: nothing more to look at.
    if (!(this.#tickMs > 0)) return
    const tick = peek(this.#memory, HEADER.TICK)
    if (isTicking(tick)) this.#trust(tick)
    // Two looks within a tick: the keeper would have saved the second.
    else if (tick === ASLEEP && this.current - before < this.#tickMs) wakeKeeper(this.#memory)
  }

  #trust(tick: number): void {
    if (tick !== this.#tick) this.#begin(tick)
    if (!(this.current < this.#bound)) return
    this.latest = this.#bound
    this.#glances = this.#allowance
    this.#allowance = Math.min(2 * this.#allowance, MAX_GLANCES)
  }

  #begin(tick: number): void {
    this.#tick = tick
    this.#bound = this.current + 2 * this.#tickMs
    this.#allowance = 1
    // ATOMIC monotonic.active
    //   publishes: that somebody makes use of the keeper.
    store(this.#memory, HEADER.ACTIVE, 1)
  }
}

/** Wakes a keeper that is found asleep. */
export function wakeKeeper(memory: Memory): void {
  // ATOMIC monotonic.wake
  //   observes:  asleep (pairs with keeper.tick).
  //   publishes: a tick, which the keeper goes on from.
  //   loses to:  another waker, or who stops the keeper.
  //   dies here: between the two the keeper sleeps on, at most a second.
  const found = compareExchange(memory, HEADER.TICK, ASLEEP, FIRST_TICK)
  if (found === ASLEEP) notify(memory, HEADER.TICK)
}
