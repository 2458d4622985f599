/**
 * Slots: a thread's place in a region. A slot word is { live, epoch, thread, parent }; who holds
 * the slot stands in the very word that claims it, so there is no claim without a name to it.
 *
 * 1. One CAS claims a free slot, so one thread has it.
 * 2. Only a thread's exit, seen by the thread that started it, makes it dead. Node announces an
 *    exit after the thread has ended, so a dead thread writes no more, and its slot can be reused
 *    at once. A slot that nobody can prove dead stays taken.
 * 3. A dead thread took those that it had started with it, so these are dead as well.
 * 4. Who knows of a death marks the slot word; whoever finds the mark may reap. This can be done by
 *    several threads at once, and again from the start by another when a reaper dies: each step
 *    checks that the slot word is still the dead thread's, then CASes from what it read before the
 *    check. The word itself is freed last.
 */
import { add, compareExchange, compareExchange64, load, load64, store } from '#atomics'
import type { Memory } from '../memory/atomics.ts'
import { HEADER } from '../memory/layout.ts'
import type { RegionShape } from '../memory/region-shape.ts'
import {
  epochOf,
  isDead,
  isLive,
  markedDead,
  packThread,
  type ThreadId,
  threadOf,
} from '../memory/words/threads.ts'

/** The slot that all threads share for which there was none left. */
export const OVERFLOW_SLOT = 0

/** Claims a free slot for the calling thread; OVERFLOW_SLOT when there is none. */
export function claimSlot(memory: Memory, region: RegionShape, id: ThreadId): number {
  for (let slot = 1; slot <= region.maxThreads; slot++) {
    const at = region.threadsLong + slot
    const found = load64(memory, at)
    if (isLive(found)) continue
    raiseSlotsUsed(memory, slot)
    // ATOMIC slots.claim
    //   observes:  a free slot (pairs with slots.free).
    //   publishes: who holds it.
    //   loses to:  another claimer: try the next slot.
    //   dies here: after the CAS the slot is reaped like any dead thread's.
    //   wraps:     11 bits of epoch, and thread numbers are never used twice.
    const mine = packThread(true, epochOf(found) + 1, id)
    if (compareExchange64(memory, at, found, mine) === found) return slot
  }
  useOverflow(memory)
  // ATOMIC slots.none
  //   publishes: one thread more that has no slot, for people.
  add(memory, HEADER.THREADS_WITHOUT_SLOT, 1)
  return OVERFLOW_SLOT
}

/** Sums look at slots 1 to SLOTS_USED only. Raised before a slot beyond is claimed. */
function raiseSlotsUsed(memory: Memory, slot: number): void {
  for (let attempt = 0; attempt <= slot; attempt++) {
    // ATOMIC slots.raise
    //   publishes: that sums must look at this slot.
    //   loses to:  another raise: each one is at least one step, so `slot` attempts suffice.
    const used = load(memory, HEADER.SLOTS_USED)
    if (used >= slot) return
    if (compareExchange(memory, HEADER.SLOTS_USED, used, slot) === used) return
  }
}

/** The highest slot that was ever claimed, or is about to be. */
export function slotsInUse(memory: Memory, region: RegionShape): number {
  return Math.min(load(memory, HEADER.SLOTS_USED), region.maxThreads)
}

/** From now on sums look at the overflow shards too. */
export function useOverflow(memory: Memory): void {
  // ATOMIC slots.overflow
  //   publishes: what never changes back, before the caller records there.
  store(memory, HEADER.OVERFLOW_USED, 1)
}

export function slotWord(memory: Memory, region: RegionShape, slot: number): bigint {
  return load64(memory, region.threadsLong + slot)
}

/** Frees the slot if its word is still `held`. */
export function freeSlot(memory: Memory, region: RegionShape, slot: number, held: bigint): void {
  // ATOMIC slots.free
  //   publishes: a free slot with the same epoch.
  //   loses to:  another reaper.
  const free = packThread(false, epochOf(held), { thread: 0, parent: 0 })
  compareExchange64(memory, region.threadsLong + slot, held, free)
}

/** Marks the slots of `dead` and of the threads that it had started; returns who they are. */
export function markDead(memory: Memory, region: RegionShape, dead: number): Set<number> {
  const slots = [...slotsOf(memory, region, dead)]
  // Descendants first: they are found by way of a parent that is not marked yet.
  for (const [slot, word] of slots.reverse()) {
    // ATOMIC slots.mark
    //   observes:  the word of a thread that has ended.
    //   publishes: that anybody may reap it.
    //   loses to:  another thread that knows of the death.
    //   dies here: as if this thread had not been told; its own death will be.
    compareExchange64(memory, region.threadsLong + slot, word, markedDead(word))
  }
  return new Set([dead, ...slots.map(([, word]) => threadOf(word).thread)])
}

/** The slots that are marked dead. */
export function deadSlots(memory: Memory, region: RegionShape): Map<number, bigint> {
  const found = new Map<number, bigint>()
  for (let slot = 1; slot <= slotsInUse(memory, region); slot++) {
    const word = slotWord(memory, region, slot)
    if (isDead(word)) found.set(slot, word)
  }
  return found
}

/** The slots of `dead` and of those that it had started, directly or not, ancestors first. */
function slotsOf(memory: Memory, region: RegionShape, dead: number): Map<number, bigint> {
  const found = new Map<number, bigint>()
  const slots = slotsInUse(memory, region)
  let parents = new Set<number>()
  // Each round finds the children of the round before, or is the last.
  for (let round = 0; round <= slots; round++) {
    const threads = new Set<number>()
    for (let slot = 1; slot <= slots; slot++) {
      const word = slotWord(memory, region, slot)
      const { thread, parent } = threadOf(word)
      const isNext = round === 0 ? thread === dead : parents.has(parent)
      if (!isLive(word) || !isNext || found.has(slot)) continue
      found.set(slot, word)
      threads.add(thread)
    }
    if (round === 0) threads.add(dead)
    if (threads.size === 0) break
    parents = threads
  }
  return found
}

/** How many slots are taken. */
export function liveSlots(memory: Memory, region: RegionShape): number {
  let live = 0
  for (let slot = 1; slot <= slotsInUse(memory, region); slot++) {
    if (isLive(slotWord(memory, region, slot))) live++
  }
  return live
}
