/**
 * What stands in windows. Pure functions, no memory.
 *
 *   STOCK   32 bits   { version 18 | left 14 }               left is kept with a bias of 2^13
 *   RING    32 bits   { generation 20 | lap 9 | outcome 3 }  outcome 0 = none, else kind + 1
 *   ROW     32 bits   { generation 20 | failures 12 }
 *   STAMP   30 bits   bucket number mod 2^30, or -1 while the owner turns the bucket over
 *   EPOCH   32 bits   { generation 12 | bucket number 20 }   tag of an overflow bucket's counters
 */

const STOCK_BIAS = 1 << 13
const STOCK_MASK = (1 << 14) - 1

/** The most bad outcomes that may pass between two sums. */
export const MAX_STOCK = 4095

/** The word that follows `old` with `left` bad outcomes to go. */
export function restock(old: number, left: number): number {
  return (((old >> 14) + 1) << 14) | (left + STOCK_BIAS) | 0
}

export function stockOf(word: number): number {
  return (word & STOCK_MASK) - STOCK_BIAS
}

const LAP_MASK = 0x1ff

export function packRing(generation: number, lap: number, kind: number): number {
  return (generation << 12) | ((lap & LAP_MASK) << 3) | (kind + 1)
}

/** The kind of the outcome if the word holds one of this generation and lap, else -1. */
export function ringKindOf(word: number, generation: number, lap: number): number {
  return word >>> 3 === packRing(generation, lap, 0) >>> 3 ? (word & 7) - 1 : -1
}

/** True when the word holds an outcome of a later lap, by wrapped difference over 9 bits. */
export function isLaterLap(word: number, lap: number): boolean {
  if ((word & 7) === 0) return false
  const ahead = ((word >>> 3) - lap) & LAP_MASK
  return ahead !== 0 && ahead < 256
}

const ROW_MASK = 0xfff

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

const STAMPS = 2 ** 30
const EPOCHS = 2 ** 20

export function stampOf(bucketNumber: number): number {
  return bucketNumber % STAMPS
}

/** How many buckets ago `stamp` was, seen from `bucketNumber`; negative when it is still to come. */
export function ageOfStamp(stamp: number, bucketNumber: number): number {
  return wrappedDifference(bucketNumber % STAMPS, stamp, STAMPS)
}

export function packEpoch(generation: number, bucketNumber: number): number {
  return ((generation << 20) | (bucketNumber % EPOCHS)) >>> 0
}

export function isEpochOf(epoch: number, generation: number): boolean {
  return epoch >>> 20 === (generation & 0xfff)
}

export function ageOfEpoch(epoch: number, bucketNumber: number): number {
  return wrappedDifference(bucketNumber % EPOCHS, epoch % EPOCHS, EPOCHS)
}

/** True when the epoch's generation came after `generation`, by wrapped difference over 12 bits. */
export function isEpochLater(epoch: number, generation: number): boolean {
  const ahead = ((epoch >>> 20) - generation) & 0xfff
  return ahead !== 0 && ahead < 2048
}

/** a - b in [-modulus / 2, modulus / 2). */
function wrappedDifference(a: number, b: number, modulus: number): number {
  const half = modulus / 2
  const difference = a - b
  if (difference >= half) return difference - modulus
  return difference < -half ? difference + modulus : difference
}
