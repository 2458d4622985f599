/** Half-open: trials that settle after their generation, or while others change their place. */
import { HALF_OPEN } from '../../../src/memory/words/state.ts'
import { Core } from '../../../src/protocol/breaker.ts'
import { seenState, snapshotOf } from '../../../src/protocol/look.ts'
import { at, transition } from '../../../src/protocol/state.ts'
import { moveInFlight } from '../../../src/protocol/totals.ts'
import { releasePlacesOf } from '../../../src/protocol/trials.ts'
import { checkTrials, openNow, world } from '../build.ts'
import { isTrial } from '../permits.ts'
import { check, type Scenario } from '../scenario.ts'
import { halfOpened, trial } from './trial-world.ts'

export const staleSettle: Scenario = {
  name: 'stale-settle',
  about: 'a trial of an earlier half-open state settles in the next: it owns no place there',
  kills: 1,
  marks: ['late'],
  alone: 120,
  set() {
    const made = world({
      slidingWindow: { type: 'consecutive', failures: 1 },
      waitDurationInOpenStateMs: 10,
      permittedNumberOfCallsInHalfOpenState: 2,
    })
    const { memory, cell, clock } = made
    openNow(made, 1)
    clock.advance(10)
    const core = new Core(cell, 1)
    const early = core.tryAcquire()
    core.recordFailure(core.tryAcquire())
    clock.advance(10)
    transition(cell, seenState(cell), HALF_OPEN, at(clock.now()))
    return {
      memory,
      threads: {
        early: () => {
          new Core(cell, 1).recordSuccess(early)
          return true
        },
        asker: trial(made, 2, 'recordSuccess'),
      },
      always: () => checkTrials(cell),
      finally(results, mark) {
        const { state, totals, trials } = snapshotOf(new Core(cell, 1))
        check(state === 'half-open', `${state} after one good trial of two`)
        check((trials?.succeeded ?? 0) <= 1, 'an early trial has a place')
        if (results.early !== true) return
        check(totals.late === 1, 'an early trial was counted')
        mark('late')
      },
    }
  },
}

export const claimAgainstOldSettle: Scenario = {
  name: 'claim-old-settle',
  about: 'an old trial settles while its place, the last, is claimed anew: both places are given',
  kills: 1,
  marks: ['late', 'counted'],
  alone: 160,
  set() {
    const made = halfOpened(2, 2)
    const { memory, cell } = made
    const core = new Core(cell, 2)
    const bad = core.tryAcquire()
    const last = new Core(cell, 1).tryAcquire()
    return {
      memory,
      threads: {
        settler: () => {
          new Core(cell, 1).recordSuccess(last)
          return true
        },
        asker: () => {
          core.recordFailure(bad)
          made.clock.advance(100)
          return [core.tryAcquire(), core.tryAcquire()]
        },
      },
      always: () => checkTrials(cell),
      finally(results, mark) {
        if (results.asker === undefined) return
        const [a, b] = results.asker as [number, number]
        check(isTrial(a) && isTrial(b), `two places, two asks: ${a} and ${b}`)
        if (results.settler === undefined) return
        mark(snapshotOf(new Core(cell, 1)).totals.late > 0 ? 'late' : 'counted')
      },
    }
  },
}

export const settleAgainstLeave: Scenario = {
  name: 'settle-leave',
  about: 'a trial settles in another thread while its own leaves the region: it is counted once',
  kills: 0,
  marks: ['closed'],
  alone: 120,
  set() {
    const made = halfOpened(1, 2)
    const { memory, cell } = made
    const permit = new Core(cell, 1).tryAcquire()
    return {
      memory,
      threads: {
        leaver: () => {
          releasePlacesOf(cell, 1, 'overflow', () => true)
          moveInFlight(cell, 1)
          return true
        },
        settler: () => {
          new Core(cell, 2).recordSuccess(permit)
          return true
        },
      },
      always: () => checkTrials(cell),
      finally(_, mark) {
        const { state, totals } = snapshotOf(new Core(cell, 2))
        check(state === 'closed' && totals.late === 0, `${state} after a good trial`)
        mark('closed')
      },
    }
  },
}
