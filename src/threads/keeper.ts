/**
 * The keeper: the entry of a thread that does nothing but this. It moves the TICK word on, so that
 * other threads may go without their clocks (time/monotonic.ts), and now and then sees to what is
 * due although nobody asks (upkeep.ts). Nothing needs it.
 *
 * While it lives TICK says asleep or ticking, and it moves the word by CAS only. Who ends it stores
 * that there is no keeper, which it finds at its next look; nobody takes that back.
 *
 * It sleeps while nobody makes use of it, and is woken by the thread that finds it asleep while it
 * is busy. Should that one die before it notifies, the keeper wakes within a second by itself.
 */
import { workerData } from 'node:worker_threads'
import { compareExchange, load, store, wait } from '#atomics'
import { HEADER } from '../memory/layout.ts'
import { attachRegion } from '../memory/region.ts'
import { ASLEEP, isTicking, NO_KEEPER, nextTick } from '../memory/words/tick.ts'
import { reportDamage } from '../protocol/cell.ts'
import { Upkeep } from './upkeep.ts'

/** Milliseconds. */
const UPKEEP_INTERVAL = 100
const QUIET_UNTIL_ASLEEP = 100
const SLEEP = 1000

const region = attachRegion(workerData)
const { memory, clock, tickMs } = region
const upkeep = new Upkeep(region)
let nextRound = 0

/** False when the word was not the keeper's any more: then it ends. */
function move(from: number, to: number): boolean {
  // ATOMIC keeper.tick
  //   observes:  its own last tick, or a waker's first (pairs with monotonic.wake).
  //   publishes: that time goes on.
  //   loses to:  who stops the keeper.
  //   dies here: the word stays; threads look at their clocks and trust it no more.
  //   wraps:     at 2^30 ticks, 62 days of 5 ms: a thread that slept so long looks soon.
  return compareExchange(memory, HEADER.TICK, from, to) === from
}

function isQuiet(): boolean {
  // ATOMIC keeper.quiet
  //   observes: whether a thread has seen a tick since the last look (pairs with monotonic.active).
  //   loses to: a thread that says so in between: it says so again at its next tick.
  if (load(memory, HEADER.ACTIVE) === 0) return true
  store(memory, HEADER.ACTIVE, 0)
  return false
}

function lookAfter(): void {
  if (clock.now() < nextRound) return
  nextRound = clock.current + UPKEEP_INTERVAL
  try {
    upkeep.round()
  } catch {
    reportDamage(memory, 'the directory')
    nextRound = Number.POSITIVE_INFINITY
  }
}

/** Ticks until nobody has made use of it for a while. The word that it leaves behind. */
function tickWhileUsed(first: number): number {
  let tick = first
  let quietMs = 0
  while (quietMs < QUIET_UNTIL_ASLEEP) {
    wait(memory, HEADER.TICK, tick, tickMs)
    const next = nextTick(tick)
    if (!move(tick, next)) return NO_KEEPER
    tick = next
    quietMs = isQuiet() ? quietMs + tickMs : 0
    lookAfter()
  }
  return move(tick, ASLEEP) ? ASLEEP : NO_KEEPER
}

function sleepUntilUsed(): number {
  while (load(memory, HEADER.TICK) === ASLEEP) {
    wait(memory, HEADER.TICK, ASLEEP, SLEEP)
    lookAfter()
  }
  return load(memory, HEADER.TICK)
}

let word = load(memory, HEADER.TICK)
while (isTicking(word) || word === ASLEEP) {
  word = isTicking(word) ? tickWhileUsed(word) : sleepUntilUsed()
}
