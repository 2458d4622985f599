/** Four to six threads at once: too many schedules to search, so random ones, by seed. */
import { CLOSED, FORCED_OPEN } from '../../../src/memory/words/state.ts'
import { Core } from '../../../src/protocol/breaker.ts'
import { carryOutCommand, plainCommand } from '../../../src/protocol/command.ts'
import { snapshotOf } from '../../../src/protocol/look.ts'
import { checkState, checkTrials, seenOf, world } from '../build.ts'
import { isTrial } from '../permits.ts'
import { check, type Scenario } from '../scenario.ts'
import { checkRecovers, opened, trial } from './trial-world.ts'

export const sixAskForTwo: Scenario = {
  name: 'six-ask-two',
  about: 'open to half-open by six threads with two places, two of which may die',
  kills: 2,
  walks: 6000,
  marks: ['two admitted', 'closed', 'one died'],
  alone: 200,
  set() {
    const made = opened(2, 6)
    const { memory, cell } = made
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    const ask = names.map((name, index) => [name, trial(made, index + 1, 'recordSuccess')])
    return {
      memory,
      threads: Object.fromEntries(ask),
      always: () => checkTrials(cell),
      finally(results, mark) {
        const trials = Object.values(results).filter(permit => isTrial(permit as number))
        check(trials.length <= 2, `${trials.length} trials admitted`)
        if (trials.length === 2) mark('two admitted')
        if (seenOf(cell).state === 'closed') mark('closed')
        if (Object.values(results).includes(undefined)) mark('one died')
        checkRecovers(made)
      },
    }
  },
}

export const fiveFail: Scenario = {
  name: 'five-fail',
  about: 'five threads that only fail, on a count window of three: opens within the bound of P4',
  kills: 0,
  walks: 4000,
  marks: ['open', 'late'],
  alone: 600,
  set() {
    const { memory, cell } = world(
      {
        slidingWindow: { type: 'count', size: 3 },
        minimumNumberOfCalls: 3,
        failureRateThreshold: 1,
      },
      5,
    )
    const fail = (slot: number) => () => {
      const core = new Core(cell, slot)
      for (let call = 0; call < 3; call++) {
        const permit = core.tryAcquire()
        if (permit < 0) return call
        core.recordFailure(permit)
      }
      return 3
    }
    return {
      memory,
      threads: { a: fail(1), b: fail(2), c: fail(3), d: fail(4), e: fail(5) },
      always: () => checkState(cell),
      finally(_results, mark) {
        const { state, totals, transitions } = snapshotOf(new Core(cell, 1))
        check(state === 'open' && transitions === 1, `${state} after ${transitions} transitions`)
        check(totals.failed <= 3 + 4, `${totals.failed} failures of 3, with 4 that overlap`)
        mark('open')
        if (totals.late > 0) mark('late')
      },
    }
  },
}

export const fourAtOdds: Scenario = {
  name: 'four-at-odds',
  about: 'two trials, forceOpen and reset at once: the last command stands, nothing is stuck',
  kills: 1,
  walks: 6000,
  marks: ['forced-open', 'closed'],
  alone: 300,
  set() {
    const made = opened(2, 4)
    const { memory, cell } = made
    const run = (slot: number, target: number) => () => {
      carryOutCommand(new Core(cell, slot), plainCommand(target))
      return true
    }
    return {
      memory,
      threads: {
        good: trial(made, 1, 'recordSuccess'),
        bad: trial(made, 2, 'recordFailure'),
        force: run(3, FORCED_OPEN),
        reset: run(4, CLOSED),
      },
      always: () => checkTrials(cell),
      finally(results, mark) {
        const { state } = seenOf(cell)
        mark(state)
        if (results.force !== true || results.reset !== true) return
        check(state !== 'half-open', 'a trial undid a command')
      },
    }
  },
}
