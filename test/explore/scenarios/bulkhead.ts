/** Bulkheads: never more calls in flight than places, and no place is lost. */
import { BULKHEAD } from '../../../src/memory/controls.ts'
import { REFUSED } from '../../../src/memory/words/trials.ts'
import { placesOf, reapBulkhead } from '../../../src/protocol/bulkhead.ts'
import { BulkheadCore } from '../../../src/protocol/bulkhead-core.ts'
import { countPlaces } from '../../../src/protocol/places.ts'
import { countWaiters } from '../../../src/protocol/waiting.ts'
import { type ControlWorld, checkSound, controlWorld } from '../control-world.ts'
import { pause } from '../door.ts'
import { machine, note } from '../machine.ts'
import { check, type Scenario } from '../scenario.ts'

export function bulkhead(
  maxConcurrentCalls: number,
  maxQueuedCalls: number,
  slots: number,
): ControlWorld {
  return controlWorld(BULKHEAD, { maxConcurrentCalls, maxQueuedCalls }, slots)
}

/** The call itself: a step during which the permit is in flight. */
function makeCall(permit: number): void {
  note(permit)
  pause()
  note(undefined)
}

/** Asks `times` times, makes its calls, gives each permit back twice; how often it was let in. */
export function calls(made: ControlWorld, thread: number, times = 1): () => number {
  return () => {
    const core = new BulkheadCore(made.controlOf(thread), thread)
    let admitted = 0
    for (let call = 0; call < times; call++) {
      const permit = core.tryAcquire()
      if (permit === REFUSED) continue
      admitted++
      makeCall(permit)
      core.release(permit)
      core.release(permit)
    }
    return admitted
  }
}

/** What is done by who is told that thread `dead` has ended. */
export function reaps(made: ControlWorld, dead: number): () => boolean {
  return () => {
    reapBulkhead(made.controlOf(0), new Set([dead]))
    return true
  }
}

/** At every step: the calls of living threads that are being made have places, one each. */
function checkLimit(made: ControlWorld, limit: number): void {
  checkSound(made)
  const living = machine.threads.filter(({ alive, note: permit }) => alive && permit !== undefined)
  check(living.length <= limit, `${living.length} calls in flight, ${limit} allowed`)
  const taken = countPlaces(placesOf(made.controlOf(0)))
  check(living.length <= taken, `${living.length} calls in flight in ${taken} places`)
}

function checkAllFree(made: ControlWorld, deadThreads: readonly number[]): void {
  for (const dead of deadThreads) reaps(made, dead)()
  const control = made.controlOf(0)
  check(countPlaces(placesOf(control)) === 0, 'a place is taken and nobody holds it')
  check(countWaiters(control) === 0, 'a queue place is taken and nobody waits')
}

export const oneFree: Scenario = {
  name: 'bulkhead-one',
  about: 'two threads ask twice for one place, each may die: one at a time, and none is lost',
  kills: 2,
  marks: ['both', 'one refused', 'a death'],
  alone: 200,
  set() {
    const made = bulkhead(1, 0, 2)
    return {
      memory: made.memory,
      threads: { a: calls(made, 1, 2), b: calls(made, 2, 2) },
      always: () => checkLimit(made, 1),
      finally({ a, b }, mark) {
        const dead = [a === undefined ? [1] : [], b === undefined ? [2] : []].flat()
        if (dead.length > 0) mark('a death')
        else mark(a === 2 && b === 2 ? 'both' : 'one refused')
        checkAllFree(made, dead)
      },
    }
  },
}

export const twoFree: Scenario = {
  name: 'bulkhead-two',
  about: 'three threads ask for two places, one may die: two at a time',
  kills: 1,
  marks: ['all', 'one refused'],
  alone: 200,
  set() {
    const made = bulkhead(2, 0, 3)
    return {
      memory: made.memory,
      threads: { a: calls(made, 1), b: calls(made, 2), c: calls(made, 3) },
      always: () => checkLimit(made, 2),
      finally(results, mark) {
        const answers = [results.a, results.b, results.c]
        const dead = answers.flatMap((answer, index) => (answer === undefined ? [index + 1] : []))
        const admitted = answers.filter(answer => answer === 1).length
        if (dead.length === 0) mark(admitted === 3 ? 'all' : 'one refused')
        check(admitted + dead.length >= 2, 'refused where places are free')
        checkAllFree(made, dead)
      },
    }
  },
}

export const reapedOnce: Scenario = {
  name: 'bulkhead-reap',
  about: 'a holder dies; two who know of it reap, one late; another takes the place meanwhile',
  kills: 2,
  mortal: ['holder', 'reaper'],
  marks: ['reaped and taken', 'holder lived'],
  alone: 200,
  set() {
    const made = bulkhead(1, 1, 3)
    return {
      memory: made.memory,
      threads: {
        holder: calls(made, 1),
        reaper: reaps(made, 1),
        late: reaps(made, 1),
        heir: calls(made, 2, 2),
      },
      afterDeathOf: { reaper: 'holder', late: 'holder' },
      always: () => checkLimit(made, 1),
      finally({ holder, late, heir }, mark) {
        if (holder !== undefined) mark('holder lived')
        if (late === true && (heir as number) > 0) mark('reaped and taken')
        checkAllFree(made, holder === undefined ? [1] : [])
      },
    }
  },
}

export const settledTwice: Scenario = {
  name: 'bulkhead-twice',
  about:
    'a thread with two registries settles a permit of one again while the other holds the place',
  kills: 0,
  marks: ['both', 'one refused'],
  alone: 200,
  set() {
    const made = bulkhead(1, 0, 2)
    const twice = (): number => {
      const control = made.controlOf(1)
      const [one, other] = [new BulkheadCore(control, 1), new BulkheadCore(control, 1)]
      const old = one.tryAcquire()
      if (old === REFUSED) return 0
      one.release(old)
      const permit = other.tryAcquire()
      if (permit === REFUSED) return 0
      one.release(old)
      makeCall(permit)
      other.release(permit)
      return 1
    }
    return {
      memory: made.memory,
      threads: { a: twice, b: calls(made, 2) },
      always: () => checkLimit(made, 1),
      finally({ a, b }, mark) {
        mark(a === 1 && b === 1 ? 'both' : 'one refused')
        checkAllFree(made, [])
      },
    }
  },
}
