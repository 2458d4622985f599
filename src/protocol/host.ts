/**
 * One host of a group, as one thread records it and sees it: its calls in the last two intervals,
 * its row of failures, and the ejection that was decided last.
 *
 * Each ejection is an episode of its own, decided by one CAS on EJECTION { episode, how many in a
 * row, until }. It is in force while a place of the group names it (ejection.ts). The row is tagged
 * with the episode, so an ejection leaves an empty one without a further write.
 */
import { compareExchange, compareExchange64, load, load64 } from '#atomics'
import { CONTROL, HOSTS_OPTION } from '../memory/controls.ts'
import { TOTAL } from '../memory/layout.ts'
import {
  episodeOf,
  inARowOf,
  nextEpisode,
  packEjection,
  packPlace,
  untilOf,
} from '../memory/words/hosts.ts'
import { MAX_ROW, packRow, ROW_BITS, rowOf } from '../memory/words/windows.ts'
import type { SharedNumbers } from '../options/shared.ts'
import { reportDamage } from './cell.ts'
import type { Control } from './control.ts'
import { ejectionMsOf, ejectionsLeft, longestEjectionMsOf, nextInARow } from './ejection-rules.ts'
import { RollingCounts } from './rolling.ts'
import { OVERFLOW_SLOT } from './slots.ts'
import { counterOf, countOne, sumCounters } from './totals.ts'

const SUCCESS = 0
const FAILURE = 1

/** Each one lost is an outcome of another thread. A cold thread beside a hot one loses dozens. */
const ATTEMPTS = 65_536

/** What a host did in one interval. */
export interface HostCounts {
  readonly calls: number
  readonly failures: number
}

export class Host {
  readonly name: string
  /** In the directory of controls. */
  readonly number: number
  readonly #control: Control
  /** Its group's. */
  readonly #numbers: SharedNumbers
  readonly #intervalMs: number
  readonly #counts: RollingCounts
  readonly #kinds = [0, 0, 0, 0]
  readonly #row: number
  readonly #long: number
  #succeeded: number
  #failed: number
  /** EJECTION as this thread read it last. */
  ejection = 0n
  /** What stands in it. */
  episode = 0
  decidedUntil = 0
  /** Until when it is ejected, as far as this thread has seen; 0: it is not. */
  ejectedUntil = 0

  constructor(control: Control, slot: number, numbers: SharedNumbers) {
    this.name = control.name
    this.number = control.number
    this.#control = control
    this.#numbers = numbers
    this.#intervalMs = numbers[HOSTS_OPTION.INTERVAL_MS] as number
    this.#counts = new RollingCounts(control, slot, control.shape.buckets * this.#intervalMs)
    this.#row = control.record + CONTROL.ROW
    this.#long = control.record / 2 + CONTROL.EJECTION_LONG
    this.#succeeded = counterOf(control, slot, TOTAL.SUCCEEDED)
    this.#failed = counterOf(control, slot, TOTAL.FAILED)
  }

  moveToOverflow(): void {
    this.#counts.moveToOverflow()
    this.#succeeded = counterOf(this.#control, OVERFLOW_SLOT, TOTAL.SUCCEEDED)
    this.#failed = counterOf(this.#control, OVERFLOW_SLOT, TOTAL.FAILED)
  }

  /** Counts a call at the clock's last refresh. */
  countSuccess(): void {
    this.#counts.record(SUCCESS)
    countOne(this.#control.memory, this.#succeeded)
  }

  countFailure(): void {
    this.#counts.record(FAILURE)
    countOne(this.#control.memory, this.#failed)
  }

  /** A success ends the row. One that finds none writes nothing. */
  endRow(): void {
    const { memory } = this.#control
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      // ATOMIC host.succeed
      //   observes:  the row so far, of whatever episode (pairs with host.fail).
      //   publishes: that it has ended; its tag stays.
      //   loses to:  another outcome: look again, at the bound ours does not end the row.
      //   dies here: the row has ended or it has not.
      const found = load(memory, this.#row)
      const length = found & MAX_ROW
      if (length === 0) return
      if (compareExchange(memory, this.#row, found, found - length) === found) return
    }
  }

  /** A failure lengthens the row of the current episode. How long it is then. */
  lengthenRow(): number {
    const { memory } = this.#control
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      // ATOMIC host.fail
      //   observes:  the row so far; one of another episode than we know makes us look.
      //   publishes: the row with this failure at its end.
      //   loses to:  another outcome: look again, at the bound ours stays out of the row.
      //   dies here: the failure is in the row or it is not; a full row ejects at the next one.
      //   wraps:     14 bits of episode: a row left alone for exactly 16,384 ejections.
      const found = load(memory, this.#row)
      if (found >>> ROW_BITS !== this.episode) this.look()
      const length = Math.min(rowOf(found, this.episode) + 1, MAX_ROW)
      const after = packRow(this.episode, length)
      if (compareExchange(memory, this.#row, found, after) === found) return length
    }
    return 0
  }

  /** Reads what was decided last. */
  look(): void {
    // ATOMIC host.look
    //   observes: the last episode (pairs with ejection.decide, ejection.revoke).
    const found = load64(this.#control.memory, this.#long)
    if (found !== this.ejection) this.#take(found)
  }

  #take(ejection: bigint): void {
    this.ejection = ejection
    this.episode = episodeOf(ejection)
    this.decidedUntil = this.#soundUntil(untilOf(ejection))
  }

  /** An end later than any ejection can have is damage: that ejection is over. */
  #soundUntil(until: number): number {
    const { clock, memory } = this.#control
    const longestMs = longestEjectionMsOf(this.#numbers)
    if (until <= clock.current + longestMs || until <= clock.now() + longestMs) return until
    reportDamage(memory, "the end of a host's ejection")
    return 0
  }

  /** What a place says that makes the last episode one in force. */
  get place(): number {
    return packPlace(this.number, this.episode)
  }

  /**
   * Decides the next episode over `seen`, what was decided before and is not in force. It grows
   * from those before it, less the intervals of freedom until `since`. False: decided otherwise.
   */
  decide(seen: bigint, since: number, now: number): boolean {
    const episode = nextEpisode(episodeOf(seen))
    const inARow = nextInARow(this.ejectionsInRow(since, now))
    const ms = ejectionMsOf(this.#numbers, inARow, this.#control.seed, episode)
    const decided = packEjection(episode, inARow, now + ms)
    // ATOMIC ejection.decide
    //   observes:  the episode before, which the reasons for this one belong to.
    //   publishes: the next episode; a row or a place of the one before is void from here on.
    //   loses to:  another decider: its reasons are as good.
    //   dies here: not ejected, and it counts for nothing, for no place names the episode; the next
    //              full row, or the next interval, decides the one after it.
    //   wraps:     14 bits of episode.
    const found = compareExchange64(this.#control.memory, this.#long, seen, decided)
    this.#take(found === seen ? decided : found)
    return found === seen
  }

  /** Ends the episode that this thread has decided and found no place for: it is none. */
  revoke(decided: bigint, before: bigint): void {
    const kept = packEjection(episodeOf(decided), inARowOf(before), untilOf(before))
    // ATOMIC ejection.revoke
    //   observes:  our own episode, which no place names or will name.
    //   publishes: the same episode with the end and the number in a row of the one before.
    //   loses to:  the next decider.
    //   dies here: before it, the episode counts as one in a row once its end has passed.
    compareExchange64(this.#control.memory, this.#long, decided, kept)
    this.look()
  }

  /**
   * How many ejections in a row count against it when it has been free from the last one to `at`.
   * One that is not over and not in force never was: its decider died, or was overtaken.
   */
  ejectionsInRow(at: number, now: number): number {
    const inARow = inARowOf(this.ejection)
    const wasInForce = this.ejectedUntil > 0 || now >= this.decidedUntil
    if (!wasInForce) return Math.max(0, inARow - 1)
    return ejectionsLeft(inARow, this.decidedUntil, at, this.#intervalMs)
  }

  /** Failures in the row. */
  rowLength(): number {
    return rowOf(load(this.#control.memory, this.#row), this.episode)
  }

  /** What all threads counted in that interval, which is the current one or the one before. */
  countsOf(interval: number): HostCounts {
    this.#counts.sumOf(interval, 1, this.#kinds)
    const [successes = 0, failures = 0] = this.#kinds
    return { calls: successes + failures, failures }
  }

  totals(): { succeeded: number; failed: number } {
    const { succeeded, failed } = sumCounters(this.#control)
    return { succeeded, failed }
  }
}
