/**
 * Simulated threads by re-execution. A thread is a function of its log: to take one step, its body
 * runs from the start, is fed the results it got before, carries out one operation more, and is
 * stopped by a throw at the next. Killing a thread is never running it again.
 *
 * Memory is real and is taken back step by step, so a search needs no copies; hashes of memory and
 * logs are kept up with every write and result.
 */
import type { Memory } from '../../src/memory/atomics.ts'
import type { Writers } from './conflicts.ts'
import { hashOfValue, mix } from './hash.ts'
import { type Operation, type SimThread, startThread, type Undo, type Value } from './thread.ts'
import { Violation } from './violation.ts'

/** Thrown at an operation that was not granted. Not an Error: nothing may catch it by accident. */
export const STOP = Object.freeze({ stop: true })

class Machine {
  current: SimThread | undefined
  threads: SimThread[] = []
  memory: Memory | undefined
  memoryLow = 0
  memoryHigh = 0
  /** Notes where each operation comes from: slow, for replays. */
  traces = false
  /** Steps taken since the start, all searches together. */
  steps = 0
  /** Says which reads are no steps of their own; undefined: every operation is one. */
  writers: Writers | undefined
  /** Operations of the last step that would be steps of their own, were there no private reads. */
  taken = 0
  /** Private reads of the last step. */
  #reads = 0
  #onlyReplays = false
  /** True for words that one thread alone may write; a second writer is an error. */
  ownedWord: (word: number) => boolean = () => false
  /**
   * True for words that no decision of the protocol reads: what is done to them belongs to the step
   * before, and states that differ in them alone are one. See background.ts.
   */
  backgroundWord: (word: number) => boolean = () => false
  /** True for the word before which the scheduler may switch while a definition is read. */
  middleOfDefinition: (word: number) => boolean = () => false
  /** Whether counters for people are looked at: else counting belongs to the step before. */
  observesCounts = false
  #owners = new Map<number, number>()
  #undo: Undo | undefined
  /** Where writes are noted, to be taken back. */
  #writes: Undo['writes'] | undefined

  /** Starts the threads; how many private reads each has made before its first step. */
  reset(memory: Memory, bodies: Record<string, () => unknown>): number[] {
    this.memory = memory
    this.memoryLow = 0
    this.memoryHigh = 0
    this.#owners.clear()
    this.threads = Object.entries(bodies).map(([name, body], index) =>
      startThread(name, index, body),
    )
    return this.threads.map(thread => {
      this.#run(thread)
      return this.taken
    })
  }

  /** Lets `thread` carry out its pending operation and run on to its next. */
  step(thread: SimThread): Undo {
    const undo: Undo = {
      thread,
      logLength: thread.log.length,
      pending: thread.pending,
      done: thread.done,
      result: thread.result,
      note: thread.note,
      hashLow: thread.hashLow,
      hashHigh: thread.hashHigh,
      memoryLow: this.memoryLow,
      memoryHigh: this.memoryHigh,
      writes: [],
      owners: [],
    }
    this.#undo = undo
    this.#writes = undo.writes
    thread.granted = true
    this.#run(thread)
    if (thread.done) this.#forgetLog(thread, [thread.result, thread.note])
    this.#undo = undefined
    this.#writes = undefined
    this.steps++
    return undo
  }

  threadOf(name: string): SimThread {
    const thread = this.threads.find(one => one.name === name)
    if (thread === undefined) throw new Violation(`no thread ${name}`)
    return thread
  }

  takeBack(undo: Undo): void {
    const { thread } = undo
    this.#restore(undo.writes)
    for (const word of undo.owners) this.#owners.delete(word)
    thread.log.length = undo.logLength
    thread.pending = undo.pending
    thread.done = undo.done
    thread.result = undo.result
    thread.note = undo.note
    thread.hashLow = undo.hashLow
    thread.hashHigh = undo.hashHigh
    this.memoryLow = undo.memoryLow
    this.memoryHigh = undo.memoryHigh
  }

  /** Stops a thread for ever; what brings it back to life. */
  kill(thread: SimThread): () => void {
    const { hashLow, hashHigh } = thread
    thread.alive = false
    this.#forgetLog(thread, thread.note)
    return () => {
      thread.alive = true
      thread.hashLow = hashLow
      thread.hashHigh = hashHigh
    }
  }

  /** Of a thread that goes on no more only what is left of it matters, not how it came to that. */
  #forgetLog(thread: SimThread, rest: unknown): void {
    thread.hashLow = hashOfValue(rest, thread.index)
    thread.hashHigh = hashOfValue(rest, ~thread.index)
  }

  /** Runs a check that may write (looking at a lease can): afterwards memory is as it was. */
  untouched(check: () => void): void {
    const { memoryLow, memoryHigh } = this
    const writes: Undo['writes'] = []
    this.#writes = writes
    try {
      check()
    } finally {
      this.#writes = undefined
      this.#restore(writes)
      this.memoryLow = memoryLow
      this.memoryHigh = memoryHigh
    }
  }

  #restore(writes: Undo['writes']): void {
    const words = this.memory as Memory
    for (let at = writes.length - 1; at >= 0; at--) {
      const { word, value } = writes[at] as { word: number; value: number }
      words[word] = value
    }
  }

  #run(thread: SimThread): void {
    this.taken = 0
    this.#reads = 0
    thread.cursor = 0
    thread.stopped = false
    thread.pending = undefined
    thread.note = undefined
    thread.ready = false
    this.current = thread
    try {
      thread.result = thread.body()
      thread.done = true
    } catch (error) {
      if (error !== STOP) throw error
    } finally {
      this.current = undefined
    }
  }

  /** Runs the thread's whole log again: it must end where it ended before. */
  requireDeterminism(thread: SimThread): void {
    const { pending, done } = thread
    const length = thread.log.length
    this.#onlyReplays = true
    this.#run(thread)
    this.#onlyReplays = false
    const same = thread.pending?.verb === pending?.verb && thread.pending?.index === pending?.index
    if (!same || thread.done !== done || thread.log.length !== length) {
      throw new Violation(`thread ${thread.name} asked for other operations in a second run`)
    }
  }

  /** Whether another thread may be let in before this operation, or a death. */
  isStep(operation: Operation, thread: SimThread): boolean {
    if (this.#onlyReplays) return true
    if (this.isBackground(operation)) return false
    if (this.writers === undefined) return operation.switches
    // After a read that could have been the last of a dying thread, a write is one more step.
    if (operation.kind !== 'read') return operation.switches || this.#reads > 0
    const isPrivate = !operation.switches || this.writers.isPrivate(operation, thread.index)
    if (isPrivate && operation.switches) this.#reads++
    return !isPrivate
  }

  isBackground({ index, wide }: Operation): boolean {
    return this.backgroundWord(wide ? index * 2 : index)
  }

  noteResult(thread: SimThread, result: Value): void {
    const low = typeof result === 'bigint' ? Number(BigInt.asIntN(32, result)) : result | 0
    const high = typeof result === 'bigint' ? Number(BigInt.asIntN(32, result >> 32n)) : 0
    thread.hashLow = mix(thread.hashLow, mix(low, high))
    thread.hashHigh = mix(thread.hashHigh + 1, mix(high, low))
  }

  /** Notes the writer of a word that one thread alone may write. */
  own(operation: Operation): void {
    const word = operation.wide ? operation.index * 2 : operation.index
    if (this.current === undefined || !this.ownedWord(word)) return
    const owner = this.#owners.get(word)
    if (owner === undefined) {
      this.#owners.set(word, this.current.index)
      this.#undo?.owners.push(word)
    } else if (owner !== this.current.index) {
      const first = this.threads[owner]?.name
      throw new Violation(`word ${word} is ${first}'s own and was written by ${this.current.name}`)
    }
  }

  put(memory: Memory, word: number, value: number): number {
    const before = memory[word] as number
    memory[word] = value
    this.#noteWrite(word, before, memory[word] as number)
    return value
  }

  put64(memory: Memory, long: number, value: bigint): bigint {
    const low = memory[long * 2] as number
    const high = memory[long * 2 + 1] as number
    memory.longs[long] = value
    this.#noteWrite(long * 2, low, memory[long * 2] as number)
    this.#noteWrite(long * 2 + 1, high, memory[long * 2 + 1] as number)
    return value
  }

  #noteWrite(word: number, before: number, after: number): void {
    if (before === after) return
    this.#writes?.push({ word, value: before })
    if (this.backgroundWord(word)) return
    this.memoryLow ^= mix(word, before) ^ mix(word, after)
    this.memoryHigh ^= mix(before + 7, word + 1) ^ mix(after + 7, word + 1)
  }

  /** 53 bits that stand for (memory, logs while they can go on, who lives, `extra`). */
  key(extra: number): number {
    let low = mix(this.memoryLow, extra)
    let high = mix(this.memoryHigh, extra + 1)
    for (const thread of this.threads) {
      const life = thread.alive ? 1 : 0
      low = mix(low, mix(thread.hashLow, life))
      high = mix(high, mix(thread.hashHigh, life + 2))
    }
    return (high >>> 11) * 2 ** 32 + (low >>> 0)
  }

  enabled(): SimThread[] {
    return this.threads.filter(({ alive, done, waitsFor }) => {
      return alive && !done && (waitsFor === undefined || !waitsFor.alive)
    })
  }
}

export const machine = new Machine()

/** A body is where the search is to begin: see `Setting.first`. */
export function ready(): void {
  if (machine.current !== undefined && !machine.current.stopped) machine.current.ready = true
}

/** A body says where it is (say, which permit it holds), for `always` to look at. */
export function note(value: unknown): void {
  if (machine.current !== undefined && !machine.current.stopped) machine.current.note = value
}
