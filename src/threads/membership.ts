/** A thread's slot in a region: claimed with its first registry, given back with its last. */
import { isMainThread } from 'node:worker_threads'
import { enterKernel } from '../kernel/kernel.ts'
import type { Region } from '../memory/region.ts'
import { threadOf } from '../memory/words/threads.ts'
import { Bulletin } from '../news/bulletin.ts'
import { type Cell, isCountedFor, reportDamage } from '../protocol/cell.ts'
import { type Control, ControlDirectory, givesPermits } from '../protocol/control.ts'
import { Directory } from '../protocol/directory.ts'
import { claimSlot, freeSlot, OVERFLOW_SLOT, slotWord, useOverflow } from '../protocol/slots.ts'
import { moveInFlight } from '../protocol/totals.ts'
import { releasePlacesOf } from '../protocol/trials.ts'
import { forgetDeaths, watchDeaths } from './deaths.ts'
import { type Membership, threadState } from './identity.ts'
import { stopKeeper } from './keeper-start.ts'
import { startBeating } from './presence.ts'

/** This thread's membership in the region, which all its registries of that region share. */
export function join(region: Region): Membership {
  const { id, memberships } = threadState()
  watchDeaths(region)
  let membership = memberships.get(region.id)
  if (membership === undefined) {
    const slot = claimSlot(region.memory, region.shape, id)
    const bulletin = new Bulletin(region, id)
    const kernel = enterKernel(region, slot, id.thread, bulletin)
    const stopBeating = startBeating(region, slot, bulletin)
    membership = { slot, users: 0, kernel, bulletin, stopBeating }
    memberships.set(region.id, membership)
  }
  membership.users++
  return membership
}

/**
 * Ends one use. With the last one the slot becomes free; calls still in flight are handed to the
 * overflow shard, where they will be settled.
 */
export function leave(region: Region, membership: Membership): void {
  const { memory, shape } = region
  useOverflow(memory)
  membership.users--
  if (membership.users > 0) return
  const { id, memberships } = threadState()
  memberships.delete(region.id)
  forgetDeaths(region)
  membership.stopBeating()
  if (isMainThread) stopKeeper(memory)
  const { slot } = membership
  if (slot === OVERFLOW_SLOT) return
  const held = slotWord(memory, shape, slot)
  if (threadOf(held).thread !== id.thread) return
  try {
    handOverBreakers(slot, new Directory(region, id).cells())
    handOverControls(slot, new ControlDirectory(region, id).controlsAfter(0))
  } catch {
    reportDamage(memory, 'the directory')
  }
  freeSlot(memory, shape, slot, held)
}

/** Moves what a living thread's slot has in flight to the overflow slot. */
export function handOverBreakers(slot: number, cells: readonly Cell[]): void {
  for (const cell of cells) {
    releasePlacesOf(cell, slot, 'overflow', () => true)
    if (isCountedFor(cell, slot)) moveInFlight(cell, slot)
  }
}

function handOverControls(slot: number, controls: readonly Control[]): void {
  for (const control of controls) if (givesPermits(control)) moveInFlight(control, slot)
}
