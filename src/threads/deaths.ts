/**
 * Sees worker threads end and gives back what they held: trial places, slots, definitions.
 *
 * Node tells the thread that starts a worker of its exit, once the worker has ended. Nothing needs
 * it to be told soon: leases run out by themselves, and a dead thread's slot only stays taken.
 */
import type { Worker } from 'node:worker_threads'
import type { Region } from '../memory/region.ts'
import { threadOf } from '../memory/words/threads.ts'
import { reapBulkhead } from '../protocol/bulkhead.ts'
import { type Cell, reportDamage } from '../protocol/cell.ts'
import { type Control, ControlDirectory, givesPermits } from '../protocol/control.ts'
import { freeDefinitionsOf } from '../protocol/definitions.ts'
import { Directory } from '../protocol/directory.ts'
import { deadSlots, freeSlot, markDead, slotWord } from '../protocol/slots.ts'
import { abandon } from '../protocol/totals.ts'
import { releasePlacesOf } from '../protocol/trials.ts'
import { threadState } from './identity.ts'

const watched = new Map<string, Region>()
let listening = false

/** Reaps the threads that this one starts from now on, in this region, when they end. */
export function watchDeaths(region: Region): void {
  watched.set(region.id, region)
  if (listening) return
  listening = true
  process.on('worker', watchWorker)
}

export function forgetDeaths(region: Region): void {
  watched.delete(region.id)
}

function watchWorker(worker: Worker): void {
  // Its number is -1 once it has ended.
  const thread = worker.threadId
  worker.once('exit', () => {
    for (const region of watched.values()) {
      try {
        reap(region, thread)
      } catch {
        // Nobody could catch it here, and a dead thread's slot only stays taken.
        reportDamage(region.memory, `no way to reap thread ${thread}`)
      }
    }
  })
}

/** Gives back all that `dead`, and the threads that it had started, held in the region. */
function reap(region: Region, dead: number): void {
  const { memory, shape } = region
  const threads = markDead(memory, shape, dead)
  const held = heldIn(region)
  reapMarked(region, () => held)
  // Those that had no slot may hold these all the same.
  freeDefinitionsOf(memory, shape, threads)
  for (const control of held.controls) reapBulkhead(control, threads)
}

/** Where threads may hold something. */
export interface Held {
  readonly cells: readonly Cell[]
  readonly controls: readonly Control[]
}

function heldIn(region: Region): Held {
  const { id } = threadState()
  return {
    cells: new Directory(region, id).cells(),
    controls: new ControlDirectory(region, id).controlsAfter(0),
  }
}

/**
 * Frees the slots that are marked dead, and what their threads held. `readHeld` is asked after the
 * slots were read: what a dead thread had made is there by then.
 */
export function reapMarked(region: Region, readHeld: () => Held): void {
  const { memory, shape } = region
  const slots = deadSlots(memory, shape)
  if (slots.size === 0) return
  const { cells, controls } = readHeld()
  freeDefinitionsOf(memory, shape, new Set([...slots.values()].map(word => threadOf(word).thread)))
  for (const [slot, word] of slots) {
    const stillHeld = (): boolean => slotWord(memory, shape, slot) === word
    for (const cell of cells) {
      releasePlacesOf(cell, slot, 'free', stillHeld)
      abandon(cell, slot, stillHeld)
    }
    const dead = new Set([threadOf(word).thread])
    for (const control of controls) {
      reapBulkhead(control, dead)
      if (givesPermits(control)) abandon(control, slot, stillHeld)
    }
    freeSlot(memory, shape, slot, word)
  }
}
