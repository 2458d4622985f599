/**
 * Totals since the breaker was made, a set of 64-bit counters in each shard (P6). Their owner
 * counts them plainly: no decision about a call reads them. Who looks for a breaker that is idle
 * does (idle.ts), and a call that it has not seen yet is late. In the overflow shard, which has
 * many writers, they are counted atomically.
 *
 * A shard's counters go on when its slot changes hands, so nothing is folded and nothing can be
 * folded twice; a dead thread's calls in flight become `abandoned`.
 */
import { add64, compareExchange64, count, counterWord, load64 } from '#atomics'
import type { Memory } from '../memory/atomics.ts'
import { TALLY, TOTAL } from '../memory/layout.ts'
import { FORCED_OPEN, HALF_OPEN } from '../memory/words/state.ts'
import { type Cell, isCountedFor, type Sharded, shardOf, tallyOf } from './cell.ts'
import { OVERFLOW_SLOT, slotsInUse } from './slots.ts'

/** What a shard of any record counts. */
export interface Counters {
  admitted: number
  succeeded: number
  failed: number
  slow: number
  ignored: number
  late: number
  abandoned: number
  refused: number
}

/** What a breaker's shard counts. */
export interface ShardTotals extends Counters {
  /** Of those refused. */
  refusedHalfOpen: number
  refusedForcedOpen: number
  /** Timeouts that fired late because this thread's own loop was blocked. */
  localStalls: number
}

export interface Totals extends ShardTotals {
  inFlight: number
}

const COUNTER_NAMES = [
  'admitted',
  'succeeded',
  'failed',
  'slow',
  'ignored',
  'late',
  'abandoned',
  'refused',
] as const

/** In the order in which people read them. */
export const TOTAL_NAMES = [
  ...COUNTER_NAMES,
  'refusedHalfOpen',
  'refusedForcedOpen',
  'localStalls',
] as const

/** Where a slot's counters of one breaker start, in longs. */
function totalsOf(of: Sharded, slot: number): number {
  return shardOf(of, slot) / 2
}

/** What `countOne` is to be given: the counter of a total, negated where many threads write it. */
export function counterOf(of: Sharded, slot: number, total: number): number {
  return counterAt(slot, totalsOf(of, slot) + total)
}

/** The same for any counter of a slot. */
function counterAt(slot: number, long: number): number {
  return slot === OVERFLOW_SLOT ? ~long : counterWord(long)
}

/** The counter of calls refused in that state: open, half-open or forced-open. */
export function refusalsOf(cell: Cell, slot: number, state: number): number {
  const long = REFUSAL_LONGS[state]
  if (long === undefined) return counterOf(cell, slot, TOTAL.REFUSED)
  return counterAt(slot, tallyOf(cell, slot) + long)
}

/** States in which few calls are refused have counters of their own. */
const REFUSAL_LONGS: Readonly<Record<number, number>> = {
  [HALF_OPEN]: TALLY.REFUSED_HALF_OPEN,
  [FORCED_OPEN]: TALLY.REFUSED_FORCED_OPEN,
}

/** One timeout more that fired late because this thread's own loop was blocked. */
export function countLocalStall(cell: Cell, slot: number): void {
  countOne(cell.memory, counterAt(slot, tallyOf(cell, slot) + TALLY.LOCAL_STALLS))
}

/** Counts one more. */
export function countOne(memory: Memory, counter: number): void {
  if (counter >= 0) count(memory, counter)
  else countShared(memory, ~counter)
}

function countShared(memory: Memory, long: number): void {
  // ATOMIC totals.count
  //   publishes: one more, for people. In other shards plainly, by their only writer.
  add64(memory, long, 1n)
}

/** The totals of one slot's shard, of whatever record, without what only breakers count. */
export function readCounters(of: Sharded, slot: number): Counters {
  const start = totalsOf(of, slot)
  const at = (total: number): number => Number(load64(of.memory, start + total))
  return {
    admitted: at(TOTAL.ADMITTED),
    succeeded: at(TOTAL.SUCCEEDED),
    failed: at(TOTAL.FAILED),
    slow: at(TOTAL.SLOW),
    ignored: at(TOTAL.IGNORED),
    late: at(TOTAL.LATE),
    abandoned: at(TOTAL.ABANDONED),
    refused: at(TOTAL.REFUSED),
  }
}

/** The same over all shards. Exact when nobody records meanwhile. */
export function sumCounters(of: Sharded): Counters {
  const sum = readCounters(of, OVERFLOW_SLOT)
  const slots = slotsInUse(of.memory, of.region)
  for (let slot = 1; slot <= slots; slot++) {
    const shard = readCounters(of, slot)
    for (const name of COUNTER_NAMES) sum[name] += shard[name]
  }
  return sum
}

const NONE: ShardTotals = Object.freeze(
  Object.fromEntries(TOTAL_NAMES.map(name => [name, 0])) as unknown as ShardTotals,
)

/** The totals of one slot's shard of a breaker. */
export function readShard(cell: Cell, slot: number): ShardTotals {
  if (!isCountedFor(cell, slot)) return NONE
  const tally = (long: number): number => Number(load64(cell.memory, tallyOf(cell, slot) + long))
  const refusedHalfOpen = tally(TALLY.REFUSED_HALF_OPEN)
  const refusedForcedOpen = tally(TALLY.REFUSED_FORCED_OPEN)
  const counters = readCounters(cell, slot)
  return {
    ...counters,
    refused: counters.refused + refusedHalfOpen + refusedForcedOpen,
    refusedHalfOpen,
    refusedForcedOpen,
    localStalls: tally(TALLY.LOCAL_STALLS),
  }
}

/** The totals over all shards. Exact when nobody records meanwhile. */
export function readTotals(cell: Cell): Totals {
  const sum = { ...readShard(cell, OVERFLOW_SLOT) }
  const slots = slotsInUse(cell.memory, cell.region)
  for (let slot = 1; slot <= slots; slot++) {
    const shard = readShard(cell, slot)
    for (const name of TOTAL_NAMES) sum[name] += shard[name]
  }
  return { ...sum, inFlight: inFlightIn(sum) }
}

/** Permits that were made up or used twice count as late without having been admitted. */
export function inFlightIn(of: Counters): number {
  const settled = of.succeeded + of.failed + of.ignored + of.late + of.abandoned
  return Math.max(0, of.admitted - settled)
}

/** Permits that a shard gave and has not seen settled. */
export function inFlightOf(cell: Sharded, slot: number): bigint {
  const start = totalsOf(cell, slot)
  const at = (total: number): bigint => load64(cell.memory, start + total)
  const settled = at(TOTAL.SUCCEEDED) + at(TOTAL.FAILED) + at(TOTAL.IGNORED) + at(TOTAL.LATE)
  return at(TOTAL.ADMITTED) - settled - at(TOTAL.ABANDONED)
}

/**
 * Turns a dead thread's calls in flight into abandoned ones. Whoever does it twice does nothing the
 * second time. `stillHeld` is asked after the counters were read and before the word is replaced.
 */
export function abandon(cell: Sharded, slot: number, stillHeld: () => boolean): void {
  // ATOMIC totals.abandon
  //   observes:  counters that nobody writes any more, while the slot is still the dead thread's.
  //   publishes: its calls in flight as abandoned.
  //   loses to:  another reaper, which computed the same number.
  //   dies here: the slot is not free yet, so the next reaper comes by.
  const at = totalsOf(cell, slot) + TOTAL.ABANDONED
  const before = load64(cell.memory, at)
  const inFlight = inFlightOf(cell, slot)
  if (inFlight <= 0n || !stillHeld()) return
  compareExchange64(cell.memory, at, before, before + inFlight)
}

/**
 * Moves the calls in flight of a living thread, which gives its slot back, to the overflow shard,
 * where they will be settled.
 */
export function moveInFlight(cell: Sharded, slot: number): void {
  // ATOMIC totals.move
  //   publishes: the same sum over both shards.
  //   dies here: between the two the calls become abandoned, and stay in flight as well.
  const inFlight = inFlightOf(cell, slot)
  add64(cell.memory, totalsOf(cell, OVERFLOW_SLOT) + TOTAL.ADMITTED, inFlight)
  add64(cell.memory, totalsOf(cell, slot) + TOTAL.ADMITTED, -inFlight)
}
