/** A breaker's options are replaced while it is used: all go by them at once, and nothing goes back. */
import { load } from '#atomics'
import { editionOf, isOfEdition } from '../../../src/memory/words/state.ts'
import { Core } from '../../../src/protocol/breaker.ts'
import { raiseEdition } from '../../../src/protocol/follower.ts'
import { snapshotOf } from '../../../src/protocol/look.ts'
import { OVERFLOW_SLOT } from '../../../src/protocol/slots.ts'
import { checkState } from '../build.ts'
import {
  checkEdition,
  configured,
  configures,
  entryEdition,
  LATER,
  SOONER,
  someDied,
  stateWord,
} from '../edition-world.ts'
import { ready } from '../machine.ts'
import { isTrial } from '../permits.ts'
import { checkSound, Holder } from '../removal-world.ts'
import { check, type Scenario } from '../scenario.ts'

export const againstTransition: Scenario = {
  name: 'config-trip',
  about: 'other options while the breaker opens: it opens once, and is of the new edition',
  kills: 1,
  bound: 3,
  marks: ['both', 'one died'],
  alone: 500,
  set() {
    const made = configured(SOONER)
    return {
      memory: made.of.memory,
      first: ['trip', 'config'],
      threads: {
        trip: () => {
          const core = new Holder(made.of, 1).make('b', SOONER)
          core.recordFailure(core.tryAcquire())
          const permit = core.tryAcquire()
          ready()
          return core.recordFailure(permit)
        },
        config: configures(made, 2, { ...SOONER, waitDurationInOpenStateMs: 200 }),
      },
      always() {
        checkSound(made.of)
        checkState(made.core.cell)
      },
      finally(results, mark) {
        const isSaid = isOfEdition(stateWord(made), entryEdition(made))
        if (someDied()) mark('one died')
        else check(isSaid, 'the transition took the edition back')
        const core = checkEdition(made)
        if (results.trip === undefined) return
        const { state, generation, retryAfterMs, openedBy } = snapshotOf(core)
        check(state === 'open' && generation === 1, `${state} at generation ${generation}`)
        check(openedBy?.failures === 2, 'the trip has no counts')
        check(retryAfterMs === 100 || retryAfterMs === 200, `it waits for ${retryAfterMs} ms`)
        if (results.config === true) mark('both')
      },
    }
  },
}

export const againstTrial: Scenario = {
  name: 'config-trial',
  about: 'other options while a trial is claimed and settled: its verdict is carried out',
  kills: 1,
  bound: 2,
  marks: ['closed', 'one died'],
  alone: 900,
  set() {
    const options = { ...SOONER, permittedNumberOfCallsInHalfOpenState: 1 }
    const made = configured(options)
    const { core } = made
    for (let failure = 0; failure < 2; failure++) core.recordFailure(core.tryAcquire())
    made.of.clock.advance(100)
    return {
      memory: made.of.memory,
      first: ['config'],
      threads: {
        trial: () => {
          const mine = new Holder(made.of, 1).make('b', options)
          const permit = mine.tryAcquire()
          return isTrial(permit) && mine.recordSuccess(permit)
        },
        config: configures(made, 2, {
          ...options,
          permittedNumberOfCallsInHalfOpenState: 2,
          waitDurationInOpenStateMs: 200,
        }),
      },
      always() {
        checkSound(made.of)
        checkState(made.core.cell)
      },
      finally(results, mark) {
        const after = checkEdition(made)
        if (someDied()) mark('one died')
        if (results.trial === undefined) return
        check(results.trial === true, 'a trial was refused, or late')
        if (results.config !== true) return
        const { state, totals } = snapshotOf(after)
        const needed = state === 'half-open' ? 1 : 0
        if (needed > 0) after.recordSuccess(after.tryAcquire())
        check(snapshotOf(after).state === 'closed', `${state} after good trials`)
        check(totals.late === 0, 'a trial was late')
        mark('closed')
      },
    }
  },
}

export const againstKeeper: Scenario = {
  name: 'config-tend',
  about: 'the keeper decides no trials by options that were replaced before it looked',
  kills: 1,
  bound: 2,
  marks: ['by the new', 'by the old', 'one died'],
  alone: 700,
  set() {
    const options = { ...SOONER, permittedNumberOfCallsInHalfOpenState: 1 }
    const made = configured(options)
    const { core, of } = made
    for (let failure = 0; failure < 2; failure++) core.recordFailure(core.tryAcquire())
    of.clock.advance(100)
    // As the keeper has it: it hears of other options in its next round (src/threads/upkeep.ts).
    const kept = new Core(core.cell, OVERFLOW_SLOT)
    const isSaid = (): boolean => editionOf(load(of.memory, core.cell.state)) !== 1
    return {
      memory: of.memory,
      first: ['trial', 'config'],
      threads: {
        trial: () => {
          const mine = new Holder(of, 1).make('b', options)
          const permit = mine.tryAcquire()
          ready()
          const byNew = isSaid()
          return { byNew, counted: mine.recordSuccess(permit) }
        },
        config: configures(made, 2, { ...options, permittedNumberOfCallsInHalfOpenState: 2 }),
        keeper: () => {
          const byNew = isSaid()
          kept.tend()
          return { byNew }
        },
      },
      always() {
        checkSound(of)
        checkState(core.cell)
      },
      finally(results, mark) {
        const { state } = snapshotOf(checkEdition(made))
        if (someDied()) return mark('one died')
        const { trial, keeper } = results as Record<string, { byNew: boolean; counted?: boolean }>
        check(trial?.counted === true, 'a trial was late')
        if (trial?.byNew && keeper?.byNew) check(state === 'half-open', `${state}, by old options`)
        mark(state === 'half-open' ? 'by the new' : 'by the old')
      },
    }
  },
}

export const twoConfigure: Scenario = {
  name: 'config-two',
  about:
    'two threads give other options, one may die between the entry and STATE: the next says so',
  kills: 1,
  bound: 3,
  marks: ['both', 'one died', 'died before it said so'],
  alone: 900,
  set() {
    const made = configured()
    return {
      memory: made.of.memory,
      first: ['a', 'b'],
      threads: { a: configures(made, 1, SOONER), b: configures(made, 2, LATER) },
      always() {
        checkSound(made.of)
        const ahead = (entryEdition(made) - editionOf(stateWord(made)) + 64) % 64
        check(ahead <= 2, 'the edition went back')
      },
      finally(results, mark) {
        if (someDied()) mark('one died')
        const isSaid = isOfEdition(stateWord(made), entryEdition(made))
        if (!isSaid) mark('died before it said so')
        if (results.a === true && results.b === true) {
          mark('both')
          check(isSaid, 'nobody says the edition that is in force')
          check(entryEdition(made) === 3, `${entryEdition(made) - 1} other options of two`)
        }
        check(results.a !== false && results.b !== false, 'options that cannot be replaced')
        const { numbers } = checkEdition(made).cell
        check(
          numbers.every(number => !Number.isNaN(number)),
          'options of no one',
        )
      },
    }
  },
}

export const lateRaise: Scenario = {
  name: 'config-late',
  about: 'a late look at an edition never takes STATE back to it',
  kills: 1,
  marks: ['both', 'one died'],
  alone: 500,
  set() {
    const made = configured()
    const { core } = made
    return {
      memory: made.of.memory,
      first: ['config'],
      threads: {
        looker: () => {
          raiseEdition(core.cell)
          return true
        },
        config: configures(made, 2, SOONER),
      },
      always() {
        checkSound(made.of)
        const edition = editionOf(stateWord(made))
        check(edition === 1 || edition === 2, `edition ${edition}`)
      },
      finally(results, mark) {
        if (someDied()) mark('one died')
        if (results.looker === true && results.config === true) {
          mark('both')
          check(editionOf(stateWord(made)) === 2, 'STATE went back to an old edition')
        }
        checkEdition(made)
      },
    }
  },
}
