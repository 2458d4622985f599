/**
 * The directory: a log of breakers that only grows. Entry k says where breaker k's definition
 * (name, options) stands and how long its record is; records stand in the arena one after the
 * other, so a record's place follows from the entries before it.
 *
 * A maker takes a free definition, fills it unseen, and publishes it by one CAS on the first empty
 * entry. That CAS gives the breaker its name, its options and its memory at once.
 *
 * 1. Fresh arena memory is zero, and zero is a whole record: closed, generation 0, nothing counted.
 * 2. Two makers of one name meet at the same entry: the loser reads the winner's entry before it
 *    tries the next, finds its name, and gives its definition back.
 * 3. A maker that dies leaves a definition with its thread's number in it and no entry that names
 *    it; whoever sees the thread's death frees it.
 *
 * Each thread reads every entry once and finds names in a map of its own.
 */
import {
  compareExchange64,
  load64,
  readFixed,
  readFixedDouble,
  writeFixed,
  writeFixedDouble,
} from '#atomics'
import { RegionError, RegistryFullError } from '../errors.ts'
import type { Memory } from '../memory/atomics.ts'
import {
  DEFINITION,
  DEFINITION_WORDS,
  LINE_BYTES,
  LINE_WORDS,
  MAX_NAME_BYTES,
  type RegionShape,
} from '../memory/layout.ts'
import { type Region, readNumbers, recordShapeOf, writeNumbers } from '../memory/region.ts'
import {
  definitionOf,
  linesOf,
  packEntry,
  packThread,
  type ThreadId,
  threadOf,
} from '../memory/words/threads.ts'
import { areSound, type SharedNumbers } from '../options/shared.ts'
import { type Cell, makeCell, type News, NO_NEWS, type Placement } from './cell.ts'

/** A breaker as the directory knows it. */
export interface Entry extends Placement {
  readonly name: string
  /** The number of its definition. */
  readonly definition: number
}

/** The breaker as a thread that tells `news` sees it. */
export function cellOf(region: Region, entry: Entry, id: ThreadId, news: News = NO_NEWS): Cell {
  const { memory, clock, shape, seed } = region
  return makeCell({ memory, clock, region: shape, seed, thread: id.thread, news }, entry)
}

export class Directory {
  readonly #region: Region
  readonly #id: ThreadId
  readonly #byName = new Map<string, Entry>()
  /** Entries read so far, and the arena lines that they take. */
  #known = 0
  #linesTaken = 0

  constructor(region: Region, id: ThreadId) {
    this.#region = region
    this.#id = id
  }

  names(): string[] {
    this.#readOn()
    return [...this.#byName.keys()]
  }

  /** The entries from number `known` on, in the order in which they were made. */
  entriesAfter(known: number): Entry[] {
    this.#readOn()
    return known < this.#known ? [...this.#byName.values()].slice(known) : []
  }

  /** Every breaker's cell, made for the occasion: for reaping and leaving. */
  cells(): Cell[] {
    return this.entriesAfter(0).map(entry => cellOf(this.#region, entry, this.#id))
  }

  find(name: string): Entry | undefined {
    const known = this.#byName.get(name)
    if (known !== undefined) return known
    this.#readOn()
    return this.#byName.get(name)
  }

  /** Makes the breaker, or finds the one that another thread has just made. */
  make(name: string, bytes: Uint8Array, numbers: SharedNumbers): Entry {
    const { memory, shape } = this.#region
    const lines = recordShapeOf(numbers, shape.maxThreads).lines
    const definition = this.#takeDefinition(name)
    this.#fill(definition, bytes, numbers)
    let isOurs = false
    try {
      for (let attempt = 0; attempt <= shape.maxBreakers; attempt++) {
        const found = this.find(name)
        if (found !== undefined) return found
        this.#requireRoom(name, lines)
        // ATOMIC directory.publish
        //   observes:  the first empty entry.
        //   publishes: name, options and memory of a breaker.
        //   loses to:  another maker: read its entry, then try the next.
        //   dies here: before the CAS the definition is freed with its thread; after it, it stands.
        const at = shape.directoryLong + this.#known
        isOurs = compareExchange64(memory, at, 0n, packEntry(definition, lines)) === 0n
      }
      return this.#unfinished(name)
    } finally {
      if (!isOurs) this.#giveBack(definition)
    }
  }

  #unfinished(name: string): never {
    throw new RegionError(`the directory is damaged: no entry for "${name}" could be made`)
  }

  #requireRoom(name: string, lines: number): void {
    const { shape } = this.#region
    if (this.#known >= shape.maxBreakers) {
      throw new RegistryFullError(
        name,
        `the registry has all its ${shape.maxBreakers} breakers; make it with a larger maxBreakers`,
        shape.maxBreakers,
      )
    }
    if (this.#linesTaken + lines > shape.arenaLines) {
      throw new RegistryFullError(
        name,
        `its windows need ${lines * LINE_BYTES} bytes and ` +
          `${(shape.arenaLines - this.#linesTaken) * LINE_BYTES} of the registry's ` +
          `${shape.arenaLines * LINE_BYTES} are left; make the registry with a larger ` +
          'maxBreakers, or with the largest sliding window in its defaults',
        shape.arenaLines * LINE_BYTES,
      )
    }
  }

  #definitionStart(definition: number): number {
    return this.#region.shape.definitions + definition * DEFINITION_WORDS
  }

  #takeDefinition(name: string): number {
    const { memory, shape } = this.#region
    const mine = packThread(true, 0, this.#id)
    for (let step = 0; step < shape.definitionCount; step++) {
      const definition = (this.#known + step) % shape.definitionCount
      const at = this.#definitionStart(definition) / 2 + DEFINITION.HOLDER_LONG
      // ATOMIC directory.take
      //   publishes: who fills this definition.
      //   loses to:  another maker: try the next.
      //   dies here: whoever sees the thread's death frees it (directory.free).
      if (load64(memory, at) === 0n && compareExchange64(memory, at, 0n, mine) === 0n) {
        return definition
      }
    }
    throw new RegistryFullError(
      name,
      'every definition is taken by threads that died while they made a breaker',
      shape.definitionCount,
    )
  }

  #fill(definition: number, bytes: Uint8Array, numbers: SharedNumbers): void {
    const { memory, clock } = this.#region
    const start = this.#definitionStart(definition)
    writeFixed(memory, start + DEFINITION.NAME_BYTES, bytes.length)
    for (let at = 0; at < bytes.length; at += 4) {
      const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(at, at + 4)
      writeFixed(memory, start + DEFINITION.NAME + at / 4, a | (b << 8) | (c << 16) | (d << 24))
    }
    writeFixedDouble(memory, start / 2 + DEFINITION.CREATED_DOUBLE, clock.now())
    writeNumbers(memory, start / 2 + DEFINITION.OPTIONS_DOUBLE, numbers)
  }

  /** Gives a definition back that does not stand in the directory. */
  #giveBack(definition: number): void {
    const { memory, shape } = this.#region
    freeDefinition(memory, shape, definition, packThread(true, 0, this.#id))
  }

  /** Reads the entries that were made since the last look. */
  #readOn(): void {
    const { memory, shape } = this.#region
    while (this.#known < shape.maxBreakers) {
      // ATOMIC directory.read
      //   observes: a published entry: all of its definition is there (pairs with publish).
      const word = load64(memory, shape.directoryLong + this.#known)
      if (word === 0n) return
      const entry = this.#readEntry(word)
      this.#byName.set(entry.name, entry)
      this.#known++
      this.#linesTaken += entry.shape.lines
    }
  }

  #readEntry(word: bigint): Entry {
    const { memory, shape } = this.#region
    const definition = definitionOf(word)
    if (!(definition >= 0 && definition < shape.definitionCount)) this.#damaged()
    const start = this.#definitionStart(definition)
    const numbers = readNumbers(memory, start / 2 + DEFINITION.OPTIONS_DOUBLE)
    if (!areSound(numbers)) this.#damaged()
    const recordShape = recordShapeOf(numbers, shape.maxThreads)
    const fits = this.#linesTaken + recordShape.lines <= shape.arenaLines
    if (recordShape.lines !== linesOf(word) || !fits) this.#damaged()
    return Object.freeze({
      name: readName(memory, start),
      breaker: this.#known,
      definition,
      numbers,
      createdAt: readFixedDouble(memory, start / 2 + DEFINITION.CREATED_DOUBLE),
      shape: recordShape,
      record: shape.arena + this.#linesTaken * LINE_WORDS,
    })
  }

  #damaged(): never {
    throw new RegionError(`entry ${this.#known} of the region's directory is damaged`)
  }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

function readName(memory: Memory, start: number): string {
  const length = Math.min(readFixed(memory, start + DEFINITION.NAME_BYTES), MAX_NAME_BYTES)
  const bytes = new Uint8Array(Math.max(0, length))
  for (let at = 0; at < length; at++) {
    bytes[at] = (readFixed(memory, start + DEFINITION.NAME + (at >> 2)) >>> ((at & 3) * 8)) & 0xff
  }
  return decoder.decode(bytes)
}

function isPublished(memory: Memory, shape: RegionShape, definition: number): boolean {
  for (let entry = 0; entry < shape.maxBreakers; entry++) {
    const word = load64(memory, shape.directoryLong + entry)
    if (word === 0n) return false
    if (definitionOf(word) === definition) return true
  }
  return false
}

function freeDefinition(
  memory: Memory,
  shape: RegionShape,
  definition: number,
  holder: bigint,
): void {
  if (isPublished(memory, shape, definition)) return
  // ATOMIC directory.free
  //   observes:  no entry names it, and its holder, who alone could publish it, does so no more.
  //   loses to:  another reaper.
  const at = (shape.definitions + definition * DEFINITION_WORDS) / 2 + DEFINITION.HOLDER_LONG
  compareExchange64(memory, at, holder, 0n)
}

/** Frees the definitions that dead threads had taken and not published. */
export function freeDefinitionsOf(
  memory: Memory,
  shape: RegionShape,
  dead: ReadonlySet<number>,
): void {
  for (let definition = 0; definition < shape.definitionCount; definition++) {
    const at = (shape.definitions + definition * DEFINITION_WORDS) / 2 + DEFINITION.HOLDER_LONG
    const holder = load64(memory, at)
    if (holder !== 0n && dead.has(threadOf(holder).thread)) {
      freeDefinition(memory, shape, definition, holder)
    }
  }
}
