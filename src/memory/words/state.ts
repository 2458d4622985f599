/**
 * The STATE word and what is tagged with a generation. Pure functions, no memory.
 *
 *   STATE   31 bits   { generation 22 | edition 6 | state 3 }  state in [0, 6]
 *   NEXT    64 bits   { tag 10 | state 3 | time 51 }           tag = generation mod 2^10
 *
 * The edition says which options are in force: the low bits of the directory entry's. It is part of
 * this word so that who meets the same word again need look at nothing else.
 */
import { TIME_BITS, toMicros } from './timed.ts'

export const CLOSED = 0
export const OPEN = 1
export const HALF_OPEN = 2
export const FORCED_OPEN = 3
export const DISABLED = 4
export const METRICS_ONLY = 5
/** The breaker is gone; the next generation of its record is another's. No state that users see. */
export const REMOVED = 6

/** The names that users see, by state number. A number without a name here is damage. */
export const STATE_NAMES = [
  'closed',
  'open',
  'half-open',
  'forced-open',
  'disabled',
  'metrics-only',
] as const

export type State = (typeof STATE_NAMES)[number]

export const GENERATION_BITS = 22
export const EDITION_BITS = 6
export const STATE_BITS = 3
const STATE_MASK = (1 << STATE_BITS) - 1
const EDITION_MASK = (1 << EDITION_BITS) - 1
const GENERATION_SHIFT = STATE_BITS + EDITION_BITS
const GENERATION_MASK = (1 << GENERATION_BITS) - 1

/** `edition`: any number of which the low bits are the edition's. */
export function packState(generation: number, state: number, edition: number): number {
  return (generation << GENERATION_SHIFT) | ((edition & EDITION_MASK) << STATE_BITS) | state
}

export function generationOf(word: number): number {
  return word >>> GENERATION_SHIFT
}

export function editionOf(word: number): number {
  return (word >>> STATE_BITS) & EDITION_MASK
}

/** Whether the word says the edition of which `edition` has the low bits. */
export function isOfEdition(word: number, edition: number): boolean {
  return editionOf(word) === (edition & EDITION_MASK)
}

export function stateOf(word: number): number {
  return word & STATE_MASK
}

export function nextGeneration(generation: number): number {
  return (generation + 1) & GENERATION_MASK
}

/** Whether one generation came after another, to within half of all. */
export function isLater(generation: number, than: number): boolean {
  const ahead = (generation - than) & GENERATION_MASK
  return ahead > 0 && ahead < 2 ** (GENERATION_BITS - 1)
}

/**
 * Whether a generation is of those from `first` on up to the current one. From 0 on all are, also
 * when generations have wrapped.
 */
export function isOwn(generation: number, first: number, current: number): boolean {
  if (first === 0) return true
  return ((current - generation) & GENERATION_MASK) <= ((current - first) & GENERATION_MASK)
}

export const NEXT_TAG_BITS = 10n
const NEXT_TAG_MASK = (1n << NEXT_TAG_BITS) - 1n

export function packNext(generation: number, state: number, timeMs: number): bigint {
  const tag = BigInt(generation) & NEXT_TAG_MASK
  return BigInt.asIntN(64, (tag << 54n) | (BigInt(state) << TIME_BITS) | toMicros(timeMs))
}

export function isNextOf(word: bigint, generation: number): boolean {
  return ((word >> 54n) & NEXT_TAG_MASK) === (BigInt(generation) & NEXT_TAG_MASK)
}

export function nextStateOf(word: bigint): number {
  return Number((word >> TIME_BITS) & 7n)
}
