/**
 * What stands in windows. Pure functions, no memory.
 *
 *   STOCK   32 bits   { version 17 | minimum 1 | left 14 }   left is kept with a bias of 2^13
 *   RING    32 bits   { generation 20 | lap 9 | outcome 3 }  outcome 0 = none, else kind + 1
 *   ROW     32 bits   { generation 20 | failures 12 }
 *   STAMP   30 bits   bucket number mod 2^30, or -1 while the owner turns the bucket over
 *   TURN    32 bits   { bucket number / 2^30 10 | generation 22 }
 *   EPOCH   64 bits   { generation 28 | bucket number 36 }   of an overflow bucket
 */

import { GENERATION_BITS } from './state.ts'

export const STOCK_BIAS = 1 << 13
export const STOCK_LEFT_BITS = 14
const STOCK_MASK = (1 << STOCK_LEFT_BITS) - 1

const MINIMUM_BIT = 1 << 14
export const VERSION_SHIFT = 15

/** The most outcomes that may pass between two sums. */
export const MAX_STOCK = 4095

/** The word that follows `old` with `left` outcomes to go. */
export function restock(old: number, left: number, holdsMinimum: boolean): number {
  const version = (old >> VERSION_SHIFT) + 1
  return (version << VERSION_SHIFT) | (holdsMinimum ? MINIMUM_BIT : 0) | (left + STOCK_BIAS)
}

export function stockOf(word: number): number {
  return (word & STOCK_MASK) - STOCK_BIAS
}

/** Whether the sum behind the word found the minimum of calls. */
export function holdsMinimumOf(word: number): boolean {
  return (word & MINIMUM_BIT) !== 0
}

/** Whether only outcomes were taken out between the two words, and no sum published. */
export function isSameStock(a: number, b: number): boolean {
  return a >> VERSION_SHIFT === b >> VERSION_SHIFT
}

export const OUTCOME_BITS = 3
export const LAP_BITS = 9
const LAP_MASK = (1 << LAP_BITS) - 1

export function packRing(generation: number, lap: number, kind: number): number {
  return (generation << 12) | ((lap & LAP_MASK) << 3) | (kind + 1)
}

/** The kind of the outcome if the word holds one of this generation and lap, else -1. */
export function ringKindOf(word: number, generation: number, lap: number): number {
  return word >>> 3 === packRing(generation, lap, 0) >>> 3 ? (word & 7) - 1 : -1
}

/** Whether the word holds an outcome of the lap before `lap`, of whatever generation. */
export function isOfLapBefore(word: number, lap: number): boolean {
  return (word & 7) !== 0 && (((word >>> 3) + 1 - lap) & LAP_MASK) === 0
}

export const ROW_BITS = 12
const ROW_MASK = (1 << ROW_BITS) - 1

/** The longest row that can be counted; longer ones stay at it. */
export const MAX_ROW = ROW_MASK

export function packRow(generation: number, failures: number): number {
  return (generation << 12) | failures
}

/** Failures in a row, 0 when the word is of another generation. */
export function rowOf(word: number, generation: number): number {
  return word >>> 12 === packRow(generation, 0) >>> 12 ? word & ROW_MASK : 0
}

/** A bucket that its owner is turning over: reads as empty. */
export const TURNING = -1

export const STAMP_BITS = 30
const STAMPS = 2 ** STAMP_BITS
const TURNS = 2 ** (32 - GENERATION_BITS)

export function stampOf(bucketNumber: number): number {
  return bucketNumber % STAMPS
}

/** How many buckets ago `stamp` was, seen from `bucketNumber`; negative: it is still to come. */
export function ageOfStamp(stamp: number, bucketNumber: number): number {
  return wrappedDifference(bucketNumber % STAMPS, stamp, STAMPS)
}

export function packTurn(generation: number, bucketNumber: number): number {
  return ((Math.floor(bucketNumber / STAMPS) % TURNS) << GENERATION_BITS) | generation
}

export const EPOCH_NUMBER_BITS = 36
const NUMBERS = 2 ** EPOCH_NUMBER_BITS

export function packEpoch(generation: number, bucketNumber: number): bigint {
  return BigInt.asIntN(64, (BigInt(generation) << 36n) | BigInt(bucketNumber % NUMBERS))
}

export function epochGenerationOf(epoch: bigint): number {
  return Number(BigInt.asUintN(64, epoch) >> 36n)
}

/** As `ageOfStamp`, of an EPOCH word. */
export function ageOfEpoch(epoch: bigint, bucketNumber: number): number {
  return wrappedDifference(bucketNumber % NUMBERS, Number(BigInt.asUintN(36, epoch)), NUMBERS)
}

/** 32 bits that stand for an epoch in its counters' tags. Two steps of MurmurHash3. */
export function hashOfEpoch(epoch: bigint): number {
  let hash = Math.imul(Number(BigInt.asUintN(32, epoch)) | 0, 0xcc9e2d51)
  hash = Math.imul((hash << 15) | (hash >>> 17), 0x1b873593)
  hash ^= Math.imul(Number(BigInt.asIntN(32, epoch >> 32n)), 0x85ebca6b)
  return ((hash << 13) | (hash >>> 19)) >>> 0
}

/** a - b in [-modulus / 2, modulus / 2). */
function wrappedDifference(a: number, b: number, modulus: number): number {
  const half = modulus / 2
  const difference = a - b
  if (difference >= half) return difference - modulus
  return difference < -half ? difference + modulus : difference
}
