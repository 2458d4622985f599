/**
 * Words that carry a time or 32 bits for something numbered. Pure functions, no memory.
 *
 *   TIMED   64 bits   { tag 13 | time 51 }   SINCE, LEASE, DUTY, SUMMARY_AT
 *   TAGGED  64 bits   { high 32 | low 32 }   DETAIL, REASON, SUMMARY, overflow counters
 *
 * Times are whole microseconds since the region was made: 2^51 of them are 71 years. The greatest
 * stands for "for ever".
 */

export const TIME_BITS = 51n
const TIME_MASK = (1n << TIME_BITS) - 1n
export const MAX_MICROS = 2 ** 51 - 1

/** Milliseconds as they are stored: whole microseconds, rounded; beyond 71 years "for ever". */
export function toMicros(ms: number): bigint {
  const micros = Math.round(ms * 1000)
  return micros < MAX_MICROS ? BigInt(micros) : TIME_MASK
}

function fromMicros(micros: bigint): number {
  return micros === TIME_MASK ? Number.POSITIVE_INFINITY : Number(micros) / 1000
}

/** The time in ms that stands in a NEXT or a TIMED word. */
export function timeOf(word: bigint): number {
  return fromMicros(word & TIME_MASK)
}

export const TIMED_TAG_BITS = 13
const TIMED_TAG_MASK = (1 << TIMED_TAG_BITS) - 1

export function packTimed(tag: number, timeMs: number): bigint {
  return BigInt.asIntN(64, (BigInt(tag & TIMED_TAG_MASK) << TIME_BITS) | toMicros(timeMs))
}

export function timedTagOf(word: bigint): number {
  return Number(BigInt.asUintN(64, word) >> TIME_BITS)
}

export function isTimedOf(word: bigint, tag: number): boolean {
  return timedTagOf(word) === (tag & TIMED_TAG_MASK)
}

export const TAGGED_VALUE_BITS = 32

export function packTagged(tag: number, value: number): bigint {
  return BigInt.asIntN(64, (BigInt(tag) << 32n) | BigInt(value >>> 0))
}

export function isTaggedOf(word: bigint, tag: number): boolean {
  return BigInt.asUintN(64, word) >> 32n === BigInt(tag)
}

/** The tag of a TAGGED word. */
export function highOf(word: bigint): number {
  return Number(BigInt.asUintN(64, word) >> 32n)
}

export function lowOf(word: bigint): number {
  return Number(BigInt.asUintN(32, word))
}
