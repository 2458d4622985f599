/**
 * The queue of a bulkhead, as far as threads share it: a place for each call that waits, and a hint
 * whether any does, so that threads that never wait pay one load for those that do. Who waits in
 * which order within a thread is that thread's own affair.
 *
 * 1. Queue places are held like those of calls in flight (places.ts), so their number bounds how
 *    many calls wait over all threads, and a dead thread's come back.
 * 2. A joiner takes its place, then sets the hint with a new version, then looks for a free place.
 *    Who frees a place frees it, then looks at the hint. So either the joiner sees the free place,
 *    or who freed it sees the hint.
 * 3. The hint is cleared by a CAS from the word that was read before the queue was found empty. A
 *    joiner that the clearer has not seen in the queue has not set the hint before that reading, so
 *    its new version is still to come, or makes the CAS fail.
 * 4. Who frees a place adds to RELEASES before it notifies, and who waits reads RELEASES before its
 *    last look, so that one that comes in between is not slept through.
 * 5. None of this is needed for a waiter to get in: it looks again every few ms.
 */
import { add, compareExchange, load, notify, peek, store } from '#atomics'
import { CONTROL, WAITER, WAITER_WORDS } from '../memory/controls.ts'
import { packArrived, saysAny, withAny, withoutAny } from '../memory/words/bulkhead.ts'
import type { Control } from './control.ts'
import { countPlaces, freePlace, type PlaceRange, takePlace } from './places.ts'

/** The places of calls that wait. */
export function queueOf({ memory, record, shape }: Control): PlaceRange {
  const start = record + shape.queue + WAITER.OWNER
  return { memory, start, count: shape.queueLength, stride: WAITER_WORDS }
}

function waitingWord({ record }: Control): number {
  return record + CONTROL.WAITING
}

/** The word that is notified when places become free. */
export function releasesWord({ record }: Control): number {
  return record + CONTROL.RELEASES
}

/** How many calls wait, over all threads. */
export function countWaiters(control: Control): number {
  return countPlaces(queueOf(control))
}

/** Whether a call may wait in some thread. */
export function someoneMayWait(control: Control): boolean {
  return saysAny(load(control.memory, waitingWord(control)))
}

/**
 * The same for who only asks for a place: a late look lets a newcomer in before its turn, and is as
 * old as this thread's last exchange of a place at the most.
 */
export function seemsAwaited(control: Control): boolean {
  return saysAny(peek(control.memory, waitingWord(control)))
}

/** Takes a place in the queue, looking from number `from` on; -1 when it is full. */
export function joinQueue(control: Control, from: number, now: number): number {
  const place = takePlace(queueOf(control), control.thread, from)
  if (place < 0) return place
  const arrived = control.record + control.shape.queue + place * WAITER_WORDS + WAITER.ARRIVED
  // ATOMIC waiting.arrive
  //   publishes: since when we wait. Until then the time of who waited here before stands there,
  //              which at worst makes others give way to us once too often.
  //   dies here: the place is freed with those that we hold.
  store(control.memory, arrived, packArrived(now))
  announceWaiter(control)
  return place
}

/**
 * After our place is taken, at most one clearer that has not seen us can still succeed: its CAS is
 * from a word of before, so it is the first change. Who else changes the word is a joiner.
 */
const ANNOUNCE_ATTEMPTS = 2

function announceWaiter(control: Control): void {
  const { memory } = control
  const word = waitingWord(control)
  let found = load(memory, word)
  for (let attempt = 0; attempt < ANNOUNCE_ATTEMPTS; attempt++) {
    // ATOMIC waiting.announce
    //   observes:  the hint after our place in the queue was taken.
    //   publishes: that somebody waits, before we look for a free place.
    //   loses to:  another joiner, whose hint is as good; a clearer, once: again.
    //   dies here: the hint stays until somebody finds the queue empty.
    //   wraps:     2^31 versions within one look at the queue.
    const before = compareExchange(memory, word, found, withAny(found))
    if (before === found || saysAny(before)) return
    found = before
  }
}

/** Gives a place in the queue back. */
export function leaveQueue(control: Control, place: number): void {
  freePlace(queueOf(control), control.thread, place)
}

/** Takes the hint away where nobody waits. */
export function clearHint(control: Control): void {
  // ATOMIC waiting.clear
  //   observes:  the hint, then an empty queue (pairs with waiting.announce).
  //   publishes: that nobody waits: until the next joiner nobody looks at the queue.
  //   loses to:  a joiner that we have not seen in the queue.
  //   dies here: the next one that finds the queue empty clears it.
  const { memory } = control
  const found = load(memory, waitingWord(control))
  if (!saysAny(found) || countWaiters(control) > 0) return
  compareExchange(memory, waitingWord(control), found, withoutAny(found))
}

/** The value with which to wait for the next release, if read before the last look. */
export function releasesSeen(control: Control): number {
  return load(control.memory, releasesWord(control))
}

/** A place has become free: wakes the threads that have calls waiting. */
export function announceRelease(control: Control): void {
  // ATOMIC waiting.release
  //   publishes: that a place was freed before, to threads that found none.
  //   dies here: before the notification waiters find the place when they look again.
  //   wraps:     2^32 releases between a waiter's last look and its going to sleep.
  add(control.memory, releasesWord(control), 1)
  notify(control.memory, releasesWord(control))
}
