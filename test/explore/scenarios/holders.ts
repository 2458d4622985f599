/** Threads that hold a breaker which has gone, and of which another has the record. */
import { RegistryFullError } from '../../../src/errors.ts'
import { FORCED_OPEN } from '../../../src/memory/words/state.ts'
import type { Core } from '../../../src/protocol/breaker.ts'
import { carryOutCommand, plainCommand } from '../../../src/protocol/command.ts'
import { snapshotOf } from '../../../src/protocol/look.ts'
import { ready } from '../machine.ts'
import {
  call,
  checkCounts,
  checkDirectory,
  checkSound,
  Holder,
  maker,
  onlooker,
  records,
  remove,
  totalsOf,
} from '../removal-world.ts'
import { check, type Scenario } from '../scenario.ts'
import { Violation } from '../violation.ts'

/** A thread that has met the old breaker, and what it does with it while another gets its record. */
function holders(
  name: string,
  about: string,
  act: (core: Core, permit: number) => unknown,
  { maxBreakers = 1, bound = 2, inFlight = false } = {},
): Scenario {
  return {
    name,
    about,
    kills: 1,
    bound,
    marks: ['both', 'holder first', 'one died'],
    alone: 900,
    set() {
      const of = records(2, maxBreakers)
      const old = maker(of).make('old')
      old.current()
      return {
        memory: of.memory,
        observesCounts: true,
        first: ['holder'],
        threads: {
          holder: () => {
            const core = new Holder(of, 1).make('old')
            const permit = core.tryAcquire()
            if (!inFlight) core.recordSuccess(permit)
            ready()
            return act(core, permit)
          },
          remover: () => {
            const holder = new Holder(of, 2)
            const entry = holder.directory.find('old')
            if (entry === undefined) return false
            remove(holder.hold(entry))
            if (!holder.hasRoomFor('new')) return 'no room'
            call(holder.make('new'))
            return true
          },
        },
        always: () => checkSound(of),
        finally(results, mark) {
          if (results.holder === undefined || results.remover === undefined) mark('one died')
          checkDirectory(of)
          if (results.remover !== true) return
          mark('both')
          const holder = onlooker(of)
          const entry = holder.directory.find('new')
          if (entry === undefined) throw new Violation('the new breaker is not there')
          const { state, generation, window } = snapshotOf(holder.hold(entry))
          check(state === 'closed', `the new one is ${state}`)
          if (results.holder !== 'late') mark('holder first')
          const kept = totalsOf(of, 'old')
          if (results.holder !== undefined && kept !== undefined) {
            const { admitted, succeeded, failed, late } = kept
            check(admitted === succeeded + failed + late, 'the old one has lost a call')
          }
          check(window.failures === 0, `${window.failures} failures of another`)
          check(generation === entry.first, 'transitions of another')
          checkCounts(of, 'new', 1)
        },
      }
    },
  }
}

export const oldHolder = holders(
  'old-fails',
  'who holds a breaker that is gone fails twice: nothing of it in the one that has its record',
  core => {
    const permits = []
    for (let times = 0; times < 2; times++) {
      const permit = core.tryAcquire()
      permits.push(permit)
      if (permit >= 0 && !core.recordFailure(permit)) return 'late'
    }
    return permits.join()
  },
)

export const oldHolderMoves = holders(
  'old-moves',
  'the same where there is room for it: it is made again, in a record of its own',
  core => {
    const permit = core.tryAcquire()
    return permit >= 0 && !core.recordFailure(permit) ? 'late' : permit
  },
  { maxBreakers: 2 },
)

export const oldCarries = holders(
  'old-carries',
  'the same with a call in flight, which is settled when the breaker has moved: none is lost',
  (core, permit) => {
    const next = core.tryAcquire()
    if (next >= 0) core.recordSuccess(next)
    return core.recordSuccess(permit) ? 'counted' : 'late'
  },
  { maxBreakers: 2, inFlight: true },
)

export const oldCommand = holders(
  'old-command',
  'who holds a breaker that is gone forces it open: never the one that has its record',
  core => {
    try {
      carryOutCommand(core, plainCommand(FORCED_OPEN))
    } catch (error) {
      // It is gone, and there is no room to make it again.
      if (!(error instanceof RegistryFullError)) throw error
    }
    return core.cell.first === 0 ? 'commanded' : 'late'
  },
)
