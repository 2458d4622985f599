/**
 * The one door to shared memory. No other file names `Atomics` or indexes a shared array, so that a
 * test can put another implementation behind `#atomics` and decide itself what happens when.
 *
 * The verb says which class of word may be touched (the classes stand in native-layout/layout.md):
 *
 *   readFixed, readFixedDouble    fixed    written before publication, never again
 *   readReused, ...               reused   written before each publication, read before it ends
 *   readOwn                       own      the owner looks at what it alone writes
 *   count, countBy, zeroOwn, ...  stat     the owner writes; at most a hint (protocol/idle.ts)
 *   load, store, add, ...         shared   any thread; sequentially consistent
 *   peek                          shared   a look that may be late: only for hints, see below
 *   wait, whenNotified, notify    shared   the keeper sleeps on a word, listeners for news
 *   load64, loadDouble, ...       shared   the same, 64 bits wide: BigInt, never on a hot path
 *   ownDouble                     none     beside the region, of one thread alone
 *   copyOut                       any      every long of a stretch, whole; not all of one moment
 */

/**
 * One region as 32-bit words, and seen as 64-bit words and doubles: views of one buffer. The words
 * are the object itself, because every step on the way to a word costs about a nanosecond.
 */
export interface Memory extends Int32Array<SharedArrayBuffer> {
  readonly longs: BigInt64Array<SharedArrayBuffer>
  readonly doubles: Float64Array<SharedArrayBuffer>
}

/** Where the low half of a 64-bit word stands: 0 on a little-endian machine, else 1. */
const LOW_HALF = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1 ? 0 : 1

/** For doubles as `Atomics` take them. */
const bits = new BigInt64Array(1)
const doubles = new Float64Array(bits.buffer)

/** The first `words` words of a buffer, an even number; all of it unless given. */
export function viewsOf(buffer: SharedArrayBuffer, words = buffer.byteLength / 4): Memory {
  return Object.assign(new Int32Array(buffer, 0, words), {
    longs: new BigInt64Array(buffer, 0, words / 2),
    doubles: new Float64Array(buffer, 0, words / 2),
  })
}

/** A double of one thread's own, beside the region. */
export function ownDouble(buffer: SharedArrayBuffer, byteOffset: number): Float64Array {
  return new Float64Array(buffer, byteOffset, 1)
}

export function load(memory: Memory, word: number): number {
  return Atomics.load(memory, word)
}

export function store(memory: Memory, word: number, value: number): void {
  Atomics.store(memory, word, value)
}

/** Returns the value before the addition. */
export function add(memory: Memory, word: number, value: number): number {
  return Atomics.add(memory, word, value)
}

/** Returns the value found; the exchange was made when that is `expected`. */
export function compareExchange(
  memory: Memory,
  word: number,
  expected: number,
  replacement: number,
): number {
  return Atomics.compareExchange(memory, word, expected, replacement)
}

export function load64(memory: Memory, long: number): bigint {
  return Atomics.load(memory.longs, long)
}

export function loadDouble(memory: Memory, double: number): number {
  bits[0] = Atomics.load(memory.longs, double)
  return doubles[0] as number
}

/** Returns the value before the addition. */
export function add64(memory: Memory, long: number, value: bigint): bigint {
  return Atomics.add(memory.longs, long, value)
}

/** Returns the value found; the exchange was made when that is `expected`. */
export function compareExchange64(
  memory: Memory,
  long: number,
  expected: bigint,
  replacement: bigint,
): bigint {
  return Atomics.compareExchange(memory.longs, long, expected, replacement)
}

/**
 * A plain read of a word that others write: an eighth of the cost of `load`, and by the memory
 * model it may give any value that the word has had since this thread last synchronised. Only where
 * every such value is right: as the expected value of a compareExchange, or as a hint that is
 * checked by other means.
 */
export function peek(memory: Memory, word: number): number {
  return memory[word] as number
}

/** Sleeps while the word holds `value`, at most `ms` milliseconds, until a `notify`. */
export function wait(
  memory: Memory,
  word: number,
  value: number,
  ms: number,
): 'ok' | 'not-equal' | 'timed-out' {
  return Atomics.wait(memory, word, value, ms)
}

/** Wakes all who sleep on the word. */
export function notify(memory: Memory, word: number): void {
  Atomics.notify(memory, word)
}

/**
 * Fills `bytes`, which are private and aligned to 8, with the longs from number `long` on: an
 * atomic load each, so that none is torn. About 10 ns a long.
 */
export function copyOut(memory: Memory, long: number, bytes: Uint8Array<ArrayBuffer>): void {
  const copy = new BigInt64Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 8)
  for (let at = 0; at < copy.length; at++) copy[at] = Atomics.load(memory.longs, long + at)
}

export function readFixed(memory: Memory, word: number): number {
  return memory[word] as number
}

export function readFixedDouble(memory: Memory, double: number): number {
  return memory.doubles[double] as number
}

/** For words of a region that no other thread has yet. */
export function writeFixed(memory: Memory, word: number, value: number): void {
  memory[word] = value
}

export function writeFixedDouble(memory: Memory, double: number, value: number): void {
  memory.doubles[double] = value
}

/**
 * What a definition says, between two looks at the entry that names it: the same word both times,
 * then this is its definition's. As both are atomic, neither a compiler nor a processor puts the
 * second look before this.
 */
export function readReused(memory: Memory, word: number): number {
  return Atomics.load(memory, word)
}

export function readReusedDouble(memory: Memory, double: number): number {
  return loadDouble(memory, double)
}

/** For a definition that no entry names, by the thread that has taken it. */
export function writeReused(memory: Memory, word: number, value: number): void {
  Atomics.store(memory, word, value)
}

export function writeReusedDouble(memory: Memory, double: number, value: number): void {
  doubles[0] = value
  Atomics.store(memory.longs, double, bits[0] as bigint)
}

export function readOwn(memory: Memory, word: number): number {
  return memory[word] as number
}

/** Empties a 64-bit word that the caller alone writes. A reader may see it half empty. */
export function zeroOwn(memory: Memory, long: number): void {
  memory[long * 2] = 0
  memory[long * 2 + 1] = 0
}

/** Writes a double that the caller alone writes. Others read it by `loadDouble`. */
export function writeOwnDouble(memory: Memory, double: number, value: number): void {
  memory.doubles[double] = value
}

/** The word to give to `count` for the 64-bit counter `long`. */
export function counterWord(long: number): number {
  return long * 2 + LOW_HALF
}

/**
 * Adds one to a 64-bit counter of which the caller is the only writer, given as `counterWord`.
 *
 * A plain increment of the low half costs a tenth of an atomic one and allocates nothing. Only when
 * the low half is about to wrap does one 64-bit addition carry into the high half, so that no
 * reader, and no death, ever sees the counter between its two halves.
 */
export function count(memory: Memory, word: number): void {
  const next = (memory[word] as number) + 1
  if (next !== 0) memory[word] = next
  else carry(memory, word)
}

function carry(memory: Memory, word: number): void {
  Atomics.add(memory.longs, word >> 1, 1n)
}

/** The same with any whole number from 0 to 2^53 - 1. */
export function countBy(memory: Memory, word: number, amount: number): void {
  const next = ((memory[word] as number) >>> 0) + amount
  if (next < 2 ** 32) memory[word] = next
  else Atomics.add(memory.longs, word >> 1, BigInt(amount))
}

interface Waiting {
  readonly value: PromiseLike<unknown> | string
}

/**
 * Resolves after a `notify` of the word; undefined when it holds another value than `value` now, or
 * where Node cannot wait so. Keeps no process alive.
 */
export function whenNotified(
  memory: Memory,
  word: number,
  value: number,
): PromiseLike<unknown> | undefined {
  const { waitAsync } = Atomics as { waitAsync?: (...args: unknown[]) => Waiting }
  const waiting = waitAsync?.(memory, word, value).value
  return typeof waiting === 'object' ? waiting : undefined
}
