/**
 * Slots and the directory. Pure functions, no memory.
 *
 *   THREAD  64 bits   { live 1 | epoch 11 | thread 26 | parent 26 }
 *   ENTRY   64 bits   { definition + 1 32 | lines 32 }    0 = not yet used
 *
 * Node numbers its threads from 0. Native threads that attach number themselves from 2^25 on. A
 * parent of 2^26 - 1 says that the thread is known to be dead, one of 2^26 - 2 that no thread of
 * Node's started it, so that no Node thread's death takes it along.
 */
import { lowOf } from './timed.ts'

export const THREAD_BITS = 26n
export const EPOCH_BITS = 11n
export const ENTRY_LINES_BITS = 32n

const THREAD_MASK = (1n << THREAD_BITS) - 1n
const EPOCH_MASK = (1n << EPOCH_BITS) - 1n

/** The parent in the word of a thread that is known to be dead. */
export const DEAD_PARENT = Number(THREAD_MASK)

/** The parent of a thread that no thread of Node's started. */
export const NO_PARENT = DEAD_PARENT - 1

/** Threads that are not Node's have numbers from here on; Node's stay below. */
export const FIRST_NATIVE_THREAD = 2 ** 25

export interface ThreadId {
  readonly thread: number
  readonly parent: number
}

export function packThread(live: boolean, epoch: number, id: ThreadId): bigint {
  const head = ((live ? 1n : 0n) << 11n) | (BigInt(epoch) & EPOCH_MASK)
  const ids = ((BigInt(id.thread) & THREAD_MASK) << 26n) | (BigInt(id.parent) & THREAD_MASK)
  return BigInt.asIntN(64, (head << 52n) | ids)
}

export function isLive(word: bigint): boolean {
  return word < 0n
}

export function epochOf(word: bigint): number {
  return Number((word >> 52n) & EPOCH_MASK)
}

/** The same word of a thread that is known to be dead: it needs its parent no more. */
export function markedDead(word: bigint): bigint {
  return word | THREAD_MASK
}

export function isDead(word: bigint): boolean {
  return isLive(word) && (word & THREAD_MASK) === THREAD_MASK
}

export function threadOf(word: bigint): ThreadId {
  return { thread: Number((word >> 26n) & THREAD_MASK), parent: Number(word & THREAD_MASK) }
}

export function packEntry(definition: number, lines: number): bigint {
  return (BigInt(definition + 1) << 32n) | BigInt(lines)
}

export function definitionOf(entry: bigint): number {
  return Number(entry >> 32n) - 1
}

export function linesOf(entry: bigint): number {
  return lowOf(entry)
}
