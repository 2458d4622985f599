/**
 * One thread of the process does what would be wrong to do in each, exporting metrics for instance.
 * A lease decides who: it ends by itself, so nothing is lost with a thread.
 */
import { compareExchange64, load64 } from '#atomics'
import type { Memory } from '../memory/atomics.ts'
import { HEADER } from '../memory/layout.ts'
import { packTimed, timedTagOf, timeOf } from '../memory/words/timed.ts'

/** The longest lease; a later end is damage, and taken over. */
export const MAX_LEASE_MS = 86_400_000

export class ExporterLease {
  readonly #memory: Memory
  /** The word by which this thread holds it; 0: it does not. */
  #mine = 0n

  constructor(memory: Memory) {
    this.#memory = memory
  }

  /**
   * Takes the lease where it is free or over, or goes on with it: whether this thread holds it, for
   * `leaseMs` and a day at the most.
   */
  hold(now: number, leaseMs: number): boolean {
    // ATOMIC lease.hold
    //   observes:  the lease of this thread, or one that is over.
    //   publishes: that this thread has it, until when.
    //   loses to:  another taker.
    //   dies here: the lease ends by itself.
    //   wraps:     13 bits of fence: a late CAS needs 8,192 holders and the same microsecond.
    const found = load64(this.#memory, HEADER.EXPORTER_LONG)
    const isFree = now >= timeOf(found) || timeOf(found) > now + MAX_LEASE_MS
    if (found !== this.#mine && !isFree) return false
    const mine = packTimed(timedTagOf(found) + 1, now + Math.min(leaseMs, MAX_LEASE_MS))
    const before = compareExchange64(this.#memory, HEADER.EXPORTER_LONG, found, mine)
    this.#mine = before === found ? mine : 0n
    return before === found
  }
}
