/**
 * A directory: a log of named things. Entry k says where thing k's definition (name, options)
 * stands and how long its record is; records stand in the arena one after the other, so a record's
 * place follows from the entries before it. A region has two: one of breakers, one of controls.
 *
 * An entry's definition may be replaced by one CAS: by one with other options (replace), or, once
 * the thing is gone, by that of another thing (making.ts). Each word of an entry is another, for it
 * counts them (its edition); so a definition that was read between two looks at one word was whole.
 *
 * 1. Fresh arena memory is zero, and zero is a whole record: of a breaker that is closed, at
 *    generation 0, with nothing counted.
 * 2. Names come in by makings only, one after the other, and MAKING counts them. So a thread that
 *    has read all entries as of a sequence number knows every name until that number changes.
 * 3. A maker that dies leaves a definition with its thread's number in it and no entry that names
 *    it; whoever sees the thread's death frees it (definitions.ts).
 *
 * Each thread keeps what it has read, and reads an entry anew when its word is another.
 */
import { load64 } from '#atomics'
import { RegionError } from '../errors.ts'
import { LINE_WORDS } from '../memory/layout.ts'
import type { Region } from '../memory/region.ts'
import type { Area, RegionShape } from '../memory/region-shape.ts'
import { definitionOf, linesOf, type ThreadId } from '../memory/words/threads.ts'
import type { SharedNumbers } from '../options/shared.ts'
import { type Definition, readDefinition } from './definitions.ts'

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
  /** Whether the thing is gone, so that its record may become another's. */
  isVacant(region: Region, entry: LogEntry<S>): boolean
  /** Whether its record, once vacant, can be that of a thing with these options. */
  fits(numbers: SharedNumbers, entry: LogEntry<S>): boolean
  /** The generation with which the record of a thing that is gone would be another's. */
  firstAfter(region: Region, entry: LogEntry<S>): number
  /** What these options may come to at the most; 0 where there is no such thing. */
  limitsOf(numbers: SharedNumbers): Limits
}

/** What bounds what may stand in a breaker's record. */
type Limits = Pick<Definition, 'longestWaitMs' | 'longestLeaseMs' | 'mostTrials'>

/** A thing as its directory knows it. */
export interface LogEntry<S> extends Definition {
  readonly name: string
  /** Its number in the directory. */
  readonly number: number
  /** The number of its definition. */
  readonly definition: number
  /** The entry's word, which says so; where it stands. */
  readonly word: bigint
  readonly long: number
  readonly shape: S
  /** Where its record starts, in words. */
  readonly record: number
}

/** Each one lost is a making or other options. */
const READ_ATTEMPTS = 1024

export class Log<S extends { readonly lines: number }> {
  readonly region: Region
  readonly id: ThreadId
  readonly contents: Contents<S>
  readonly area: Area
  /** As they were read last, by number. */
  readonly #entries: LogEntry<S>[] = []
  readonly #numbers = new Map<string, number>()
  #linesTaken = 0

  constructor(region: Region, id: ThreadId, contents: Contents<S>) {
    this.region = region
    this.id = id
    this.contents = contents
    this.area = contents.areaOf(region.shape)
  }

  /** The arena lines that no entry has taken. */
  get linesLeft(): number {
    return this.area.arenaLines - this.#linesTaken
  }

  /** What has been read, as it was then. */
  get read(): readonly LogEntry<S>[] {
    return this.#entries
  }

  /** How many entries there are. */
  count(): number {
    this.#readOn()
    return this.#entries.length
  }

  /** The entries from number `known` on, vacant ones too, in the order in which they were made. */
  entriesAfter(known: number): LogEntry<S>[] {
    const count = this.count()
    const found: LogEntry<S>[] = []
    for (let number = known; number < count; number++) found.push(this.#current(number))
    return found
  }

  /** Entry `number` as it is now; undefined when there is none. */
  at(number: number): LogEntry<S> | undefined {
    if (number >= this.#entries.length) this.#readOn()
    return number >= 0 && number < this.#entries.length ? this.#current(number) : undefined
  }

  /** The thing of that key, if this thread has read of it and it is still there. */
  known(key: string): LogEntry<S> | undefined {
    const number = this.#numbers.get(key)
    if (number === undefined) return undefined
    const entry = this.#current(number)
    const isIt = this.contents.keyOf(entry.name, entry.numbers) === key
    return isIt && !this.contents.isVacant(this.region, entry) ? entry : undefined
  }

  #current(number: number): LogEntry<S> {
    const known = this.#entries[number] as LogEntry<S>
    // ATOMIC directory.look
    //   observes: whether the entry still names the definition that was read.
    if (load64(this.region.memory, known.long) === known.word) return known
    const entry = this.#readEntry(known.number, known.record)
    if (entry === undefined || entry.shape.lines !== known.shape.lines) this.damaged(number)
    this.#forget(known)
    this.keep(entry)
    return entry
  }

  #forget({ name, numbers, number }: LogEntry<S>): void {
    const key = this.contents.keyOf(name, numbers)
    if (this.#numbers.get(key) === number) this.#numbers.delete(key)
  }

  protected keep(entry: LogEntry<S>): void {
    this.#entries[entry.number] = entry
    const key = this.contents.keyOf(entry.name, entry.numbers)
    const other = this.#numbers.get(key)
    const isOther = other !== undefined && other !== entry.number
    // A name has one thing at a time, but a vacant entry still says whose it was.
    if (isOther && this.contents.isVacant(this.region, entry)) return
    this.#numbers.set(key, entry.number)
  }

  /** Reads the entries that were made since the last look. */
  #readOn(): void {
    while (this.#entries.length < this.area.entries) {
      const number = this.#entries.length
      const entry = this.#readEntry(number, this.area.arena + this.#linesTaken * LINE_WORDS)
      if (entry === undefined) return
      this.#linesTaken += entry.shape.lines
      this.keep(entry)
    }
  }

  #readEntry(number: number, record: number): LogEntry<S> | undefined {
    const long = this.area.directoryLong + number
    for (let attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
      // ATOMIC directory.read
      //   observes: an entry's word, before and after all of its definition (pairs with publish,
      //             replace): the same word, so nobody had that definition for another.
      const word = load64(this.region.memory, long)
      if (word === 0n) return undefined
      const definition = definitionOf(word)
      const read = this.readDefinition(definition)
      if (load64(this.region.memory, long) !== word) continue
      if (read === undefined || read.shape.lines !== linesOf(word)) this.damaged(number)
      const end = (record - this.area.arena) / LINE_WORDS + read.shape.lines
      if (!(end <= this.area.arenaLines)) this.damaged(number)
      return Object.freeze({ ...read, number, definition, word, long, record })
    }
    return this.damaged(number)
  }

  /** What stands in a definition; undefined where that cannot be. */
  protected readDefinition(
    definition: number,
  ): (Definition & { name: string; shape: S }) | undefined {
    const { region, area, contents } = this
    if (!(definition >= 0 && definition < area.definitionCount)) return undefined
    const read = readDefinition(region.memory, area, definition)
    if (!(contents.areSound(read.numbers) && contents.areSound(read.made))) return undefined
    return { ...read, shape: contents.shapeOf(read.numbers, region.shape.maxThreads) }
  }

  damaged(number: number): never {
    throw new RegionError(`entry ${number} of the region's directory is damaged`)
  }
}
