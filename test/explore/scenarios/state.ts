/** Transitions: trips, commands and late outcomes against each other. */
import { CLOSED, DISABLED, FORCED_OPEN } from '../../../src/memory/words/state.ts'
import { Core } from '../../../src/protocol/breaker.ts'
import { carryOutCommand, plainCommand } from '../../../src/protocol/command.ts'
import { snapshotOf } from '../../../src/protocol/look.ts'
import { checkState, ownedShardWords, seenOf, world } from '../build.ts'
import { check, type Scenario } from '../scenario.ts'

const ROW = { slidingWindow: { type: 'consecutive', failures: 1 } } as const

/** One failure through a core of the thread's own. */
function fail(make: () => Core): () => number {
  return () => {
    const core = make()
    const permit = core.tryAcquire()
    if (permit >= 0) core.recordFailure(permit)
    return permit
  }
}

export const twoThreadsTrip: Scenario = {
  name: 'two-trip',
  about: 'two threads whose failures both fill the row: one opening, with all its words',
  kills: 2,
  marks: ['open', 'refused', 'late'],
  alone: 60,
  set() {
    const { memory, cell } = world(ROW)
    return {
      memory,
      ownedWord: ownedShardWords(cell),
      threads: { a: fail(() => new Core(cell, 1)), b: fail(() => new Core(cell, 2)) },
      always: () => checkState(cell),
      finally(results, mark) {
        const { generation, state } = seenOf(cell)
        check(generation <= 1, `${generation} transitions`)
        if (state === 'open') mark('open')
        if (results.a === -1 || results.b === -1) mark('refused')
        const ended = results.a !== undefined && results.b !== undefined
        if (!ended) return
        check(state === 'open', `${state} after a failure`)
        const { totals, openedBy, since } = snapshotOf(new Core(cell, 1))
        if (totals.late > 0) mark('late')
        check(totals.failed >= 1 && totals.inFlight === 0, 'an outcome was lost')
        check((openedBy?.failures ?? 0) >= 1, 'the trip has no counts')
        check(since === 0, 'the opening has no time')
      },
    }
  },
}

export const tripAgainstCommand: Scenario = {
  name: 'trip-command',
  about: 'a trip against forceOpen: the command always takes effect, last or before a trip is void',
  kills: 1,
  marks: ['command over trip', 'command alone'],
  alone: 120,
  set() {
    const { memory, cell } = world(ROW)
    return {
      memory,
      threads: {
        trip: fail(() => new Core(cell, 1)),
        command: () => {
          const reason = new TextEncoder().encode('why')
          carryOutCommand(new Core(cell, 2), { ...plainCommand(FORCED_OPEN), reason })
          return true
        },
      },
      always: () => checkState(cell),
      finally(results, mark) {
        if (results.command === undefined) return
        const { generation, state } = seenOf(cell)
        check(state === 'forced-open', `${state} after forceOpen`)
        check(generation === 1 || generation === 2, `${generation} transitions`)
        mark(generation === 2 ? 'command over trip' : 'command alone')
      },
    }
  },
}

export const twoCommands: Scenario = {
  name: 'two-commands',
  about: 'disable against reset: both take effect, one after the other',
  kills: 2,
  marks: ['disabled last', 'closed last'],
  alone: 90,
  set() {
    const { memory, cell } = world(ROW)
    const run = (slot: number, target: number) => () => {
      carryOutCommand(new Core(cell, slot), plainCommand(target))
      return true
    }
    return {
      memory,
      threads: { disable: run(1, DISABLED), reset: run(2, CLOSED) },
      always: () => checkState(cell),
      finally(results, mark) {
        const { generation, state } = seenOf(cell)
        if (!(results.disable && results.reset)) return
        check(generation === 2, `${generation} transitions of two commands`)
        mark(`${state} last`)
      },
    }
  },
}

export const tripAgainstOutcome: Scenario = {
  name: 'trip-outcome',
  about: 'a trip against a success of the same generation: counted or late, never in between',
  kills: 1,
  marks: ['counted', 'late', 'refused'],
  alone: 60,
  set() {
    const { memory, cell } = world(ROW)
    return {
      memory,
      ownedWord: ownedShardWords(cell),
      threads: {
        trip: fail(() => new Core(cell, 1)),
        outcome: () => {
          const core = new Core(cell, 2)
          const permit = core.tryAcquire()
          if (permit >= 0) core.recordSuccess(permit)
          return permit
        },
      },
      always: () => checkState(cell),
      finally(results, mark) {
        if (results.trip === undefined || results.outcome === undefined) return
        const { totals, state, transitions } = snapshotOf(new Core(cell, 1))
        check(state === 'open' && transitions === 1, `${state} after ${transitions} transitions`)
        check(totals.succeeded + totals.late + totals.failed === totals.admitted, 'not conserved')
        if (results.outcome === -1) mark('refused')
        else mark(totals.late === 1 ? 'late' : 'counted')
      },
    }
  },
}

export const lateOutcome: Scenario = {
  name: 'late-outcome',
  about: 'a failure that stalls while its generation ends: no trace in the row of a later one',
  kills: 1,
  marks: ['late', 'in time'],
  alone: 200,
  set() {
    const { memory, cell } = world({ slidingWindow: { type: 'consecutive', failures: 3 } })
    return {
      memory,
      threads: {
        late: fail(() => new Core(cell, 1)),
        later: () => {
          const core = new Core(cell, 2)
          carryOutCommand(core, plainCommand(DISABLED))
          carryOutCommand(core, plainCommand(CLOSED))
          const permit = core.tryAcquire()
          core.recordFailure(permit)
          return permit
        },
      },
      always: () => checkState(cell),
      finally(results, mark) {
        const { totals, window } = snapshotOf(new Core(cell, 1))
        mark(totals.late > 0 ? 'late' : 'in time')
        if (results.late !== 0 || results.later !== 2) return
        check(window.failures === 1, `${window.failures} failures in a row, not 1`)
      },
    }
  },
}

export const staleDecider: Scenario = {
  name: 'stale-decider',
  about: 'a trip that stalls while three commands take effect: it touches none of their words',
  kills: 1,
  marks: ['tripped first', 'came too late'],
  alone: 200,
  set() {
    const { memory, cell } = world(ROW)
    return {
      memory,
      threads: {
        trip: fail(() => new Core(cell, 1)),
        commands: () => {
          const core = new Core(cell, 2)
          for (const target of [DISABLED, CLOSED, DISABLED]) {
            carryOutCommand(core, plainCommand(target))
          }
          return true
        },
      },
      always: () => checkState(cell),
      finally(results, mark) {
        if (!results.commands) return
        const { generation, state } = seenOf(cell)
        check(state === 'disabled', `${state} after disable`)
        mark(generation === 3 ? 'came too late' : 'tripped first')
      },
    }
  },
}
