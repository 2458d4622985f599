/** Threads, and directories. */
import { checkDefinition, checkHolders, type Defined, type Definition } from './definitions.ts'
import { type Area, field, HEADER, LINE, type Parts } from './format.ts'
import { checkMaking } from './making.ts'
import { CERTAIN, hex, type Options, type Say } from './report.ts'

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
export interface Contents<N, S extends { readonly words: number }> extends Defined<N> {
  /** Before what is said of their entries, definitions and arena. */
  readonly prefix: string
  areaOf(parts: Parts): Area
  shapeOf(numbers: N, maxThreads: number): S
  /** What tells one from all the others, as it stands in messages. */
  keyOf(name: string, numbers: N): string
  /** How far the removal of what had the record before has come. */
  removalOf(parts: Parts, record: number, first: number): Removal
}

/** `removed`: the record is nobody's. `to begin`: it is another's, which nobody has used yet. */
export type Removal = 'none' | 'removed' | 'to begin'

export interface Entry<N, S> extends Definition<N> {
  /** Its number in the directory. */
  readonly index: number
  readonly shape: S
  readonly record: number
  readonly definition: number
  readonly edition: number
  readonly removal: Removal
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
  const making = checkMaking(parts, area, options, log.entries, told)
  const taken = { published: log.published, making }
  checkHolders(parts, contents.isFixed, area, taken, options, holders, told)
  checkGroups(log.entries, told)
  return log.entries
}

/** False when nobody can tell where the next record starts. */
function checkEntry<N, S extends { readonly words: number }>(
  log: Log<N, S>,
  word: bigint,
  what: string,
): boolean {
  const { parts, contents, area, record } = log
  const wrong: Say = (sentence, certain) => log.say(`${what}: ${sentence}`, certain)
  const definition = field(word, 24, 20) - 1
  if (!(definition >= 0 && definition < area.definitionCount)) {
    wrong(`there is no definition ${definition}`, CERTAIN)
    return false
  }
  if (log.published.has(definition)) {
    wrong(`definition ${definition} has an entry already`, contents.isFixed)
  }
  log.published.add(definition)
  const found = checkDefinition(parts, contents, area, definition, log.say)
  const shape = contents.shapeOf(found.numbers, parts.maxThreads)
  const words = field(word, 0, 24) * LINE
  if (shape.words !== words) {
    wrong(`its options need ${shape.words / LINE} lines, not ${words / LINE}`, contents.isFixed)
    return false
  }
  log.record += words
  if (log.record > area.end) {
    wrong('its record goes beyond the arena', CERTAIN)
    return false
  }
  const removal = contents.removalOf(parts, record, found.first)
  if (removal !== 'removed') checkKey(log, contents.keyOf(found.name, found.numbers), wrong)
  const index = log.entries.length
  log.entries.push({
    ...found,
    index,
    shape,
    record,
    definition,
    edition: field(word, 44, 20),
    removal,
  })
  return true
}

/** What is removed still says what it was called; another may be called so by now. */
function checkKey<N, S extends { readonly words: number }>(
  { keys, contents }: Log<N, S>,
  key: string,
  wrong: Say,
): void {
  if (keys.has(key)) wrong(`there is an entry for ${key} already`, contents.isFixed)
  keys.add(key)
}

/** Threads may have given a group different sizes: the largest counts. */
function checkGroups<N, S>(entries: readonly Entry<N, S>[], say: Say): void {
  const groups = new Map<string, { keys: number; most: number }>()
  for (const { removal, maxKeys, group } of entries) {
    if (removal === 'removed' || maxKeys === 0) continue
    const { keys, most } = groups.get(group) ?? { keys: 0, most: 0 }
    groups.set(group, { keys: keys + 1, most: Math.max(most, maxKeys) })
  }
  for (const [group, { keys, most }] of groups) {
    if (keys > most) say(`group "${group}" has ${keys} breakers, MAX_KEYS is ${most}`)
  }
}
