/** One breaker as the protocol sees it: where its words are and what its options say. */
import { add } from '#atomics'
import type { Memory } from '../memory/atomics.ts'
import { HEADER, OPTION, RECORD, type RecordShape, type RegionShape } from '../memory/layout.ts'
import type { SharedNumbers } from '../options/shared.ts'
import type { Clock } from '../time/clock.ts'

/** Made once for each thread and breaker; nothing in it changes. */
export interface Cell {
  readonly memory: Memory
  readonly clock: Clock
  readonly region: RegionShape
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

export function makeCell(
  place: { memory: Memory; clock: Clock; region: RegionShape; seed: number },
  shape: RecordShape,
  numbers: SharedNumbers,
  record: number,
  createdAt: number,
): Cell {
  return Object.freeze({
    memory: place.memory,
    clock: place.clock,
    region: place.region,
    shape,
    numbers,
    seed: (place.seed ^ Math.imul(record, 0x9e3779b1)) | 0,
    createdAt,
    record,
    recordLong: record / 2,
    state: record + RECORD.STATE,
    trials: numbers[OPTION.TRIALS] as number,
    trialTimeoutMs: numbers[OPTION.TRIAL_TIMEOUT_MS] as number,
    trialFailureRate: numbers[OPTION.TRIAL_FAILURE_RATE] as number,
  })
}

/** The start of a slot's shard, in words. */
export function shardOf(cell: Cell, slot: number): number {
  const { shards, overflowWords, shardWords } = cell.shape
  const owned = slot > 0 ? overflowWords + (slot - 1) * shardWords : 0
  return cell.record + shards + owned
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
