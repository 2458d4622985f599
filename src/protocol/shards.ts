/** One thread's share of a breaker. */
import { isLive, threadOf } from '../memory/words/threads.ts'
import type { Cell } from './cell.ts'
import { OVERFLOW_SLOT, slotsInUse, slotWord } from './slots.ts'
import { inFlightIn, readShard, type Totals } from './totals.ts'

/** What was counted in one slot. The counts go on when the slot changes hands. */
export interface ShardSnapshot extends Totals {
  /** 0: the slot that threads share for which there was none left. */
  slot: number
  /** The `threadId` of who holds it; undefined when nobody does, and of slot 0. */
  thread: number | undefined
}

/** Every slot that was ever taken. Cost: ten loads each. */
export function shardsOf(cell: Cell): ShardSnapshot[] {
  const length = slotsInUse(cell.memory, cell.region) + 1
  return Array.from({ length }, (_, slot) => {
    const totals = readShard(cell, slot)
    const word = slot === OVERFLOW_SLOT ? 0n : slotWord(cell.memory, cell.region, slot)
    const thread = isLive(word) ? threadOf(word).thread : undefined
    return { slot, thread, ...totals, inFlight: inFlightIn(totals) }
  })
}
