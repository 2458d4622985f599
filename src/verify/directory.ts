/** Threads, directory and definitions. */
import {
  DEFINITION_WORDS,
  field,
  HEADER,
  LINE,
  type Numbers,
  type Parts,
  readOptions,
  type Shape,
  shapeOf,
} from './format.ts'
import { CERTAIN, hex, type Options, type Say } from './report.ts'

/** Words of a definition. */
const NAME_END = 69
const OPTIONS = 70
const OPTIONS_END = OPTIONS + 28
/** In the parent's place of a THREAD word: its thread is known to have ended. */
const DEAD = 2 ** 26 - 1
/** Threads from this number on are not Node's, which alone numbers each once. */
const FIRST_NATIVE = 2 ** 25

/**
 * The threads that hold a slot, by slot. One that is marked dead holds it until it is reaped, which
 * who marks it does at once, unless it dies as well.
 */
export function checkThreads(parts: Parts, options: Options, say: Say): Map<number, number> {
  const holders = new Map<number, number>()
  const slotsUsed = parts.word(HEADER.SLOTS_USED)
  const overflow = parts.long(parts.threads)
  if (overflow !== 0n) say(`slot 0, THREAD is ${hex(overflow)}`, CERTAIN)
  for (let slot = 1; slot <= parts.maxThreads; slot++) {
    const word = parts.long(parts.threads + slot * 2)
    const what = `slot ${slot}, THREAD is ${hex(word)}`
    if (word !== 0n && slot > slotsUsed) say(`${what}, beyond SLOTS_USED ${slotsUsed}`)
    if (word >= 0n) {
      if (field(word, 0, 52) !== 0) say(`${what}: free, yet it names a thread`, CERTAIN)
      continue
    }
    const thread = field(word, 26, 26)
    const other = [...holders].find(([, holder]) => holder === thread)
    if (other !== undefined && thread < FIRST_NATIVE)
      say(`${what}: thread ${thread} holds slot ${other[0]} as well`)
    if (field(word, 0, 26) === DEAD && !options.deaths) say(`${what}: dead, and nobody reaped it`)
    holders.set(slot, thread)
  }
  return holders
}

export interface Entry {
  /** Its number in the directory. */
  readonly index: number
  readonly name: string
  readonly numbers: Numbers
  /** Whether its options are legal: else its record cannot be read. */
  readonly isSound: boolean
  /** When it was made, in ms. */
  readonly created: number
  readonly shape: Shape
  readonly record: number
  readonly definition: number
}

/** What has been read of the directory. */
interface Log {
  readonly entries: Entry[]
  readonly published: Set<number>
  readonly names: Set<string>
  /** Where the next record starts, in words. */
  record: number
}

/** The breakers of the region, as far as their entries can be believed. */
export function checkDirectory(
  parts: Parts,
  options: Options,
  holders: ReadonlyMap<number, number>,
  say: Say,
): Entry[] {
  const log: Log = { entries: [], published: new Set(), names: new Set(), record: parts.arena }
  let ended = false
  for (let index = 0; index < parts.maxBreakers; index++) {
    const word = parts.long(parts.directory + index * 2)
    const what = `entry ${index}, ENTRY is ${hex(word)}`
    if (word !== 0n && ended) say(`${what}, after an empty one`)
    ended ||= word === 0n
    if (!ended && !checkEntry(parts, word, what, log, say)) return log.entries
  }
  const stray = parts.firstNonZero(log.record, parts.arena + parts.arenaWords)
  if (stray >= 0) say(`arena, word ${stray} is ${hex(parts.word(stray))}, beyond the last record`)
  checkHolders(parts, options, log.published, holders, say)
  return log.entries
}

/** False when nobody can tell where the next record starts. */
function checkEntry(parts: Parts, word: bigint, what: string, log: Log, say: Say): boolean {
  const wrong = (sentence: string): void => say(`${what}: ${sentence}`, CERTAIN)
  const definition = Number(BigInt.asIntN(32, word >> 32n)) - 1
  if (!(definition >= 0 && definition < parts.definitionCount)) {
    wrong(`there is no definition ${definition}`)
    return false
  }
  if (log.published.has(definition)) wrong(`definition ${definition} has an entry already`)
  log.published.add(definition)
  const found = checkDefinition(parts, definition, say)
  if (log.names.has(found.name)) wrong(`there is an entry for "${found.name}" already`)
  log.names.add(found.name)
  const shape = shapeOf(found.numbers, parts.maxThreads)
  const words = field(word, 0, 32) * LINE
  if (shape.words !== words) {
    wrong(`its options need ${shape.words / LINE} lines, not ${words / LINE}`)
    return false
  }
  const { record } = log
  log.record += words
  if (log.record > parts.arena + parts.arenaWords) {
    wrong('its record goes beyond the arena')
    return false
  }
  log.entries.push({ ...found, index: log.entries.length, shape, record, definition })
  return true
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function checkDefinition(
  parts: Parts,
  definition: number,
  say: Say,
): Pick<Entry, 'name' | 'numbers' | 'isSound' | 'created'> {
  const start = parts.definitions + definition * DEFINITION_WORDS
  const what = `definition ${definition}`
  const created = parts.double(start + 2)
  if (!(created >= 0 && created * 1000 <= parts.now + 1)) {
    say(`${what}, CREATED is ${created}, not a time up to now`)
  }
  const { numbers, faults } = readOptions(parts, start + OPTIONS)
  for (const fault of faults) say(`${what}, ${fault}`, CERTAIN)
  const options = { numbers, isSound: faults.length === 0, created }
  const length = parts.word(start + 4)
  if (!(length >= 1 && length <= 255)) {
    say(`${what}, NAME_BYTES is ${length}, not in 1 .. 255`, CERTAIN)
    return { name: `?${definition}`, ...options }
  }
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; at++) {
    bytes[at] = parts.word(start + 5 + (at >> 2)) >>> ((at & 3) * 8)
  }
  try {
    return { name: decoder.decode(bytes), ...options }
  } catch {
    say(`${what}, NAME is ${Buffer.from(bytes).toString('hex')}, not UTF-8`, CERTAIN)
    return { name: `?${definition}`, ...options }
  }
}

/** A definition without an entry is free, or a living thread is about to publish it. */
function checkHolders(
  parts: Parts,
  options: Options,
  published: ReadonlySet<number>,
  holders: ReadonlyMap<number, number>,
  say: Say,
): void {
  const living = new Set(holders.values())
  const othersMayLive = parts.word(HEADER.OVERFLOW_USED) !== 0
  for (let definition = 0; definition < parts.definitionCount; definition++) {
    const start = parts.definitions + definition * DEFINITION_WORDS
    checkUnused(parts, start, definition, say)
    const holder = parts.long(start)
    const what = `definition ${definition}, HOLDER is ${hex(holder)}`
    if (holder !== 0n && field(holder, 52, 12) !== 0x800)
      say(`${what}: not a maker's word`, CERTAIN)
    if (published.has(definition)) {
      if (holder === 0n) say(`${what}: free, yet the directory names it`, CERTAIN)
    } else if (holder !== 0n) {
      const thread = field(holder, 26, 26)
      if (options.quiet) say(`${what}: taken by thread ${thread} and never published`)
      else if (!living.has(thread) && !othersMayLive) {
        say(`${what}: taken by thread ${thread}, which is not alive, and not published`)
      }
    }
  }
}

function checkUnused(parts: Parts, start: number, definition: number, say: Say): void {
  for (const [from, to] of [
    [NAME_END, OPTIONS],
    [OPTIONS_END, DEFINITION_WORDS],
  ] as const) {
    const at = parts.firstNonZero(start + from, start + to)
    if (at < 0) continue
    say(`definition ${definition}, unused word ${at} is ${hex(parts.word(at))}, not 0`, CERTAIN)
  }
}
