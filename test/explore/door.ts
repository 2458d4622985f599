/**
 * The explorer's door to shared memory: stands behind `#atomics` in place of src/memory/atomics.ts.
 *
 * Outside a simulated thread (set-up, checks) each verb acts at once. Inside one it is an operation:
 * answered from the thread's log while the log lasts, carried out if it has been granted, and
 * otherwise the end of this run. Verbs on words that no other thread decides by (readOwn, count) are
 * logged, but no point at which the scheduler could switch, unless the scenario says that somebody
 * does decide by them (`observesCounts`). Definitions are filled at once and read in two halves.
 */
import type { Memory } from '../../src/memory/atomics.ts'
import { machine, STOP } from './machine.ts'
import type { Operation, Value } from './thread.ts'

export type { Memory } from '../../src/memory/atomics.ts'
export { counterWord, viewsOf } from '../../src/memory/atomics.ts'

function perform<T extends Value>(operation: Operation, apply: () => T): T {
  const thread = machine.current
  if (thread === undefined) return apply()
  if (thread.stopped) throw STOP
  if (thread.cursor < thread.log.length) return thread.log[thread.cursor++] as T
  // The first operation after a grant is the one that was waited for.
  if (!thread.granted && machine.isStep(operation, thread)) {
    if (machine.traces) operation.stack = new Error('here').stack ?? ''
    thread.pending = operation
    thread.stopped = true
    throw STOP
  }
  thread.granted = false
  const isBackground = machine.isBackground(operation)
  if (operation.switches && !isBackground) machine.taken++
  if (operation.kind === 'write') machine.writers?.note(operation, thread.index)
  const result = apply()
  thread.log.push(result)
  thread.cursor++
  if (!isBackground) machine.noteResult(thread, result)
  return result
}

function read(verb: string, index: number, wide: boolean, switches = true): Operation {
  return { verb, index, wide, kind: 'read', switches }
}

function write(verb: string, index: number, wide: boolean, switches = true): Operation {
  return { verb, index, wide, kind: 'write', switches }
}

/** Listeners are no part of what is explored but for what they read. */
export function whenNotified(): undefined {
  return undefined
}

/** A step that touches no memory: the thread is elsewhere. */
export function pause(): void {
  perform({ verb: 'pause', index: 0, wide: false, kind: 'pause', switches: true }, () => 0)
}

export function load(memory: Memory, word: number): number {
  return perform(read('load', word, false), () => memory[word] as number)
}

export function store(memory: Memory, word: number, value: number): void {
  const operation = write('store', word, false)
  perform(operation, () => {
    machine.own(operation)
    return machine.put(memory, word, value)
  })
}

export function add(memory: Memory, word: number, value: number): number {
  const operation = write('add', word, false)
  return perform(operation, () => {
    machine.own(operation)
    const before = memory[word] as number
    machine.put(memory, word, before + value)
    return before
  })
}

export function compareExchange(
  memory: Memory,
  word: number,
  expected: number,
  replacement: number,
): number {
  return perform(write('compareExchange', word, false), () => {
    const before = memory[word] as number
    if (before === (expected | 0)) machine.put(memory, word, replacement)
    return before
  })
}

export function load64(memory: Memory, long: number): bigint {
  return perform(read('load64', long, true), () => memory.longs[long] as bigint)
}

export function add64(memory: Memory, long: number, value: bigint): bigint {
  return perform(write('add64', long, true), () => {
    const before = memory.longs[long] as bigint
    machine.put64(memory, long, before + value)
    return before
  })
}

export function compareExchange64(
  memory: Memory,
  long: number,
  expected: bigint,
  replacement: bigint,
): bigint {
  return perform(write('compareExchange64', long, true), () => {
    const before = memory.longs[long] as bigint
    if (before === BigInt.asIntN(64, expected)) machine.put64(memory, long, replacement)
    return before
  })
}

/** Of all the values that the memory model would allow, the explorer gives the newest. */
export function peek(memory: Memory, word: number): number {
  return perform(read('peek', word, false), () => memory[word] as number)
}

export function wait(): never {
  throw new Error('nothing under the explorer waits')
}

export function notify(): void {
  // Nobody sleeps here.
}

export function readFixed(memory: Memory, word: number): number {
  return perform(read('readFixed', word, false, false), () => memory[word] as number)
}

/** In the middle of a definition a switch is enough to see half of one and half of another. */
export function readReused(memory: Memory, word: number): number {
  const operation = read('readReused', word, false, machine.middleOfDefinition(word))
  return perform(operation, () => memory[word] as number)
}

const bits = new BigInt64Array(1)
const double = new Float64Array(bits.buffer)

function doubleOf(long: bigint): number {
  bits[0] = long
  return double[0] as number
}

function bitsOf(value: number): bigint {
  double[0] = value
  return bits[0] as bigint
}

export function loadDouble(memory: Memory, at: number): number {
  return readDouble('loadDouble', memory, at, true)
}

function readDouble(verb: string, memory: Memory, at: number, switches = false): number {
  return doubleOf(perform(read(verb, at, true, switches), () => memory.longs[at] as bigint))
}

export function readFixedDouble(memory: Memory, at: number): number {
  return readDouble('readFixedDouble', memory, at)
}

export function readReusedDouble(memory: Memory, at: number): number {
  return readDouble('readReusedDouble', memory, at)
}

export function writeFixed(memory: Memory, word: number, value: number): void {
  perform(write('writeFixed', word, false, false), () => machine.put(memory, word, value))
}

export function writeFixedDouble(memory: Memory, at: number, value: number): void {
  writeLong('writeFixedDouble', memory, at, bitsOf(value))
}

/** Definitions are filled unseen; but one that was free may still be read by who comes late. */
export function writeReused(memory: Memory, word: number, value: number): void {
  perform(write('writeReused', word, false, false), () => machine.put(memory, word, value))
}

export function writeReusedDouble(memory: Memory, at: number, value: number): void {
  writeLong('writeReusedDouble', memory, at, bitsOf(value))
}

/** Of the owner alone: what a thread writes for people, or empties. */
export function writeOwnDouble(memory: Memory, at: number, value: number): void {
  writeLong('writeOwnDouble', memory, at, bitsOf(value))
}

/** A step of its own only where there is something to empty. */
export function zeroOwn(memory: Memory, long: number): void {
  writeLong('zeroOwn', memory, long, 0n, machine.observesCounts && memory.longs[long] !== 0n)
}

function writeLong(
  verb: string,
  memory: Memory,
  long: number,
  value: bigint,
  switches = false,
): void {
  const operation = write(verb, long, true, switches)
  perform(operation, () => {
    machine.own(operation)
    return machine.put64(memory, long, value)
  })
}

export function readOwn(memory: Memory, word: number): number {
  return perform(read('readOwn', word, false, false), () => memory[word] as number)
}

export function count(memory: Memory, word: number): void {
  countBy(memory, word, 1)
}

export function countBy(memory: Memory, word: number, amount: number): void {
  const long = word >> 1
  const operation = write('count', long, true, machine.observesCounts)
  perform(operation, () => {
    machine.own(operation)
    return machine.put64(memory, long, (memory.longs[long] as bigint) + BigInt(amount))
  })
}
