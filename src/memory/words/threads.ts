/**
 * Slots and the directory. Pure functions, no memory.
 *
 *   THREAD  64 bits   { live 1 | epoch 11 | thread 26 | parent 26 }
 *   ENTRY   64 bits   { edition 20 | definition + 1 20 | lines 24 }   0 = not yet used
 *   MAKING  64 bits   { sequence 26 | definition + 1 20 | entry 18 }  definition 0 = nothing
 *
 * Node numbers its threads from 0. Native threads that attach number themselves from 2^25 on. A
 * parent of 2^26 - 1 says that the thread is known to be dead, one of 2^26 - 2 that no thread of
 * Node's started it, so that no Node thread's death takes it along.
 */
export const THREAD_BITS = 26n
export const EPOCH_BITS = 11n
export const DEFINITION_BITS = 20n
const EDITION_BITS = 20n
export const LINES_BITS = 24n
const SEQUENCE_BITS = 26n
export const ENTRY_BITS = 18n

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

const DEFINITION_MASK = (1n << DEFINITION_BITS) - 1n

/** Each word that an entry has had is another: its edition counts them. */
export function packEntry(edition: number, definition: number, lines: number): bigint {
  const tail = (BigInt(definition + 1) << LINES_BITS) | BigInt(lines)
  return BigInt.asIntN(64, (BigInt(edition) << (DEFINITION_BITS + LINES_BITS)) | tail)
}

export function editionOfEntry(entry: bigint): number {
  return Number(BigInt.asUintN(64, entry) >> (DEFINITION_BITS + LINES_BITS))
}

export function definitionOf(entry: bigint): number {
  return Number((entry >> LINES_BITS) & DEFINITION_MASK) - 1
}

export function linesOf(entry: bigint): number {
  return Number(BigInt.asUintN(Number(LINES_BITS), entry))
}

/** What is being made: which definition is to stand at which entry. Nothing where it is -1. */
export interface Making {
  readonly sequence: number
  readonly definition: number
  readonly entry: number
}

export function packMaking({ sequence, definition, entry }: Making): bigint {
  const tail = (BigInt(definition + 1) << ENTRY_BITS) | BigInt(entry)
  return BigInt.asIntN(64, (BigInt(sequence) << (DEFINITION_BITS + ENTRY_BITS)) | tail)
}

export function unpackMaking(word: bigint): Making {
  const bits = BigInt.asUintN(64, word)
  return {
    sequence: Number(bits >> (DEFINITION_BITS + ENTRY_BITS)),
    definition: Number((bits >> ENTRY_BITS) & DEFINITION_MASK) - 1,
    entry: Number(bits & ((1n << ENTRY_BITS) - 1n)),
  }
}

/** The sequence number after this one. */
export function nextSequence(sequence: number): number {
  return (sequence + 1) % 2 ** Number(SEQUENCE_BITS)
}

/** The edition after this one. */
export function nextEdition(edition: number): number {
  return (edition + 1) % 2 ** Number(EDITION_BITS)
}
