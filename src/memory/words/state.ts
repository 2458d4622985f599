/**
 * The STATE word and what is tagged with a generation. Pure functions, no memory.
 *
 *   STATE   31 bits   { generation 28 | state 3 }     generation in [0, 2^28), state in [0, 5]
 *   NEXT    64 bits   { tag 10 | state 3 | time 51 }  tag = generation mod 2^10
 */
import { TIME_BITS, toMicros } from './timed.ts'

export const CLOSED = 0
export const OPEN = 1
export const HALF_OPEN = 2
export const FORCED_OPEN = 3
export const DISABLED = 4
export const METRICS_ONLY = 5

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

export const GENERATION_BITS = 28
export const STATE_BITS = 3
const STATE_MASK = (1 << STATE_BITS) - 1
const GENERATION_MASK = (1 << GENERATION_BITS) - 1

export function packState(generation: number, state: number): number {
  return (generation << STATE_BITS) | state
}

export function generationOf(word: number): number {
  return word >>> STATE_BITS
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
