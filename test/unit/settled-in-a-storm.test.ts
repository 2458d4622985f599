/** Outcomes while a breaker is given other options faster than they can be read: none is lost. */
import { beforeEach, expect, it } from 'vitest'
import { createRegistry, REFUSED } from '../../src/index.ts'
import { load } from '../../src/memory/atomics.ts'
import { attachRegion } from '../../src/memory/region.ts'
import { OPEN, stateOf } from '../../src/memory/words/state.ts'
import { encodeName } from '../../src/options/breaker.ts'
import { Core } from '../../src/protocol/breaker.ts'
import type { Cell } from '../../src/protocol/cell.ts'
import { cellOf, Directory, type Entry } from '../../src/protocol/directory.ts'
import { type Home, raiseEdition } from '../../src/protocol/follower.ts'
import { readTotals } from '../../src/protocol/totals.ts'

const NOBODY = { thread: 0, parent: 0 }
const SLOT = 1

let core: Core
/** Gives the breaker options again, and says so. */
let configure: () => void

beforeEach(() => {
  const registry = createRegistry({ clock: 'manual', maxBreakers: 2, maxThreads: 2, keeper: false })
  registry.breaker('b', { slidingWindow: { type: 'consecutive', failures: 3 } })
  const region = attachRegion(registry.handle)
  const directory = new Directory(region, NOBODY)
  const look = (): Cell => cellOf(region, directory.at(0) as Entry, NOBODY)
  configure = () => {
    const entry = directory.at(0)
    if (entry === undefined) throw new Error('no breaker')
    expect(directory.replace(entry, encodeName('b'), entry.numbers)).toBe(true)
    raiseEdition(look())
  }
  // Whatever is found has been replaced when it is used.
  const home: Home = {
    slotOf: () => SLOT,
    look: () => {
      const found = look()
      configure()
      return found
    },
    again: ({ cell }) => cell,
    warn: () => {},
  }
  core = new Core(look(), SLOT, home)
})

it('each counts as what it is, and opens the breaker in its turn', () => {
  const permits = Array.from({ length: 5 }, () => core.tryAcquire())
  expect(permits).toEqual([0, 0, 0, 0, 0])
  configure()
  core.release(permits[0] ?? REFUSED)
  expect(core.recordSuccess(permits[1] ?? REFUSED)).toBe(true)
  for (const permit of permits.slice(2)) expect(core.recordFailure(permit)).toBe(true)
  const counts = { admitted: 5, ignored: 1, succeeded: 1, failed: 3, late: 0, inFlight: 0 }
  expect(readTotals(core.cell)).toMatchObject(counts)
  expect(stateOf(load(core.cell.memory, core.cell.state))).toBe(OPEN)
})
