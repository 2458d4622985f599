/**
 * The journal: the last transitions of all breakers. Pure functions, no memory.
 *
 *   KEY   64 bits   { lap 20 | breaker 16 | generation 22 | from 3 | to 3 }
 *   BY    a TAGGED word   { number + 1 32 | claimed 1 | maker 1 | hand 1 | thread 26 }
 *
 * Entries are numbered without end; entry n stands at n mod JOURNAL_ENTRIES, and its lap is the
 * rest of n, and 1 more, so that memory that nobody wrote is of no lap.
 */
import { JOURNAL_ENTRIES } from '../layout.ts'
import { GENERATION_BITS, STATE_BITS } from './state.ts'
import { DEAD_PARENT, THREAD_BITS } from './threads.ts'

export const BREAKER_BITS = 16n
export const LAP_SHIFT = Math.log2(JOURNAL_ENTRIES)
const JOURNAL_LAP_BITS = 20
const LAP_MASK = (1 << JOURNAL_LAP_BITS) - 1

const TO_SHIFT = BigInt(STATE_BITS)
const GENERATION_SHIFT = TO_SHIFT + BigInt(STATE_BITS)
const BREAKER_SHIFT = GENERATION_SHIFT + BigInt(GENERATION_BITS)
const KEY_LAP_SHIFT = BREAKER_SHIFT + BREAKER_BITS

/** A transition as its key says it. */
export interface JournalKey {
  /** The breaker's number in the directory. */
  readonly breaker: number
  /** The generation that it began. */
  readonly generation: number
  readonly from: number
  readonly to: number
}

function lapOf(number: number): number {
  return ((number >>> LAP_SHIFT) + 1) & LAP_MASK
}

export function packKey(number: number, { breaker, generation, from, to }: JournalKey): bigint {
  const head = (BigInt(lapOf(number)) << BREAKER_BITS) | BigInt(breaker)
  const tail = (BigInt(generation) << GENERATION_SHIFT) | (BigInt(from) << TO_SHIFT) | BigInt(to)
  return BigInt.asIntN(64, (head << BREAKER_SHIFT) | tail)
}

/** Whether the word at entry `number`'s place is that entry's. Nobody has written 0. */
export function isKeyOf(word: bigint, number: number): boolean {
  return word !== 0n && BigInt.asUintN(64, word) >> KEY_LAP_SHIFT === BigInt(lapOf(number))
}

export function unpackKey(word: bigint): JournalKey {
  const bits = (shift: bigint, width: bigint | number): number =>
    Number(BigInt.asUintN(Number(width), word >> shift))
  return {
    breaker: bits(BREAKER_SHIFT, BREAKER_BITS),
    generation: bits(GENERATION_SHIFT, GENERATION_BITS),
    from: bits(TO_SHIFT, STATE_BITS),
    to: bits(0n, STATE_BITS),
  }
}

/** The tag of an entry's other words. */
export function entryTag(number: number): number {
  return (number + 1) >>> 0
}

const THREAD_MASK = 2 ** Number(THREAD_BITS) - 1
/** Says that the maker is not known, or not yet. */
export const UNKNOWN_THREAD = DEAD_PARENT
/** The transition was made by a command. */
export const BY_HAND = 2 ** Number(THREAD_BITS)
/** The maker listens: it announces the transition as its own. */
export const MAKER_ANNOUNCES = BY_HAND * 2
/** Another listening thread has claimed to announce it as its own. */
export const CLAIMED_BY_LISTENER = BY_HAND * 4

export function makerOf(by: number): number | undefined {
  const thread = by & THREAD_MASK
  return thread === UNKNOWN_THREAD ? undefined : thread
}

/** The value of a BY word. */
export function packBy(thread: number | undefined, flags: number): number {
  return (thread ?? UNKNOWN_THREAD) + flags
}
