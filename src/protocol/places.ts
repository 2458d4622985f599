/**
 * Places: a fixed number of them, each free or held by one thread. What bounds how many calls are
 * in flight over all threads is that there are no more places.
 *
 * A place's word is 0, or its holder's thread number + 1.
 *
 * 1. One CAS takes a free place, so one thread holds it, and its name stands in the very word.
 * 2. Only its holder, or who knows that the holder is dead, makes it free. Numbers of threads are
 *    never used twice, so a late reaper frees nothing that a living thread holds.
 * 3. Which of its places a thread uses for which call is its own affair: it keeps that by itself,
 *    and a permit that it has settled before finds there that it is settled.
 * 4. A word that is damaged is a place that nobody frees, or one that its holder cannot free any
 *    more because another holds it: fewer calls, or one more than allowed, and nothing that hangs.
 */
import { compareExchange, load, peek } from '#atomics'
import type { Memory } from '../memory/atomics.ts'

const NOBODY = 0

/** Where places stand: `stride` words from one to the next. */
export interface PlaceRange {
  readonly memory: Memory
  readonly start: number
  readonly count: number
  readonly stride: number
}

function ownerOf(thread: number): number {
  return thread + 1
}

/** Takes a free place for `thread`, looking from number `from` on; -1 when all were taken. */
export function takePlace(range: PlaceRange, thread: number, from: number): number {
  const { memory, start, count, stride } = range
  let place = from < count ? from : 0
  for (let step = 0; step < count; step++, place = place + 1 < count ? place + 1 : 0) {
    const word = start + place * stride
    // ATOMIC places.take
    //   observes:  a free place (pairs with places.free, places.reap); a late look that says free
    //              is put right by the CAS, one that says taken by the load.
    //   publishes: who holds it, before the call starts.
    //   loses to:  another taker: try the next place, once around.
    //   dies here: before the CAS nothing happened; after it whoever sees the death frees it.
    if (peek(memory, word) !== NOBODY && load(memory, word) !== NOBODY) continue
    if (compareExchange(memory, word, NOBODY, ownerOf(thread)) === NOBODY) return place
  }
  return -1
}

/** Frees a place that `thread` holds. */
export function freePlace(range: PlaceRange, thread: number, place: number): void {
  // ATOMIC places.free
  //   observes:  that the place is ours: nobody else may free it while we live.
  //   publishes: a free place, after the call has ended.
  //   dies here: whoever sees the death frees it.
  compareExchange(range.memory, range.start + place * range.stride, ownerOf(thread), NOBODY)
}

/** Frees what threads held that are known to be dead. How many places that were. */
export function reapPlaces(range: PlaceRange, dead: ReadonlySet<number>): number {
  const { memory, start, count, stride } = range
  let freed = 0
  for (let place = 0; place < count; place++) {
    const word = start + place * stride
    // ATOMIC places.reap
    //   observes: a holder that is dead, and so stays the holder.
    //   loses to: another reaper.
    //   dies here: the other places wait for the next reaper.
    const holder = load(memory, word)
    if (holder === NOBODY || !dead.has(holder - 1)) continue
    if (compareExchange(memory, word, holder, NOBODY) === holder) freed++
  }
  return freed
}

/** Whether a place is free. */
export function hasFreePlace({ memory, start, count, stride }: PlaceRange): boolean {
  for (let place = 0; place < count; place++) {
    if (load(memory, start + place * stride) === NOBODY) return true
  }
  return false
}

/** How many places are taken. Exact when nobody takes or frees one meanwhile. */
export function countPlaces({ memory, start, count, stride }: PlaceRange): number {
  let taken = 0
  for (let place = 0; place < count; place++) {
    if (load(memory, start + place * stride) !== NOBODY) taken++
  }
  return taken
}
