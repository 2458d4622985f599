/**
 * Sees worker threads end and gives back what they held: trial places, slots, definitions.
 *
 * Node tells the thread that starts a worker of its exit, once the worker has ended. Nothing needs
 * it to be told soon: leases run out by themselves, and a dead thread's slot only stays taken.
 */
import type { Worker } from 'node:worker_threads'
import type { Region } from '../memory/region.ts'
import { threadOf } from '../memory/words/threads.ts'
import { type Cell, reportDamage } from '../protocol/cell.ts'
import { Directory, freeDefinitionsOf } from '../protocol/directory.ts'
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
  reapMarked(region, new Directory(region, threadState().id).cells())
  // Those that had no slot may hold a definition all the same.
  freeDefinitionsOf(memory, shape, threads)
}

/** Frees the slots that are marked dead, and what their threads held in `cells`. */
export function reapMarked(region: Region, cells: readonly Cell[]): void {
  const { memory, shape } = region
  const slots = deadSlots(memory, shape)
  if (slots.size === 0) return
  freeDefinitionsOf(memory, shape, new Set([...slots.values()].map(word => threadOf(word).thread)))
  for (const [slot, word] of slots) {
    const stillHeld = (): boolean => slotWord(memory, shape, slot) === word
    for (const cell of cells) {
      releasePlacesOf(cell, slot, 'free', stillHeld)
      abandon(cell, slot, stillHeld)
    }
    freeSlot(memory, shape, slot, word)
  }
}
