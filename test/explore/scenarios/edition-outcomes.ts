/** Other options while outcomes are recorded: none is lost, and it opens at the right one. */
import { load } from '#atomics'
import { editionOf } from '../../../src/memory/words/state.ts'
import type { SharedOptions } from '../../../src/options/types.ts'
import { snapshotOf } from '../../../src/protocol/look.ts'
import { checkState } from '../build.ts'
import { COUNT, checkEdition, configured, configures, SOONER, someDied } from '../edition-world.ts'
import { ready } from '../machine.ts'
import { checkSound, Holder } from '../removal-world.ts'
import { check, type Scenario } from '../scenario.ts'

export const againstRecorder: Scenario = {
  name: 'config-record',
  about: 'other options while failures are recorded: none is lost, it opens by those in force',
  kills: 1,
  bound: 3,
  marks: ['opens by the new', 'one died', 'overlap'],
  alone: 500,
  set() {
    const made = configured()
    return {
      memory: made.of.memory,
      first: ['recorder', 'config'],
      threads: {
        recorder: () => {
          const core = new Holder(made.of, 1).make('b', COUNT)
          core.recordFailure(core.tryAcquire())
          ready()
          // All is said by then: nothing overlaps.
          const isNew = editionOf(load(core.cell.memory, core.cell.state)) !== 1
          const permit = core.tryAcquire()
          return { isNew, counted: core.recordFailure(permit) }
        },
        config: configures(made, 2, SOONER),
      },
      always() {
        checkSound(made.of)
        checkState(made.core.cell)
      },
      finally(results, mark) {
        const core = checkEdition(made)
        const before = snapshotOf(core)
        if (someDied()) mark('one died')
        const { isNew, counted } = (results.recorder ?? {}) as Record<string, boolean>
        if (results.recorder !== undefined) {
          check(counted === true, 'an outcome of a breaker that has not changed was late')
          check(before.totals.failed === 2 && before.totals.inFlight === 0, 'an outcome was lost')
          if (isNew) check(before.state === 'open', `${before.state} at the second failure`)
          if (isNew) mark('opens by the new')
          if (before.state === 'closed') {
            mark('overlap')
            check(before.window.failures === 2, `${before.window.failures} of 2 in the window`)
            core.recordFailure(core.tryAcquire())
            check(snapshotOf(core).state === 'open', 'closed after a third failure')
          }
        }
      },
    }
  },
}

/** So many outcomes may come without a sum. */
const LAX: SharedOptions = {
  ...COUNT,
  slidingWindow: { type: 'count', size: 8 },
  minimumNumberOfCalls: 8,
}

export const againstStock: Scenario = {
  name: 'config-stock',
  about: 'a sum by options that were replaced meanwhile: nobody relies on what it leaves',
  kills: 1,
  mortal: ['recorder'],
  bound: 2,
  marks: ['open', 'recorder died'],
  alone: 900,
  set() {
    const made = configured(LAX)
    return {
      memory: made.of.memory,
      first: ['recorder', 'config'],
      threads: {
        recorder: () => {
          const core = new Holder(made.of, 1).make('b', LAX)
          const permit = core.tryAcquire()
          ready()
          return core.recordFailure(permit)
        },
        config: () => {
          const holder = new Holder(made.of, 2)
          const core = holder.make('b', LAX)
          core.current()
          ready()
          holder.configure(core, { ...LAX, minimumNumberOfCalls: 3 })
          for (let failure = 0; failure < 3; failure++) {
            const permit = core.tryAcquire()
            if (permit >= 0) core.recordFailure(permit)
          }
          return true
        },
      },
      always() {
        checkSound(made.of)
        checkState(made.core.cell)
      },
      finally({ recorder }, mark) {
        if (recorder === undefined) mark('recorder died')
        const { state, totals } = snapshotOf(checkEdition(made))
        check(state === 'open', `${state} after ${totals.failed} failures of 3`)
        mark('open')
      },
    }
  },
}
