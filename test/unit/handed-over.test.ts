/** What becomes of the calls in flight of a thread that gives its slot back. */
import { expect, it } from 'vitest'
import { createRegistry } from '../../src/index.ts'
import { HEADER, TOTAL } from '../../src/memory/layout.ts'
import { attachRegion } from '../../src/memory/region.ts'
import { OPEN } from '../../src/memory/words/state.ts'
import { REFUSED } from '../../src/memory/words/trials.ts'
import { Core } from '../../src/protocol/breaker.ts'
import { shardOf } from '../../src/protocol/cell.ts'
import { carryOutCommand, plainCommand } from '../../src/protocol/command.ts'
import { Directory } from '../../src/protocol/directory.ts'
import { snapshotOf } from '../../src/protocol/look.ts'
import { claimSlot, freeSlot, markDead, OVERFLOW_SLOT, slotWord } from '../../src/protocol/slots.ts'
import { reapMarked } from '../../src/threads/deaths.ts'
import { handOverBreakers } from '../../src/threads/membership.ts'
import { world } from '../explore/build.ts'

const SLOT = 1
const WAIT_MS = 20
const LEASE_MS = 1000

/** The trial's own thread has left; the next holder of its slot is thread 2. */
function leftBehind() {
  const made = world(
    {
      waitDurationInOpenStateMs: WAIT_MS,
      permittedNumberOfCallsInHalfOpenState: 1,
      trialTimeoutMs: LEASE_MS,
    },
    1,
  )
  const { region, memory, cell, clock } = made
  const core = new Core(cell, SLOT)
  carryOutCommand(core, plainCommand(OPEN))
  clock.advance(WAIT_MS)
  const permit = core.tryAcquire()
  expect(permit).toBeGreaterThan(REFUSED)

  handOverBreakers(SLOT, [cell])
  freeSlot(memory, region.shape, SLOT, slotWord(memory, region.shape, SLOT))
  core.moveToOverflow()
  expect(claimSlot(memory, region.shape, { thread: 2, parent: 0 })).toBe(SLOT)
  return { ...made, core, permit }
}

it('the death of the next holder of its slot frees no trial that was left behind', () => {
  const { region, cell, clock, core, permit } = leftBehind()
  markDead(region.memory, region.shape, 2)
  reapMarked(region, () => ({ cells: [cell], controls: [] }))

  expect(core.tryAcquire()).toBe(REFUSED)
  clock.advance(LEASE_MS - 1)
  expect(core.tryAcquire()).toBe(REFUSED)
  expect(snapshotOf(core).state).toBe('half-open')
  expect(core.recordSuccess(permit)).toBe(true)
  expect(snapshotOf(core)).toMatchObject({ state: 'closed', totals: { inFlight: 0, late: 0 } })
})

it('and it ends with its lease', () => {
  const { clock, core, permit } = leftBehind()
  const { generation } = snapshotOf(core)
  clock.advance(LEASE_MS)
  expect(core.recordSuccess(permit)).toBe(false)
  expect(snapshotOf(core)).toMatchObject({ state: 'open', generation: generation + 1 })
})

it('a damaged directory of controls keeps no breaker from being handed over', () => {
  const registry = createRegistry({ clock: 'manual', maxBreakers: 1, maxThreads: 1 })
  const breaker = registry.breaker('b')
  const permit = breaker.tryAcquire()
  const region = attachRegion(registry.handle)
  const [cell] = new Directory(region, { thread: 0, parent: 0 }).cells()
  if (cell === undefined) throw new Error('no breaker')
  const admittedBy = (slot: number) => region.memory.longs[shardOf(cell, slot) / 2 + TOTAL.ADMITTED]
  expect([admittedBy(OVERFLOW_SLOT), admittedBy(SLOT)]).toEqual([0n, 1n])

  region.memory.longs[region.shape.controls.directoryLong] = 0x7fffffffffffffffn
  registry.close()
  expect([admittedBy(OVERFLOW_SLOT), admittedBy(SLOT)]).toEqual([1n, 0n])
  expect(region.memory[HEADER.DAMAGED]).toBe(1)
  breaker.recordSuccess(permit)
  expect(breaker.snapshot().totals).toMatchObject({ admitted: 1, succeeded: 1, inFlight: 0 })
})
