/** Threads, and directories with their definitions. */
import { type Area, DEFINITION_WORDS, field, HEADER, LINE, type Parts } from './format.ts'
import { CERTAIN, hex, type Options, type Say } from './report.ts'

/** Words of a definition. */
const NAME_END = 69
const OPTIONS = 70
const OPTIONS_END = OPTIONS + 30
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

/** What a directory is of: breakers or controls. */
export interface Contents<N, S extends { readonly words: number }> {
  /** Before what is said of their entries, definitions and arena. */
  readonly prefix: string
  areaOf(parts: Parts): Area
  /** The options at word `at`, and what is wrong with them. */
  readOptions(parts: Parts, at: number): { numbers: N; faults: string[] }
  shapeOf(numbers: N, maxThreads: number): S
  /** What tells one from all the others, as it stands in messages. */
  keyOf(name: string, numbers: N): string
}

export interface Entry<N, S> {
  /** Its number in the directory. */
  readonly index: number
  readonly name: string
  readonly numbers: N
  /** Whether its options are legal: else its record cannot be read. */
  readonly isSound: boolean
  /** When it was made, in ms. */
  readonly created: number
  readonly shape: S
  readonly record: number
  readonly definition: number
}

/** What has been read of a directory. */
interface Log<N, S extends { readonly words: number }> {
  readonly parts: Parts
  readonly contents: Contents<N, S>
  readonly area: Area
  readonly entries: Entry<N, S>[]
  readonly published: Set<number>
  readonly keys: Set<string>
  readonly say: Say
  /** Where the next record starts, in words. */
  record: number
}

/** What stands in a directory, as far as its entries can be believed. */
export function checkDirectory<N, S extends { readonly words: number }>(
  parts: Parts,
  contents: Contents<N, S>,
  options: Options,
  holders: ReadonlyMap<number, number>,
  say: Say,
): Entry<N, S>[] {
  const area = contents.areaOf(parts)
  const told: Say = (sentence, certain) => say(`${contents.prefix}${sentence}`, certain)
  const found = { entries: [], published: new Set<number>(), keys: new Set<string>() }
  const log: Log<N, S> = { parts, contents, area, ...found, say: told, record: area.arena }
  let ended = false
  for (let index = 0; index < area.entries; index++) {
    const word = parts.long(area.directory + index * 2)
    const what = `entry ${index}, ENTRY is ${hex(word)}`
    if (word !== 0n && ended) told(`${what}, after an empty one`)
    ended ||= word === 0n
    if (!ended && !checkEntry(log, word, what)) return log.entries
  }
  const stray = parts.firstNonZero(log.record, area.end)
  if (stray >= 0) told(`arena, word ${stray} is ${hex(parts.word(stray))}, beyond the last record`)
  checkHolders(log, options, holders)
  return log.entries
}

/** False when nobody can tell where the next record starts. */
function checkEntry<N, S extends { readonly words: number }>(
  log: Log<N, S>,
  word: bigint,
  what: string,
): boolean {
  const { parts, contents, area } = log
  const wrong = (sentence: string): void => log.say(`${what}: ${sentence}`, CERTAIN)
  const definition = Number(BigInt.asIntN(32, word >> 32n)) - 1
  if (!(definition >= 0 && definition < area.definitionCount)) {
    wrong(`there is no definition ${definition}`)
    return false
  }
  if (log.published.has(definition)) wrong(`definition ${definition} has an entry already`)
  log.published.add(definition)
  const found = checkDefinition(log, definition)
  const key = contents.keyOf(found.name, found.numbers)
  if (log.keys.has(key)) wrong(`there is an entry for ${key} already`)
  log.keys.add(key)
  const shape = contents.shapeOf(found.numbers, parts.maxThreads)
  const words = field(word, 0, 32) * LINE
  if (shape.words !== words) {
    wrong(`its options need ${shape.words / LINE} lines, not ${words / LINE}`)
    return false
  }
  const { record } = log
  log.record += words
  if (log.record > area.end) {
    wrong('its record goes beyond the arena')
    return false
  }
  log.entries.push({ ...found, index: log.entries.length, shape, record, definition })
  return true
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function checkDefinition<N, S extends { readonly words: number }>(
  { parts, contents, area, say }: Log<N, S>,
  definition: number,
): Pick<Entry<N, S>, 'name' | 'numbers' | 'isSound' | 'created'> {
  const start = area.definitions + definition * DEFINITION_WORDS
  const what = `definition ${definition}`
  const created = parts.double(start + 2)
  if (!(created >= 0 && created * 1000 <= parts.now + 1)) {
    say(`${what}, CREATED is ${created}, not a time up to now`)
  }
  const { numbers, faults } = contents.readOptions(parts, start + OPTIONS)
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
function checkHolders<N, S extends { readonly words: number }>(
  { parts, area, published, say }: Log<N, S>,
  options: Options,
  holders: ReadonlyMap<number, number>,
): void {
  const living = new Set(holders.values())
  const othersMayLive = parts.word(HEADER.OVERFLOW_USED) !== 0
  for (let definition = 0; definition < area.definitionCount; definition++) {
    const start = area.definitions + definition * DEFINITION_WORDS
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
