/** The queue of a bulkhead: nobody who waits is forgotten, and no more wait than may. */
import { REFUSED } from '../../../src/memory/words/trials.ts'
import { placesOf } from '../../../src/protocol/bulkhead.ts'
import { BulkheadCore } from '../../../src/protocol/bulkhead-core.ts'
import { hasFreePlace } from '../../../src/protocol/places.ts'
import {
  clearHint,
  countWaiters,
  joinQueue,
  leaveQueue,
  releasesSeen,
  someoneMayWait,
} from '../../../src/protocol/waiting.ts'
import { type ControlWorld, checkSound } from '../control-world.ts'
import { ready } from '../machine.ts'
import { check, type Mark, type Scenario } from '../scenario.ts'
import { bulkhead, calls, reaps } from './bulkhead.ts'

/** Results of a joiner that waits: below this by the value of RELEASES that it sleeps on. */
const SLEEPS = -10

/** Asks, and where there is no place joins the queue and looks once more, as BulkheadQueue does. */
function joins(made: ControlWorld, thread: number): () => number {
  return () => {
    const control = made.controlOf(thread)
    const core = new BulkheadCore(control, thread)
    const permit = core.take()
    if (permit !== REFUSED) return permit
    const place = joinQueue(control, 0, 0)
    if (place < 0) return REFUSED
    const seen = releasesSeen(control)
    const second = core.takeInTurn(0, 0)
    if (second === REFUSED) return SLEEPS - seen
    leaveQueue(control, place)
    return second
  }
}

/** Holds the place from the start, and gives it back. */
function holds(made: ControlWorld, thread: number): () => boolean {
  return () => {
    const core = new BulkheadCore(made.controlOf(thread), thread)
    const permit = core.tryAcquire()
    ready()
    core.release(permit)
    return true
  }
}

/** Who sleeps has set the hint, and is woken where a place is free that it did not find. */
function checkNotForgotten(made: ControlWorld, joiner: unknown, mark: Mark): void {
  if (typeof joiner !== 'number' || joiner > SLEEPS) return
  const control = made.controlOf(0)
  check(someoneMayWait(control), 'a call waits and the hint says that none does')
  if (!hasFreePlace(placesOf(control))) return
  check(releasesSeen(control) !== SLEEPS - joiner, 'a call sleeps while a place is free')
  mark('woken')
}

export const neverMissed: Scenario = {
  name: 'bulkhead-wait',
  about:
    'a call joins the queue while another thread frees the place, and a third clears the hint: ' +
    'it finds the place or is woken',
  kills: 1,
  mortal: ['clearer', 'holder'],
  marks: ['woken', 'found'],
  alone: 200,
  set() {
    const made = bulkhead(1, 2, 3)
    const before = made.controlOf(3)
    leaveQueue(before, joinQueue(before, 0, 0))
    return {
      memory: made.memory,
      first: ['holder'],
      threads: {
        joiner: joins(made, 1),
        holder: holds(made, 2),
        clearer: () => {
          clearHint(made.controlOf(3))
          return true
        },
      },
      always: () => checkSound(made),
      finally({ joiner, holder }, mark) {
        if ((joiner as number) > 0) mark('found')
        // A dead holder may not have come to the notification; its reaper does.
        if (holder === undefined) {
          reaps(made, 2)()
          if (hasFreePlace(placesOf(made.controlOf(0)))) return
        }
        checkNotForgotten(made, joiner, mark)
      },
    }
  },
}

export const newcomer: Scenario = {
  name: 'bulkhead-newcomer',
  about: 'a call waits while a newcomer takes the place that is freed, and frees it again',
  kills: 0,
  marks: ['woken', 'found', 'newcomer first'],
  alone: 200,
  set() {
    const made = bulkhead(1, 1, 3)
    return {
      memory: made.memory,
      first: ['holder'],
      threads: { joiner: joins(made, 1), holder: holds(made, 2), other: calls(made, 3) },
      always: () => checkSound(made),
      finally({ joiner, other }, mark) {
        if ((joiner as number) > 0) mark('found')
        if (other === 1) mark('newcomer first')
        checkNotForgotten(made, joiner, mark)
      },
    }
  },
}

export const twoJoiners: Scenario = {
  name: 'bulkhead-join',
  about: 'two calls join at once where a third has just left, one may die: both set the hint',
  kills: 1,
  mortal: ['a', 'clearer'],
  marks: ['both wait', 'one refused'],
  alone: 200,
  set() {
    const made = bulkhead(1, 2, 4)
    new BulkheadCore(made.controlOf(4), 4).tryAcquire()
    const third = made.controlOf(3)
    const place = joinQueue(third, 0, 0)
    return {
      memory: made.memory,
      threads: {
        a: joins(made, 1),
        b: joins(made, 2),
        clearer: () => {
          leaveQueue(third, place)
          clearHint(third)
          return true
        },
      },
      always() {
        checkSound(made)
        check(countWaiters(made.controlOf(0)) <= 2, 'more calls wait than may')
      },
      finally({ a, b }, mark) {
        checkNotForgotten(made, a, mark)
        checkNotForgotten(made, b, mark)
        const waiting = [a, b].filter(answer => typeof answer === 'number' && answer <= SLEEPS)
        if (waiting.length === 2) mark('both wait')
        if (a === REFUSED || b === REFUSED) mark('one refused')
      },
    }
  },
}
