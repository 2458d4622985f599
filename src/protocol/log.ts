/**
 * A directory: a log of named things that only grows. Entry k says where thing k's definition
 * (name, options) stands and how long its record is; records stand in the arena one after the
 * other, so a record's place follows from the entries before it. A region has two: one of breakers,
 * one of controls.
 *
 * A maker takes a free definition, fills it unseen, and publishes it by one CAS on the first empty
 * entry. That CAS gives the thing its name, its options and its memory at once.
 *
 * 1. Fresh arena memory is zero, and zero is a whole record: of a breaker that is closed, at
 *    generation 0, with nothing counted.
 * 2. Two makers of one name meet at the same entry: the loser reads the winner's entry before it
 *    tries the next, finds its name, and gives its definition back.
 * 3. A maker that dies leaves a definition with its thread's number in it and no entry that names
 *    it; whoever sees the thread's death frees it (definitions.ts).
 *
 * Each thread reads every entry once and finds names in a map of its own.
 */
import { compareExchange64, load64 } from '#atomics'
import { RegionError, RegistryFullError } from '../errors.ts'
import { LINE_BYTES, LINE_WORDS } from '../memory/layout.ts'
import type { Region } from '../memory/region.ts'
import type { Area, RegionShape } from '../memory/region-shape.ts'
import { definitionOf, linesOf, packEntry, type ThreadId } from '../memory/words/threads.ts'
import type { SharedNumbers } from '../options/shared.ts'
import {
  fillDefinition,
  giveBackDefinition,
  readDefinition,
  takeDefinition,
} from './definitions.ts'

/** What a directory is of. */
export interface Contents<S extends { readonly lines: number }> {
  /** One of them, in messages. */
  readonly what: string
  /** The option of the registry that says how many there may be. */
  readonly limit: string
  /** What its records are long for, in messages. */
  readonly size: string
  /** What to ask for when there is no room. */
  readonly remedy: string
  areaOf(region: RegionShape): Area
  areSound(numbers: SharedNumbers): boolean
  shapeOf(numbers: SharedNumbers, maxThreads: number): S
  /** By what it is found: two of one key are the same. */
  keyOf(name: string, numbers: SharedNumbers): string
}

/** A thing as its directory knows it. */
export interface LogEntry<S> {
  readonly name: string
  /** Its number in the directory. */
  readonly number: number
  /** The number of its definition. */
  readonly definition: number
  readonly numbers: SharedNumbers
  /** In ms of the registry's clock. */
  readonly createdAt: number
  readonly shape: S
  /** Where its record starts, in words. */
  readonly record: number
}

export class Log<S extends { readonly lines: number }> {
  readonly #region: Region
  readonly #id: ThreadId
  readonly #contents: Contents<S>
  readonly #area: Area
  readonly #byKey = new Map<string, LogEntry<S>>()
  /** Entries read so far, and the arena lines that they take. */
  #known = 0
  #linesTaken = 0

  constructor(region: Region, id: ThreadId, contents: Contents<S>) {
    this.#region = region
    this.#id = id
    this.#contents = contents
    this.#area = contents.areaOf(region.shape)
  }

  /** The entries from number `known` on, in the order in which they were made. */
  entriesAfter(known: number): LogEntry<S>[] {
    this.#readOn()
    return known < this.#known ? [...this.#byKey.values()].slice(known) : []
  }

  find(key: string): LogEntry<S> | undefined {
    const known = this.#byKey.get(key)
    if (known !== undefined) return known
    this.#readOn()
    return this.#byKey.get(key)
  }

  /** Makes the thing, or finds the one that another thread has just made. */
  make(name: string, bytes: Uint8Array, numbers: SharedNumbers): LogEntry<S> {
    const { memory, shape, clock } = this.#region
    const { lines } = this.#contents.shapeOf(numbers, shape.maxThreads)
    const key = this.#contents.keyOf(name, numbers)
    const definition = this.#takeDefinition(name)
    fillDefinition(memory, this.#area, definition, { bytes, numbers, createdAt: clock.now() })
    let isOurs = false
    try {
      for (let attempt = 0; attempt <= this.#area.entries; attempt++) {
        const found = this.find(key)
        if (found !== undefined) return found
        this.#requireRoom(name, lines)
        // ATOMIC directory.publish
        //   observes:  the first empty entry.
        //   publishes: name, options and memory of a breaker or a control.
        //   loses to:  another maker: read its entry, then try the next.
        //   dies here: before the CAS the definition is freed with its thread; after it, it stands.
        const at = this.#area.directoryLong + this.#known
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

  #full(name: string, message: string, limit: number): never {
    throw new RegistryFullError(this.#contents.what, name, message, limit)
  }

  #requireRoom(name: string, lines: number): void {
    const { entries, arenaLines } = this.#area
    const { what, limit, size, remedy } = this.#contents
    if (this.#known >= entries) {
      const message = `the registry has all its ${entries} ${what}s; make it with a larger ${limit}`
      this.#full(name, message, entries)
    }
    const left = arenaLines - this.#linesTaken
    if (lines > left) {
      const message =
        `its ${size} need ${lines * LINE_BYTES} bytes and ${left * LINE_BYTES} of the ` +
        `registry's ${arenaLines * LINE_BYTES} are left; make the registry with ${remedy}`
      this.#full(name, message, arenaLines * LINE_BYTES)
    }
  }

  #takeDefinition(name: string): number {
    const definition = takeDefinition(this.#region.memory, this.#area, this.#known, this.#id)
    if (definition !== undefined) return definition
    const message = 'every definition is taken by threads that died while they made one'
    return this.#full(name, message, this.#area.definitionCount)
  }

  /** Gives a definition back that does not stand in the directory. */
  #giveBack(definition: number): void {
    giveBackDefinition(this.#region.memory, this.#area, definition, this.#id)
  }

  /** Reads the entries that were made since the last look. */
  #readOn(): void {
    const { memory } = this.#region
    while (this.#known < this.#area.entries) {
      // ATOMIC directory.read
      //   observes: a published entry: all of its definition is there (pairs with publish).
      const word = load64(memory, this.#area.directoryLong + this.#known)
      if (word === 0n) return
      const entry = this.#readEntry(word)
      this.#byKey.set(this.#contents.keyOf(entry.name, entry.numbers), entry)
      this.#known++
      this.#linesTaken += entry.shape.lines
    }
  }

  #readEntry(word: bigint): LogEntry<S> {
    const { memory, shape: region } = this.#region
    const { definitionCount, arena, arenaLines } = this.#area
    const definition = definitionOf(word)
    if (!(definition >= 0 && definition < definitionCount)) this.#damaged()
    const { name, numbers, createdAt } = readDefinition(memory, this.#area, definition)
    if (!this.#contents.areSound(numbers)) this.#damaged()
    const shape = this.#contents.shapeOf(numbers, region.maxThreads)
    const fits = this.#linesTaken + shape.lines <= arenaLines
    if (shape.lines !== linesOf(word) || !fits) this.#damaged()
    const record = arena + this.#linesTaken * LINE_WORDS
    return Object.freeze({
      name,
      number: this.#known,
      definition,
      numbers,
      createdAt,
      shape,
      record,
    })
  }

  #damaged(): never {
    throw new RegionError(`entry ${this.#known} of the region's directory is damaged`)
  }
}
