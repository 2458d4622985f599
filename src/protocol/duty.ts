/**
 * What is to be done once an interval, by one thread for all, whoever comes by first when it is
 * due. A duty is a lease { fence, due }: who finds it due takes it by one CAS that moves the fence
 * on. Every word that it publishes carries the fence, so a thread that took the duty and was late
 * finds newer words and stops; if it died, the next round comes an interval later whatever happened
 * to this one.
 */
import { compareExchange64, load64 } from '#atomics'
import type { Memory } from '../memory/atomics.ts'
import { packTimed, timedTagOf, timeOf } from '../memory/words/timed.ts'

export class Duty {
  readonly #memory: Memory
  readonly #long: number
  readonly #intervalMs: number
  #mine = 0n
  /** When to look at the duty next. Asked by the caller: a time passed on would be boxed. */
  nextLook = 0
  /** Of the round that this thread took last, in 13 bits. */
  fence = 0

  constructor(memory: Memory, long: number, intervalMs: number) {
    this.#memory = memory
    this.#long = long
    this.#intervalMs = intervalMs
  }

  /** Takes the duty if it is due: then the caller is to do it. */
  take(now: number): boolean {
    // ATOMIC duty.take
    //   observes:  when the duty is due, and its fence.
    //   publishes: the next fence: words of earlier ones may be replaced.
    //   loses to:  another taker: it does it.
    //   dies here: nobody does it until the duty is due again.
    //   wraps:     13 bits of fence: a late taker needs 8,192 rounds, 13 minutes of 100 ms.
    const found = load64(this.#memory, this.#long)
    const due = timeOf(found)
    // Due later than any taker can have made it is damage: take it over.
    if (now < due && due <= now + 2 * this.#intervalMs) {
      this.nextLook = due
      return false
    }
    this.nextLook = now + this.#intervalMs
    this.fence = (timedTagOf(found) + 1) & 0x1fff
    this.#mine = packTimed(this.fence, this.nextLook)
    return compareExchange64(this.#memory, this.#long, found, this.#mine) === found
  }

  /** Whether the round that this thread took is still the last one. */
  isMine(): boolean {
    return load64(this.#memory, this.#long) === this.#mine
  }
}
