/**
 * How things get into a directory: one after the other, each finished by whoever comes by.
 *
 *   propose   CAS MAKING from { sequence } to { sequence + 1, definition, entry }
 *   publish   CAS the entry from 0, or from a vacant thing's word, to { edition + 1, definition }
 *   finish    CAS MAKING to { sequence + 1 }
 *
 * 1. The proposer has read all entries as of `sequence` and not found the name, and its CAS says
 *    that nothing was made since. So no name is made twice, wherever there is room for it, and no
 *    group of keyed breakers gets more than it may have.
 * 2. An entry is published only while its making is the current one: who publishes has read the
 *    entry's word, then seen MAKING unmoved. A late one finds MAKING moved, or fails in its CAS,
 *    because no word of an entry comes twice.
 * 3. Whether it is published the entry says itself: its first generation is that of the definition
 *    that is being made. So nobody publishes twice, not even when the new thing has been given
 *    other options, or been removed, since. And who gives it other options finishes the making
 *    first, so that its definition is not another's while a helper reads it.
 * 4. Whoever dies leaves a making that the next thread finishes, or nothing.
 */
import { compareExchange64, load64 } from '#atomics'
import { RegionError, RegistryFullError } from '../errors.ts'
import { LINE_BYTES } from '../memory/layout.ts'
import {
  editionOfEntry,
  linesOf,
  nextEdition,
  nextSequence,
  packEntry,
  packMaking,
  unpackMaking,
} from '../memory/words/threads.ts'
import type { SharedNumbers } from '../options/shared.ts'
import {
  definitionHolder,
  fillDefinition,
  giveBackDefinition,
  releaseDefinition,
  takeDefinition,
} from './definitions.ts'
import { Log, type LogEntry } from './log.ts'

/** Each one lost is a making of another thread. */
const ATTEMPTS = 65_536

const NOTHING = { definition: -1, entry: 0 }

/** What is to be made. */
export interface Wanted {
  readonly name: string
  readonly bytes: Uint8Array
  readonly numbers: SharedNumbers
  /** Of a keyed breaker. */
  readonly group?: { readonly maxKeys: number; readonly prefixLength: number }
  /** Called while the thing is not there, before it is made: makes room, or throws. */
  readonly makeRoom?: () => void
}

export class MakingLog<S extends { readonly lines: number }> extends Log<S> {
  /** The making up to which this thread has read all entries; at first none. */
  #sequence = -1

  find(key: string): LogEntry<S> | undefined {
    const known = this.known(key)
    if (known !== undefined) return known
    const sequence = this.#finished()
    if (sequence === this.#sequence) return undefined
    // Anew: while an entry was read, what it is kept by may have gone on.
    for (const entry of this.entriesAfter(0)) this.keep(entry)
    this.#sequence = sequence
    return this.known(key)
  }

  /** Makes the thing, or finds the one that another thread has just made. */
  make(wanted: Wanted): LogEntry<S> {
    const key = this.contents.keyOf(wanted.name, wanted.numbers)
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const found = this.find(key)
      if (found !== undefined) return found
      try {
        wanted.makeRoom?.()
        this.#propose(wanted)
      } catch (error) {
        // There may be no room because another thread has just made this very thing.
        if (this.#finished() === this.#sequence) throw error
      }
    }
    throw new RegionError(`the directory is damaged: no entry for "${wanted.name}" could be made`)
  }

  #propose(wanted: Wanted): void {
    const { memory, shape } = this.region
    const { lines } = this.contents.shapeOf(wanted.numbers, shape.maxThreads)
    const entry = this.#vacancy(wanted.numbers)
    if (entry === undefined) this.#requireRoom(wanted.name, lines)
    const definition = this.#take(wanted.name)
    this.#fill(definition, wanted, entry)
    const number = entry?.number ?? this.count()
    const sequence = nextSequence(this.#sequence)
    // ATOMIC directory.propose
    //   observes:  no making since all entries were read.
    //   publishes: what is to be made, to whoever comes by.
    //   loses to:  another maker: read what it has made, at the bound the directory is damaged.
    //   dies here: before the CAS the definition is freed with its thread; after it anyone goes on.
    //   wraps:     26 bits of sequence: 67,108,864 makings within one.
    const before = packMaking({ sequence: this.#sequence, ...NOTHING })
    const mine = packMaking({ sequence, definition, entry: number })
    if (compareExchange64(memory, this.area.makingLong, before, mine) !== before) {
      giveBackDefinition(memory, this.area, definition, this.id)
      return
    }
    // Nothing else was made in between: with this entry all are known again.
    if (this.#finished() === sequence) this.#sequence = sequence
    this.at(number)
  }

  #fill(definition: number, wanted: Wanted, vacant: LogEntry<S> | undefined): void {
    const { bytes, numbers, group } = wanted
    fillDefinition(this.region.memory, this.area, definition, {
      bytes,
      numbers,
      made: numbers,
      createdAt: this.region.clock.now(),
      first: vacant === undefined ? 0 : this.contents.firstAfter(this.region, vacant),
      maxKeys: group?.maxKeys ?? 0,
      prefixLength: group?.prefixLength ?? 0,
      ...this.contents.limitsOf(numbers),
    })
  }

  /** A vacant entry with a record of the very shape. All entries have just been read. */
  #vacancy(numbers: SharedNumbers): LogEntry<S> | undefined {
    const { contents, region } = this
    return this.read.find(
      entry => contents.fits(numbers, entry) && contents.isVacant(region, entry),
    )
  }

  /** Finishes what is being made; the sequence number then. */
  #finished(): number {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const word = load64(this.region.memory, this.area.makingLong)
      const { sequence, definition, entry } = unpackMaking(word)
      if (definition < 0 && entry !== 0) this.damaged(entry)
      if (definition < 0) return sequence
      this.#finish(word)
    }
    throw new RegionError('the directory is damaged: what is being made there never ends')
  }

  #finish(word: bigint): void {
    const { memory } = this.region
    const { sequence } = unpackMaking(word)
    if (!this.#publish(word)) return
    // ATOMIC directory.finish
    //   observes:  the entry published.
    //   publishes: that the next may be made.
    //   loses to:  another helper.
    const after = packMaking({ sequence, ...NOTHING })
    compareExchange64(memory, this.area.makingLong, word, after)
  }

  /** Whether the entry of that making is published; false where another thread was at it. */
  #publish(word: bigint): boolean {
    const { memory } = this.region
    const { area } = this
    const { definition, entry: number } = unpackMaking(word)
    const there = this.at(number)
    const made = this.readDefinition(definition)
    const holder = there && definitionHolder(memory, area, there.definition)
    if (load64(memory, area.makingLong) !== word) return false
    const isPlace = number < area.entries && number <= this.count()
    if (made === undefined || !isPlace) this.damaged(number)
    if (there !== undefined && there.first === made.first) return true
    const lines = there === undefined ? made.shape.lines : linesOf(there.word)
    // ATOMIC directory.publish
    //   observes:  the entry empty or vacant, while its making is the current one.
    //   publishes: name, options and memory of a breaker or a control.
    //   loses to:  another helper: look again.
    //   dies here: before the CAS the next helper publishes; after it the old definition stays
    //              taken until the thread that made it ends.
    //   wraps:     20 bits of edition: 1,048,576 makings and options of one entry within this.
    const old = there?.word ?? 0n
    const mine = packEntry(nextEdition(editionOfEntry(old)), definition, lines)
    if (compareExchange64(memory, area.directoryLong + number, old, mine) !== old) return false
    if (there !== undefined && holder !== undefined) {
      releaseDefinition(memory, area, there.definition, holder)
    }
    return true
  }

  /**
   * Gives the thing of that entry other options. True when they are in force; false when the entry
   * is another by now.
   */
  replace(entry: LogEntry<S>, bytes: Uint8Array, numbers: SharedNumbers): boolean {
    const { memory } = this.region
    const { area } = this
    // What is being made is done with its definition before that can be released.
    this.#finished()
    const definition = this.#take(entry.name)
    const limits = this.contents.limitsOf(numbers)
    fillDefinition(memory, area, definition, {
      ...entry,
      bytes,
      numbers,
      longestWaitMs: Math.max(entry.longestWaitMs, limits.longestWaitMs),
      longestLeaseMs: Math.max(entry.longestLeaseMs, limits.longestLeaseMs),
      mostTrials: Math.max(entry.mostTrials, limits.mostTrials),
    })
    const old = entry.word
    const holder = definitionHolder(memory, area, entry.definition)
    // ATOMIC directory.replace
    //   observes:  the entry as it was read.
    //   publishes: other options for the same thing, all at once.
    //   loses to:  other options, or another thing in its place: the caller looks again.
    //   dies here: before the CAS the definition is freed with its thread; after it as in publish.
    //   wraps:     as directory.publish.
    const mine = packEntry(nextEdition(editionOfEntry(old)), definition, linesOf(old))
    const isOurs = compareExchange64(memory, entry.long, old, mine) === old
    if (isOurs) releaseDefinition(memory, area, entry.definition, holder)
    else giveBackDefinition(memory, area, definition, this.id)
    return isOurs
  }

  #take(name: string): number {
    const from = this.count()
    const definition = takeDefinition(this.region.memory, this.area, from, this.id)
    if (definition !== undefined) return definition
    const message = 'every definition is taken by threads that died while they made one'
    return this.#full(name, message, this.area.definitionCount)
  }

  #requireRoom(name: string, lines: number): void {
    const { entries, arenaLines } = this.area
    const { what, limit, size, remedy } = this.contents
    if (this.count() >= entries) {
      const message = `the registry has all its ${entries} ${what}s; make it with a larger ${limit}`
      this.#full(name, message, entries)
    }
    const left = this.linesLeft
    if (lines > left) {
      const message =
        `its ${size} need ${lines * LINE_BYTES} bytes and ${left * LINE_BYTES} of the ` +
        `registry's ${arenaLines * LINE_BYTES} are left; make the registry with ${remedy}`
      this.#full(name, message, arenaLines * LINE_BYTES)
    }
  }

  #full(name: string, message: string, limit: number): never {
    throw new RegistryFullError(this.contents.what, name, message, limit)
  }
}
