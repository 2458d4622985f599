/** One breaker as the protocol sees it: where its words are and what its options say. */
import { add } from '#atomics'
import type { Memory } from '../memory/atomics.ts'
import { HEADER, OPTION, RECORD, type RecordShape, TALLY_WORDS } from '../memory/layout.ts'
import type { RegionShape } from '../memory/region-shape.ts'
import type { SharedNumbers } from '../options/shared.ts'
import type { Clock } from '../time/clock.ts'

/** Whom this thread tells of transitions. Neither runs any of the users' code. */
export interface News {
  /** Whether somebody in this thread listens to that breaker, by its number in the directory. */
  listensTo(breaker: number): boolean
  /** A generation that this thread had not seen has begun. */
  notice(): void
}

/** Of a thread in which nobody ever listens. */
export const NO_NEWS: News = Object.freeze({ listensTo: () => false, notice() {} })

/** The thread, and the region as it sees it. */
export interface Place {
  readonly memory: Memory
  readonly clock: Clock
  readonly region: RegionShape
  readonly seed: number
  /** The thread's number. */
  readonly thread: number
  readonly news: News
}

/** Made once for each thread and breaker; nothing in it changes. */
export interface Cell {
  readonly memory: Memory
  readonly clock: Clock
  readonly region: RegionShape
  readonly thread: number
  readonly news: News
  /** Its number in the directory. */
  readonly breaker: number
  readonly shape: RecordShape
  readonly numbers: SharedNumbers
  /** Seeds the jitter: the same in every thread, another one for each breaker. */
  readonly seed: number
  /** When the breaker was made, in ms of the registry's clock. */
  readonly createdAt: number
  /** The record's start, in words and in longs. */
  readonly record: number
  readonly recordLong: number
  /** The word that every call reads. */
  readonly state: number
  readonly trials: number
  readonly trialTimeoutMs: number
  /** 0: one failed trial opens. */
  readonly trialFailureRate: number
}

/** A breaker as the directory says it. */
export interface Placement {
  /** Its number in the directory. */
  readonly number: number
  readonly shape: RecordShape
  readonly numbers: SharedNumbers
  readonly record: number
  readonly createdAt: number
}

export function makeCell(place: Place, placement: Placement): Cell {
  const { numbers, record } = placement
  return Object.freeze({
    memory: place.memory,
    clock: place.clock,
    region: place.region,
    thread: place.thread,
    news: place.news,
    breaker: placement.number,
    shape: placement.shape,
    numbers,
    seed: (place.seed ^ Math.imul(record, 0x9e3779b1)) | 0,
    createdAt: placement.createdAt,
    record,
    recordLong: record / 2,
    state: record + RECORD.STATE,
    trials: numbers[OPTION.TRIALS] as number,
    trialTimeoutMs: trialTimeoutMsOf(numbers),
    trialFailureRate: numbers[OPTION.TRIAL_FAILURE_RATE] as number,
  })
}

/** A trial that hangs is a slow one, which has failed: its lease ends right after the threshold. */
function trialTimeoutMsOf(numbers: SharedNumbers): number {
  const timeoutMs = numbers[OPTION.TRIAL_TIMEOUT_MS] as number
  if (numbers[OPTION.HANGING] === 0) return timeoutMs
  return Math.min(timeoutMs, (numbers[OPTION.SLOW_DURATION_MS] as number) + 0.001)
}

/** A record with shards, a breaker's or a control's: what counting needs to know of it. */
export interface Sharded {
  readonly memory: Memory
  readonly region: RegionShape
  readonly record: number
  /** The word that holds its generation. */
  readonly state: number
  readonly shape: {
    readonly shards: number
    readonly overflowWords: number
    readonly shardWords: number
    readonly buckets: number
  }
}

/** The start of a slot's shard, in words. */
export function shardOf(of: Sharded, slot: number): number {
  const { shards, overflowWords, shardWords } = of.shape
  const owned = slot > 0 ? overflowWords + (slot - 1) * shardWords : 0
  return of.record + shards + owned
}

/** The start of a slot's tally, in longs. */
export function tallyOf(cell: Cell, slot: number): number {
  return (cell.record + cell.shape.tallies + slot * TALLY_WORDS) / 2
}

let warned = false

/**
 * A word held something that no thread of this version writes. The call goes on as if there were no
 * breaker (fail open); the damage is counted, and reported once by each thread.
 */
export function reportDamage(memory: Memory, what: string): void {
  // ATOMIC cell.damaged
  //   publishes: one damaged word more, for people.
  add(memory, HEADER.DAMAGED, 1)
  if (warned) return
  warned = true
  process.emitWarning(`busbar: damaged shared memory: ${what}; calls may go unguarded`)
}
