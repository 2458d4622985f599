/** Half-open: who gets a place, and what ends it. */
import { readOwn } from '#atomics'
import { RECORD } from '../../../src/memory/layout.ts'
import {
  CLOSED,
  FORCED_OPEN,
  GENERATION_BITS,
  generationOf,
  HALF_OPEN,
  OPEN,
  packNext,
  packState,
} from '../../../src/memory/words/state.ts'
import { editionOfEntry } from '../../../src/memory/words/threads.ts'
import { Core } from '../../../src/protocol/breaker.ts'
import { carryOutCommand, plainCommand } from '../../../src/protocol/command.ts'
import { snapshotOf } from '../../../src/protocol/look.ts'
import { checkState, checkTrials, seenOf } from '../build.ts'
import { isTrial, isTrialOf } from '../permits.ts'
import { check, type Scenario } from '../scenario.ts'

import { checkRecovers, halfOpened, makeCall, opened, trial } from './trial-world.ts'

export const threeAskForTwo: Scenario = {
  name: 'three-ask-two',
  about: 'open to half-open by three threads with two places: two trials, one refusal',
  kills: 0,
  bound: 2,
  marks: ['two admitted', 'closed'],
  alone: 120,
  set() {
    const made = opened(2, 3)
    const { memory, cell } = made
    return {
      memory,
      threads: {
        a: trial(made, 1, 'recordSuccess'),
        b: trial(made, 2, 'recordSuccess'),
        c: trial(made, 3, 'recordSuccess'),
      },
      always: () => checkTrials(cell),
      finally(results, mark) {
        const trials = Object.values(results).filter(permit => isTrial(permit as number))
        check(trials.length <= 2, `${trials.length} trials admitted`)
        if (trials.length === 2) mark('two admitted')
        const { state, totals } = snapshotOf(new Core(cell, 1))
        if (state === 'closed') mark('closed')
        check(trials.length === 2, 'a place was left free and nobody got it')
        check(state === 'closed' && totals.late === 0, `${state} after two good trials`)
        checkRecovers(made)
      },
    }
  },
}

export const commandAgainstTrial: Scenario = {
  name: 'command-trial',
  about: 'reset while a trial settles: no trial can undo the command',
  kills: 1,
  marks: ['late', 'before the command'],
  alone: 120,
  set() {
    const made = opened(1, 2)
    const { memory, cell } = made
    return {
      memory,
      threads: {
        holder: trial(made, 1, 'recordFailure'),
        command: () => {
          carryOutCommand(new Core(cell, 2), plainCommand(CLOSED))
          return true
        },
      },
      always: () => checkTrials(cell),
      finally(results, mark) {
        const { state, totals } = snapshotOf(new Core(cell, 1))
        if (totals.late > 0) mark('late')
        else mark('before the command')
        if (!results.command || results.holder === undefined) return
        // An ask after the command finds it closed; its failure may open it, by the row of one.
        const reopened = state === 'open' && !isTrial(results.holder as number)
        check(state === 'closed' || reopened, `${state} after reset`)
        checkRecovers(made)
      },
    }
  },
}

export const usedTwice: Scenario = {
  name: 'used-twice',
  about: 'a permit released twice while another thread asks: never frees what another call holds',
  kills: 1,
  marks: ['both admitted', 'one refused'],
  alone: 160,
  set() {
    const made = halfOpened(1, 2)
    const { memory, cell } = made
    return {
      memory,
      threads: {
        careless: () => {
          const core = new Core(cell, 1)
          const permit = core.tryAcquire()
          if (permit < 0) return permit
          makeCall(permit)
          core.release(permit)
          core.release(permit)
          return permit
        },
        other: trial(made, 2, 'recordSuccess'),
      },
      always: () => checkTrials(cell),
      finally(results, mark) {
        const { careless, other } = results as Record<string, number | undefined>
        if (careless === undefined || other === undefined) return
        mark(careless >= 0 && other >= 0 ? 'both admitted' : 'one refused')
        const { totals } = snapshotOf(new Core(cell, 1))
        if (isTrial(careless)) check(totals.late >= 1, 'the second release did something')
        if (isTrial(other)) check(totals.succeeded === 1, "the other's success was lost")
      },
    }
  },
}

export const pastTheWrap: Scenario = {
  name: 'wrap',
  about: 'trials in the generation after the last, in places that the one before the last used',
  kills: 1,
  marks: ['closed', 'recovers'],
  alone: 120,
  set() {
    const made = opened(1, 2)
    const { memory, cell, clock } = made
    const last = 2 ** GENERATION_BITS - 1
    // Half-open at the last generation but one, with a place used; then open, then past the wrap.
    memory[cell.state] = packState(last - 1, HALF_OPEN, editionOfEntry(cell.entry))
    memory.longs[cell.recordLong + RECORD.NEXT_LONG] = packNext(last - 1, HALF_OPEN, 100)
    memory.longs[cell.recordLong + RECORD.NEXT_LONG + 1] = packNext(last - 2, OPEN, 100)
    const core = new Core(cell, 1)
    core.recordFailure(core.tryAcquire())
    clock.advance(100)
    return {
      memory,
      threads: { a: trial(made, 1, 'recordSuccess'), b: trial(made, 2, 'recordSuccess') },
      always: () => checkTrials(cell),
      finally(results, mark) {
        const { state, generation } = seenOf(cell)
        check(generation === last || generation <= 1, `generation ${generation}`)
        if (state === 'closed') mark('closed')
        if (results.a !== undefined && results.b !== undefined) {
          check(state === 'closed', `${state} after a good trial`)
        }
        checkRecovers(made)
        mark('recovers')
      },
    }
  },
}

export const endedClaim: Scenario = {
  name: 'ended-claim',
  about: 'a place claimed while forceOpen ends the generation: no call starts in an ended one',
  kills: 1,
  marks: ['admitted before', 'refused'],
  alone: 120,
  set() {
    const made = halfOpened(1, 2)
    const { memory, cell } = made
    return {
      memory,
      threads: {
        asker: () => {
          const permit = new Core(cell, 1).tryAcquire()
          // At the moment of the answer, not a step later.
          const generation = generationOf(readOwn(cell.memory, cell.state))
          return { permit, generation }
        },
        command: () => {
          carryOutCommand(new Core(cell, 2), plainCommand(FORCED_OPEN))
          return true
        },
      },
      always: () => checkState(cell),
      finally(results, mark) {
        if (results.asker === undefined) return
        const { permit, generation } = results.asker as { permit: number; generation: number }
        if (permit < 0) mark('refused')
        else {
          mark('admitted before')
          check(isTrialOf(permit, generation), 'a trial was admitted after its generation')
        }
      },
    }
  },
}
