/**
 * The TICK word. Pure functions, no memory.
 *
 *   TICK   32 bits   0 = no keeper, -1 = asleep, else the number of the tick in [1, 2^30]
 */

export const NO_KEEPER = 0
export const ASLEEP = -1
export const FIRST_TICK = 1

export const LAST_TICK = 2 ** 30

export function nextTick(tick: number): number {
  return tick < LAST_TICK ? tick + 1 : FIRST_TICK
}

export type KeeperState = 'none' | 'asleep' | 'awake'

export function keeperStateOf(tick: number): KeeperState {
  if (tick === ASLEEP) return 'asleep'
  return isTicking(tick) ? 'awake' : 'none'
}

/** Whether the word is that of a keeper at work. */
export function isTicking(tick: number): boolean {
  return tick >= FIRST_TICK && tick <= LAST_TICK
}
