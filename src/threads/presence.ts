/**
 * Once a second a thread's event loop says that it turns, for people to see which are stuck, and
 * reads on in the journal. No timer of these keeps a process alive, and nothing else needs them.
 */
import { load, store } from '#atomics'
import { HEADER, LINE_WORDS } from '../memory/layout.ts'
import type { Region } from '../memory/region.ts'
import { FIRST_NATIVE_THREAD, isDead, isLive, threadOf } from '../memory/words/threads.ts'
import type { Bulletin } from '../news/bulletin.ts'
import { OVERFLOW_SLOT, slotsInUse, slotWord } from '../protocol/slots.ts'

const BEAT_INTERVAL_MS = 1000

/** Beats are tenths of a second of the region's clock, from 1 on: 32 bits of them are 13 years. */
const BEAT_UNIT_MS = 100

function beatOf(now: number): number {
  return Math.floor(now / BEAT_UNIT_MS) + 1
}

/** A loop that has not turned for so long is called silent. */
const SILENT_AFTER_MS = 3000

function beatWord(region: Region, slot: number): number {
  return region.shape.presence + slot * LINE_WORDS
}

/** Begins to beat; what ends it. */
export function startBeating(region: Region, slot: number, bulletin: Bulletin): () => void {
  const beat = (): void => {
    if (slot === OVERFLOW_SLOT) return
    // ATOMIC presence.beat
    //   publishes: that this thread's loop turns, for people.
    //   wraps:     at 2^32 tenths of a second: a thread silent for 6 years seems to have turned.
    store(region.memory, beatWord(region, slot), beatOf(region.clock.now()))
  }
  beat()
  const timer = setInterval(() => {
    beat()
    bulletin.look()
  }, BEAT_INTERVAL_MS)
  timer.unref()
  return () => clearInterval(timer)
}

/** A thread that holds a slot. */
export interface SlotSnapshot {
  slot: number
  /** Node's `threadId`; native threads have numbers from 2^25 on. */
  thread: number
  /**
   * `'silent'`: its event loop has not turned for 3 s: it is stuck, or it is an idle thread of a
   * pool that waits in `Atomics.wait`. Native threads are always `'live'`. `'dead'`: its end was
   * seen, and what it held is about to be given back.
   */
  state: 'live' | 'silent' | 'dead'
  /** Milliseconds since its event loop last turned, to within about a second. */
  silentMs: number
}

/** All threads that hold one, by slot. Cost: two loads each. */
export function slotSnapshots(region: Region): SlotSnapshot[] {
  const { memory, shape } = region
  const now = beatOf(region.clock.now())
  const found: SlotSnapshot[] = []
  for (let slot = 1; slot <= slotsInUse(memory, shape); slot++) {
    const word = slotWord(memory, shape, slot)
    if (!isLive(word)) continue
    const { thread } = threadOf(word)
    const beat = load(memory, beatWord(region, slot))
    const beats = beat !== 0 && thread < FIRST_NATIVE_THREAD && !region.manualClock
    const silentMs = beats ? Math.max(0, (now - beat) | 0) * BEAT_UNIT_MS : 0
    const state = isDead(word) ? 'dead' : silentMs > SILENT_AFTER_MS ? 'silent' : 'live'
    found.push({ slot, thread, state, silentMs })
  }
  return found
}

/** Threads that found no slot free since the region was made. */
export function threadsWithoutSlot(region: Region): number {
  return load(region.memory, HEADER.THREADS_WITHOUT_SLOT) >>> 0
}
