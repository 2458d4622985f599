/** Half-open: deaths, leases and verdicts that the dead left. */
import { OPEN } from '../../../src/memory/words/state.ts'
import { isTimedOf } from '../../../src/memory/words/timed.ts'
import { CLAIMED, unpackPlace, unpackTrialPermit } from '../../../src/memory/words/trials.ts'
import { Core } from '../../../src/protocol/breaker.ts'
import { carryOutCommand, plainCommand } from '../../../src/protocol/command.ts'
import { snapshotOf } from '../../../src/protocol/look.ts'
import { releasePlacesOf } from '../../../src/protocol/trials.ts'
import { checkState, checkTrials, seenOf } from '../build.ts'
import { isTrial } from '../permits.ts'
import { check, type Scenario } from '../scenario.ts'

import { checkRecovers, halfOpened, opened, type Settle, trial } from './trial-world.ts'

function trialDeaths(name: string, about: string, settle: Settle, end: string): Scenario {
  return {
    name,
    about,
    kills: 2,
    marks: [end, 'half-open'],
    alone: 120,
    set() {
      const made = halfOpened(2, 2)
      const { memory, cell } = made
      return {
        memory,
        threads: { a: trial(made, 1, 'recordSuccess'), b: trial(made, 2, settle) },
        always: () => checkTrials(cell),
        finally(results, mark) {
          mark(seenOf(cell).state)
          const { totals } = snapshotOf(new Core(cell, 1))
          const ended = results.a !== undefined && results.b !== undefined
          if (ended && settle === 'recordSuccess')
            check(totals.late === 0 && totals.inFlight === 0, 'an outcome came to nothing')
          checkRecovers(made)
        },
      }
    },
  }
}

export const trialsClose = trialDeaths(
  'trials-close',
  'two good trials, deaths at any step: closed, or never stuck',
  'recordSuccess',
  'closed',
)

export const trialsOpen = trialDeaths(
  'trials-open',
  'a good and a bad trial, deaths at any step: open, or never stuck',
  'recordFailure',
  'open',
)

export const settledOrOutlived: Scenario = {
  name: 'settle-outlive',
  about: 'a trial settles just under, at and past its lease, while another thread asks',
  kills: 1,
  mortal: ['holder', 'asker'],
  marks: ['in time', 'late', 'reopened at the lease'],
  alone: 160,
  set() {
    const made = halfOpened(1, 2)
    const { memory, cell, clock } = made
    return {
      memory,
      threads: {
        holder: trial(made, 1, 'recordSuccess'),
        asker: trial(made, 2, 'release'),
        time: () => {
          clock.advance(49)
          clock.advance(1)
          return true
        },
      },
      always: () => checkTrials(cell),
      finally(_results, mark) {
        const { state, totals, since } = snapshotOf(new Core(cell, 1))
        if (state === 'closed') mark('in time')
        if (totals.late > 0) mark('late')
        if (state === 'open' && since >= 150) mark('reopened at the lease')
        checkRecovers(made)
      },
    }
  },
}

export const reapedTrial: Scenario = {
  name: 'reap-trial',
  about: 'a place given back for a dead thread while two reapers and an asker meet it',
  kills: 1,
  mortal: ['holder', 'reaper'],
  marks: ['given back', 'asker admitted'],
  alone: 160,
  set() {
    const made = opened(1, 3)
    const { memory, cell } = made
    // The holder's thread is dead from the start: its claim was its last step.
    const held = new Core(cell, 1).tryAcquire()
    const reap = () => {
      releasePlacesOf(cell, 1, 'free', () => true)
      return true
    }
    return {
      memory,
      threads: { reaper: reap, second: reap, asker: trial(made, 2, 'recordSuccess') },
      always: () => checkTrials(cell),
      finally(results, mark) {
        check(isTrial(held), 'the dead thread held no trial')
        const { trials, state } = snapshotOf(new Core(cell, 2))
        if (trials?.inFlight === 0) mark('given back')
        const asker = results.asker as number | undefined
        if (asker === undefined || asker < 0) return
        mark('asker admitted')
        check(state === 'closed', `${state} after a good trial`)
      },
    }
  },
}

export const lateLease: Scenario = {
  name: 'late-lease',
  about: 'a claimer stalls over its lease, and its generation ends: the next claim has a lease too',
  kills: 1,
  marks: ['second claim'],
  alone: 300,
  set() {
    const made = halfOpened(1, 2)
    const { memory, cell, clock } = made
    return {
      memory,
      threads: {
        first: () => new Core(cell, 1).tryAcquire(),
        second: () => {
          const core = new Core(cell, 2)
          carryOutCommand(core, plainCommand(OPEN))
          clock.advance(100)
          return core.tryAcquire()
        },
      },
      always: () => checkState(cell),
      finally(results, mark) {
        const permit = results.second as number | undefined
        if (permit === undefined || !isTrial(permit)) return
        mark('second claim')
        const { claim } = unpackTrialPermit(permit)
        const at = (cell.record + cell.shape.trials) / 2
        const place = unpackPlace(memory.longs[at] as bigint)
        check(place.claim === claim && place.kind === CLAIMED, 'an admitted claim is gone')
        check(isTimedOf(memory.longs[at + 1] as bigint, claim), 'an admitted claim has no lease')
      },
    }
  },
}
