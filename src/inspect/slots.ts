/** Who holds which slot, and whether their event loops turned. */
import { load, load64 } from '#atomics'
import type { Memory } from '../memory/atomics.ts'
import { LINE_WORDS } from '../memory/layout.ts'
import type { RegionShape } from '../memory/region-shape.ts'
import {
  epochOf,
  FIRST_NATIVE_THREAD,
  isDead,
  isLive,
  NO_PARENT,
  threadOf,
} from '../memory/words/threads.ts'

/** Beats are tenths of a second, from 1 on. */
export const BEAT_UNIT_MS = 100

export interface SlotView {
  readonly slot: number
  /** Dead: its thread is known to have ended, and nobody has given the slot back. */
  readonly state: 'free' | 'live' | 'dead'
  readonly thread: number | null
  /** A thread that is not Node's. */
  readonly native: boolean
  /** The thread that started it; null where that is not known. */
  readonly parent: number | null
  /** How often it was taken, modulo 2^11. */
  readonly epoch: number
  /** In ms, since its event loop last turned; null: of none that says so by this clock. */
  readonly silentMs: number | null
}

/** Slots 1 and above. `now`: undefined where the clock is manual, by which no loop turns. */
export function slotViewsOf(
  memory: Memory,
  region: RegionShape,
  now: number | undefined,
): SlotView[] {
  return Array.from({ length: region.maxThreads }, (_, index) => {
    const view = holderOf(memory, region, index + 1)
    const isLoop = view.state !== 'free' && !view.native && now !== undefined
    return { ...view, silentMs: isLoop ? silenceOf(memory, region, view.slot, now) : null }
  })
}

function holderOf(memory: Memory, region: RegionShape, slot: number): Omit<SlotView, 'silentMs'> {
  const word = load64(memory, region.threadsLong + slot)
  const epoch = epochOf(word)
  if (!isLive(word)) {
    return { slot, state: 'free', thread: null, native: false, parent: null, epoch }
  }
  const { thread, parent } = threadOf(word)
  const dead = isDead(word)
  return {
    slot,
    state: dead ? 'dead' : 'live',
    thread,
    native: thread >= FIRST_NATIVE_THREAD,
    parent: dead || parent === NO_PARENT ? null : parent,
    epoch,
  }
}

function silenceOf(memory: Memory, region: RegionShape, slot: number, now: number): number | null {
  const beat = load(memory, region.presence + slot * LINE_WORDS)
  if (beat === 0) return null
  const tenths = (Math.floor(now / BEAT_UNIT_MS) + 1 - beat) | 0
  return Math.max(0, tenths) * BEAT_UNIT_MS
}
