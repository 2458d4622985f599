/** Throttles: who publishes the probability, and what a refusal may go by. */
import { CONTROL, THROTTLE } from '../../../src/memory/controls.ts'
import { isOfRound, rejectionOf } from '../../../src/memory/words/throttle.ts'
import { timedTagOf } from '../../../src/memory/words/timed.ts'
import { ThrottleCore } from '../../../src/protocol/throttle.ts'
import { type ControlWorld, checkSound, controlWorld } from '../control-world.ts'
import { check, type Scenario } from '../scenario.ts'

const WINDOW_MS = 1000
const INTERVAL_MS = 100
const OPTIONS = { k: 2, windowMs: WINDOW_MS, minimumRequestsPerSecond: 0 }
/** Its first draw is 1,056 of 2^24: refused by every probability that is not next to nothing. */
const REFUSED_BY_ALL = 1

/** With one bucket in place of ten: a sum reads less. */
function coreOf(made: ControlWorld, slot: number): ThrottleCore {
  const control = made.controlOf(slot)
  const shape = { ...control.shape, buckets: 1 }
  return new ThrottleCore({ ...control, shape }, slot, REFUSED_BY_ALL)
}

/** What is published, and the fence of the last round. */
function published(made: ControlWorld): { word: number; fence: number } {
  const { record } = made.controlOf(1)
  const duty = made.memory.longs[record / 2 + CONTROL.DUTY_LONG] as bigint
  return { word: made.memory[record + CONTROL.PROBABILITY] as number, fence: timedTagOf(duty) }
}

/** Whatever was left undone, the next round does. */
function checkGoesOn(made: ControlWorld): void {
  made.clock.advance(INTERVAL_MS)
  coreOf(made, 3).recordSuccess(0)
  const { word, fence } = published(made)
  check(isOfRound(word, fence), 'the next round was not published')
}

export const throttlePublish: Scenario = {
  name: 'throttle-publish',
  about:
    'two rounds, whose takers publish late or never: no word stands over that of a later round',
  kills: 2,
  marks: ['first round', 'second round', 'left undone'],
  alone: 120,
  set() {
    const made = controlWorld(THROTTLE, OPTIONS, 3)
    const { memory, clock } = made
    return {
      memory,
      threads: {
        // Finds 1 of 1 rejected: a half.
        first: () => coreOf(made, 1).recordFailure(0),
        // Finds 1 of 1 accepted, or 1 of 2: nothing to refuse, which is what memory starts with.
        second: () => {
          clock.advance(INTERVAL_MS)
          return coreOf(made, 2).recordSuccess(0)
        },
      },
      always: () => checkSound(made),
      finally({ first, second }, mark) {
        const { word, fence } = published(made)
        mark(
          isOfRound(word, fence) ? (fence === 1 ? 'first round' : 'second round') : 'left undone',
        )
        if (first && second)
          check(isOfRound(word, fence), `round ${fence} is not what is published`)
        // Two rounds: the second is that of the second thread.
        if (second && fence === 2)
          check(rejectionOf(word) === 0, 'an earlier round was put over it')
        checkGoesOn(made)
      },
    }
  },
}

export const throttleStale: Scenario = {
  name: 'throttle-stale',
  about: 'two ask long after the overload, one may take the duty and die: neither is refused by it',
  kills: 1,
  marks: ['published', 'left undone', 'both admitted'],
  alone: 120,
  set() {
    const made = controlWorld(THROTTLE, OPTIONS, 3)
    const { memory, clock } = made
    const before = coreOf(made, 1)
    for (let call = 0; call < 20; call++) before.recordFailure(0)
    clock.advance(INTERVAL_MS)
    before.recordFailure(0)
    check(before.published() > 0.9, 'there was no overload')
    clock.advance(2 * WINDOW_MS)
    return {
      memory,
      threads: {
        a: () => coreOf(made, 1).tryAcquire(),
        b: () => coreOf(made, 2).tryAcquire(),
      },
      always: () => checkSound(made),
      finally({ a, b }, mark) {
        check(a !== -1 && b !== -1, 'refused by a probability of before')
        if (a === 0 && b === 0) mark('both admitted')
        const { word, fence } = published(made)
        mark(isOfRound(word, fence) ? 'published' : 'left undone')
        checkGoesOn(made)
      },
    }
  },
}

export const throttleRefusal: Scenario = {
  name: 'throttle-refusal',
  about: 'two are refused while the probability is published anew, by one who may die: both count',
  kills: 1,
  marks: ['both refused', 'left undone'],
  alone: 140,
  set() {
    const made = controlWorld(THROTTLE, OPTIONS, 3)
    const { memory, clock } = made
    const before = coreOf(made, 1)
    for (let call = 0; call < 20; call++) before.recordFailure(0)
    clock.advance(INTERVAL_MS)
    before.recordFailure(0)
    clock.advance(INTERVAL_MS)
    return {
      memory,
      threads: {
        a: () => coreOf(made, 1).tryAcquire(),
        b: () => coreOf(made, 2).tryAcquire(),
      },
      always: () => checkSound(made),
      finally({ a, b }, mark) {
        check(a !== 0 && b !== 0, 'admitted in spite of the overload')
        const { requests, refused } = coreOf(made, 3).look()
        check(requests === 21 + refused, `${requests} requests of which ${refused} refused`)
        if (a === -1 && b === -1) {
          mark('both refused')
          check(refused === 2, `${refused} of two refusals counted`)
        }
        const { word, fence } = published(made)
        if (!isOfRound(word, fence)) mark('left undone')
        checkGoesOn(made)
      },
    }
  },
}

export const throttleKnown: Scenario = {
  name: 'throttle-known',
  about: 'who was refused by a word records later, while the next round is left undone: not again',
  kills: 1,
  mortal: ['taker'],
  marks: ['refused at first', 'published', 'left undone'],
  alone: 200,
  set() {
    const made = controlWorld(THROTTLE, OPTIONS, 3)
    const { memory, clock } = made
    const before = coreOf(made, 1)
    for (let call = 0; call < 20; call++) before.recordFailure(0)
    clock.advance(INTERVAL_MS)
    before.recordFailure(0)
    return {
      memory,
      threads: {
        taker: () => coreOf(made, 1).recordSuccess(0),
        asker: () => {
          const core = coreOf(made, 2)
          const first = core.tryAcquire()
          clock.advance(2 * WINDOW_MS)
          core.recordSuccess(0)
          return [first, core.tryAcquire()]
        },
      },
      always: () => checkSound(made),
      finally({ asker }, mark) {
        const [first, second] = asker as number[]
        if (first === -1) mark('refused at first')
        check(second === 0, 'refused by the word that refused it before')
        const { word, fence } = published(made)
        mark(isOfRound(word, fence) ? 'published' : 'left undone')
        checkGoesOn(made)
      },
    }
  },
}
