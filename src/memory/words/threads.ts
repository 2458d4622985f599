/**
 * Slots and the directory. Pure functions, no memory.
 *
 *   THREAD  64 bits   { live 1 | epoch 11 | thread 26 | parent 26 }   parent 2^26 - 1: known dead
 *   ENTRY   64 bits   { definition + 1 32 | lines 32 }    0 = not yet used
 */
import { lowOf } from './timed.ts'

const THREAD_MASK = (1n << 26n) - 1n

export interface ThreadId {
  readonly thread: number
  readonly parent: number
}

export function packThread(live: boolean, epoch: number, id: ThreadId): bigint {
  const head = ((live ? 1n : 0n) << 11n) | (BigInt(epoch) & 0x7ffn)
  const ids = ((BigInt(id.thread) & THREAD_MASK) << 26n) | (BigInt(id.parent) & THREAD_MASK)
  return BigInt.asIntN(64, (head << 52n) | ids)
}

export function isLive(word: bigint): boolean {
  return word < 0n
}

export function epochOf(word: bigint): number {
  return Number((word >> 52n) & 0x7ffn)
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
