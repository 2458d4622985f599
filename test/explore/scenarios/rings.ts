/** The ring of a count window: its wraps, and writers that are laps late. */
import { load, store } from '#atomics'
import { packRing, ringKindOf } from '../../../src/memory/words/windows.ts'
import { Core } from '../../../src/protocol/breaker.ts'
import { snapshotOf } from '../../../src/protocol/look.ts'
import { FAILED_KIND, GOOD } from '../../../src/protocol/window.ts'
import { type World, world } from '../build.ts'
import { check, type Scenario } from '../scenario.ts'

import { outcome } from './window-world.ts'

/** A breaker whose ring has gone around `laps` times, and is full of good outcomes. */
function fullRing(laps: number): World {
  const made = world({ slidingWindow: { type: 'count', size: 60 }, failureRateThreshold: 1 })
  const { memory, cell } = made
  memory[headOf(made)] = ((laps - 1) * cell.shape.ringCapacity) | 0
  outcome(made, 1, GOOD, cell.shape.ringCapacity)()
  return made
}

function headOf({ cell }: World): number {
  return cell.record + cell.shape.head
}

function wrapping(name: string, about: string, laps: number): Scenario {
  return {
    name,
    about: `two records where ${about} wraps: both are in the window`,
    kills: 1,
    marks: ['both'],
    alone: 300,
    set() {
      const made = fullRing(laps)
      const { memory, cell } = made
      return {
        memory,
        threads: { a: outcome(made, 1, FAILED_KIND), b: outcome(made, 2, FAILED_KIND) },
        finally(results, mark) {
          const { window } = snapshotOf(new Core(cell, 1))
          check(window.calls === 60, `${window.calls} outcomes in a window of 60`)
          if (results.a === undefined || results.b === undefined) return
          check(window.failures === 2, `${window.failures} failures of two`)
          mark('both')
        },
      }
    },
  }
}

export const lapWrap = wrapping('ring-wrap', 'the lap of the ring', 512)
export const headWrap = wrapping('ring-head-wrap', 'the index', 2 ** 25)

/** More laps than half of all numbers that a lap can have. */
const LAPS_LATE = 300

function late(name: string, when: string, laps: number): Scenario {
  return {
    name,
    about: `a writer is put aside for ${LAPS_LATE} laps between its index and its word${when}`,
    kills: 1,
    marks: ['finished', 'died'],
    alone: 300,
    set() {
      const made = fullRing(laps)
      const { memory, cell } = made
      const { ringCapacity, ring } = cell.shape
      const place = cell.record + ring
      const lap = laps + LAPS_LATE
      return {
        memory,
        threads: {
          late: outcome(made, 1, FAILED_KIND),
          // What all those records would leave of HEAD and of the place.
          others: () => {
            if (load(memory, headOf(made)) !== laps * ringCapacity + 1) return 'before'
            store(memory, headOf(made), (lap * ringCapacity + 1) | 0)
            store(memory, place, packRing(0, lap, GOOD))
            return 'after'
          },
        },
        finally(results, mark) {
          if (results.others !== 'after') return
          const kind = ringKindOf(load(memory, place), 0, lap)
          check(kind === GOOD, 'a late word stands in the place of a later one')
          mark(results.late === undefined ? 'died' : 'finished')
        },
      }
    },
  }
}

export const lateWriter = late('ring-late', '', 1)
export const lateAtWrap = late('ring-late-wrap', ', where indices become negative', 2 ** 24 - 100)
