/** One breaker as the protocol sees it: where its words are and what its options say. */
import { add, load } from '#atomics'
import type { Memory } from '../memory/atomics.ts'
import {
  HEADER,
  MAX_TRIALS,
  OPTION,
  RECORD,
  type RecordShape,
  TALLY,
  TALLY_WORDS,
} from '../memory/layout.ts'
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

/** Made for each thread and breaker, anew when its options change; nothing in it does. */
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
  readonly name: string
  /** What it was made with, and what group of keyed breakers it belongs to: to make it again. */
  readonly made: SharedNumbers
  readonly maxKeys: number
  readonly prefixLength: number
  /** The word of its entry in the directory when this was made; where it stands. */
  readonly entry: bigint
  readonly entryLong: number
  /** The first generation of the record that is this breaker's. */
  readonly first: number
  /** No wait and no trial's lease takes longer, by whatever options it has had, in ms. */
  readonly longestWaitMs: number
  readonly longestLeaseMs: number
  /** Nor has it more trials at a time. */
  readonly mostTrials: number
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
  readonly name: string
  readonly made: SharedNumbers
  readonly maxKeys: number
  readonly prefixLength: number
  readonly word: bigint
  readonly long: number
  readonly first: number
  readonly longestWaitMs: number
  readonly longestLeaseMs: number
  readonly mostTrials: number
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
    name: placement.name,
    made: placement.made,
    maxKeys: placement.maxKeys,
    prefixLength: placement.prefixLength,
    entry: placement.word,
    entryLong: placement.long,
    first: placement.first,
    longestWaitMs: placement.longestWaitMs,
    longestLeaseMs: placement.longestLeaseMs,
    mostTrials: Math.min(placement.mostTrials, MAX_TRIALS),
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
export function trialTimeoutMsOf(numbers: SharedNumbers): number {
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

/** Where a slot's counters of a breaker say whose they are: its first generation. */
export function firstWord(cell: Cell, slot: number): number {
  return tallyOf(cell, slot) * 2 + TALLY.FIRST
}

/**
 * Whether a slot's counters are this breaker's, and not those of one that had the record before.
 * The shared slot's always are: whoever makes the new one clears them.
 */
export function isCountedFor(cell: Cell, slot: number): boolean {
  return slot === 0 || load(cell.memory, firstWord(cell, slot)) === cell.first
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
