/**
 * Whose turn it is when a place is free: threads give way to calls that have waited in others for
 * clearly longer.
 *
 * 1. A call that waits in another thread goes before ours if it has waited for over 20 ms longer.
 * 2. A thread that finds a place free and such a call leaves all places alone for 5 ms, so that the
 *    other, which is notified, can take one. If it has not, its loop is blocked, it has died
 *    without anybody's noticing, or others were faster: then we go on and give way to it again
 *    100 ms after the last time, or when another call has become its oldest.
 * 3. Calls that have waited for longer than they may are no longer there to go first.
 *
 * So a call whose thread looks within 5 ms of a place being free, and finds it free, is not
 * overtaken by calls that came over 20 ms later. If it finds that one that could go first has taken
 * it, others may go before it for up to 95 ms more. A thread whose loop does not turn costs each of
 * the others 5 ms in 100.
 */
import { load } from '#atomics'
import { BULKHEAD_OPTION, WAITER, WAITER_WORDS } from '../memory/controls.ts'
import { waitedMs } from '../memory/words/bulkhead.ts'
import { placesOf } from './bulkhead.ts'
import type { Control } from './control.ts'
import { hasFreePlace, type PlaceRange } from './places.ts'
import { queueOf } from './waiting.ts'

/** Calls that came within so many ms of each other are served in any order. */
export const HEAD_START_MS = 20
export const GIVE_WAY_MS = 5
export const GIVE_WAY_AGAIN_MS = 100

/**
 * Whether a call that has waited for `ownMs` may go before one that has waited in another thread
 * for `otherMs`, `givenMs` after we began to give way to it; Infinity: we never did.
 */
export function mayPass(ownMs: number, otherMs: number, givenMs: number): boolean {
  if (!(otherMs - ownMs > HEAD_START_MS)) return true
  return givenMs >= GIVE_WAY_MS && givenMs < GIVE_WAY_AGAIN_MS
}

interface Way {
  readonly arrived: number
  /** When we began to give way to it. */
  readonly since: number
}

export class Turns {
  readonly #places: PlaceRange
  readonly #queue: PlaceRange
  readonly #maxWaitMs: number
  /** The word ARRIVED of each waiting thread's oldest call, by the word OWNER. */
  readonly #oldest = new Map<number, number>()
  /** To whom we give way, or gave. */
  readonly #ways = new Map<number, Way>()

  constructor(control: Control) {
    this.#places = placesOf(control)
    this.#queue = queueOf(control)
    this.#maxWaitMs = control.numbers[BULKHEAD_OPTION.MAX_WAIT_MS] as number
  }

  /** Whether the last look found nobody whose turn it could be. */
  get foundNobody(): boolean {
    return this.#oldest.size === 0
  }

  /** Whether a call that has waited for `ownMs` may take a free place. Cost: reads the queue. */
  mayTake(now: number, ownMs: number): boolean {
    this.#readQueue(now)
    let may = true
    for (const [owner, arrived] of this.#oldest) {
      const way = this.#ways.get(owner)
      const givenMs = way?.arrived === arrived ? now - way.since : Number.POSITIVE_INFINITY
      if (mayPass(ownMs, waitedMs(arrived, now), givenMs)) continue
      if (givenMs >= GIVE_WAY_AGAIN_MS) {
        // Where there is nothing to take, no time begins to run.
        if (!hasFreePlace(this.#places)) return false
        this.#ways.set(owner, { arrived, since: now })
      }
      may = false
    }
    return may
  }

  #readQueue(now: number): void {
    const { memory, start, count } = this.#queue
    this.#oldest.clear()
    for (let place = 0; place < count; place++) {
      const word = start + place * WAITER_WORDS
      // ATOMIC waiting.look
      //   observes: who waits, and since when; the two words need not belong together.
      const owner = load(memory, word)
      if (owner === 0) continue
      const arrived = load(memory, word - WAITER.OWNER + WAITER.ARRIVED)
      const ms = waitedMs(arrived, now)
      if (!(ms >= 0 && ms <= this.#maxWaitMs)) continue
      const known = this.#oldest.get(owner)
      if (known === undefined || ms > waitedMs(known, now)) this.#oldest.set(owner, arrived)
    }
    for (const owner of this.#ways.keys()) {
      if (!this.#oldest.has(owner)) this.#ways.delete(owner)
    }
  }
}
