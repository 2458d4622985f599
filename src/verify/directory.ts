/** Header, threads, directory and definitions. */
import { memoryBytesOf } from '../memory/kernel-memory.ts'
import {
  DEFINITION_WORDS,
  field,
  HEADER,
  LINE,
  MAGIC,
  type Numbers,
  type Parts,
  readOptions,
  type Shape,
  shapeOf,
} from './format.ts'
import { CERTAIN, hex, type Options, type Say } from './report.ts'

/** Of the TICK word. */
const LAST_TICK = 2 ** 30
/** In the parent's place of a THREAD word: its thread is known to have ended. */
const DEAD = 2 ** 26 - 1
/** Threads from this number on are not Node's, which alone numbers each once. */
const FIRST_NATIVE = 2 ** 25

/** True when the header says enough to go on. */
export function checkHeader(parts: Parts, say: Say): boolean {
  const at = (name: keyof typeof HEADER): number => parts.word(HEADER[name])
  const expect = (name: keyof typeof HEADER, low: number, high: number): boolean => {
    const holds = at(name) >= low && at(name) <= high
    if (!holds) say(`header, ${name} is ${at(name)}, not in ${low} .. ${high}`, CERTAIN)
    return holds
  }
  const isWhole = [
    expect('MAGIC', MAGIC, MAGIC),
    expect('VERSION', 1, 1),
    expect('MAX_BREAKERS', 1, 65_536),
    expect('MAX_THREADS', 1, 1023),
    expect('ARENA_LINES', 1, 2 ** 31 - 1),
  ]
  if (isWhole.includes(false)) return false
  const { maxBreakers, maxThreads } = parts
  const words = parts.arena + parts.arenaWords
  const bytes = words * 4
  const { byteLength } = parts.memory
  if (bytes !== byteLength && byteLength !== memoryBytesOf({ maxBreakers, maxThreads, words })) {
    say(`header, geometry asks for ${bytes} bytes, the buffer has ${byteLength}`, CERTAIN)
    return false
  }
  expect('CLOCK', 0, 1)
  expect('SLOTS_USED', 0, parts.maxThreads)
  expect('OVERFLOW_USED', 0, 1)
  expect('ACTIVE', 0, 1)
  expect('DAMAGED', 0, 0)
  checkTimes(parts, say)
  checkKeeper(parts, say)
  checkPadding(parts, say)
  const { faults } = readOptions(parts, parts.defaults)
  for (const fault of faults) say(`defaults, ${fault}`, CERTAIN)
  return true
}

function checkTimes(parts: Parts, say: Say): void {
  const origin = parts.double(HEADER.ORIGIN)
  if (!(origin > 0 && Number.isFinite(origin))) {
    say(`header, ORIGIN is ${origin}, not a time`, CERTAIN)
  }
  const timeout = parts.double(HEADER.DEFAULT_TIMEOUT)
  if (!(timeout >= 0 && timeout <= 2147483647)) {
    say(`header, DEFAULT_TIMEOUT is ${timeout}, not in 0 .. 2147483647`, CERTAIN)
  }
  const clock = parts.long(HEADER.MANUAL_CLOCK)
  const isManual = parts.word(HEADER.CLOCK) === 1
  if (clock < 0n || (clock > 0n && !isManual)) say(`header, MANUAL_CLOCK is ${clock}`, CERTAIN)
}

/** TICK: 0 = no keeper, -1 = asleep, else its last tick. A region made without one has none. */
function checkKeeper(parts: Parts, say: Say): void {
  const tickMs = parts.double(HEADER.TICK_MS)
  const isLegal = tickMs === 0 || (Number.isInteger(tickMs) && tickMs >= 1 && tickMs <= 1000)
  if (!isLegal) {
    say(`header, TICK_MS is ${tickMs}, neither 0 nor a whole number in 1 .. 1000`, CERTAIN)
  }
  if (tickMs !== 0 && parts.word(HEADER.CLOCK) === 1) {
    say(`header, TICK_MS is ${tickMs}, yet the clock is manual`, CERTAIN)
  }
  const tick = parts.word(HEADER.TICK)
  if (!(tick >= -1 && tick <= LAST_TICK)) {
    say(`header, TICK is ${tick}, not in -1 .. ${LAST_TICK}`, CERTAIN)
  }
  for (const name of ['TICK', 'ACTIVE'] as const) {
    const value = parts.word(HEADER[name])
    if (tickMs === 0 && value !== 0) {
      say(`header, ${name} is ${value}, yet there is no keeper`, CERTAIN)
    }
  }
}

function checkPadding(parts: Parts, say: Say): void {
  for (const [from, to] of [
    [HEADER.TICK_MS + 2, LINE],
    [HEADER.ACTIVE + 1, 2 * LINE],
    [HEADER.TICK + 1, parts.defaults],
    [parts.defaults + 28, parts.threads],
  ] as const) {
    const at = parts.firstNonZero(from, to)
    if (at >= 0) say(`header, unused word ${at} is ${hex(parts.word(at))}, not 0`, CERTAIN)
  }
}

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
  readonly name: string
  readonly numbers: Numbers
  /** Whether its options are legal: else its record cannot be read. */
  readonly isSound: boolean
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
  log.entries.push({ ...found, shape, record, definition })
  return true
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function checkDefinition(
  parts: Parts,
  definition: number,
  say: Say,
): { name: string; numbers: Numbers; isSound: boolean } {
  const start = parts.definitions + definition * DEFINITION_WORDS
  const what = `definition ${definition}`
  const created = parts.double(start + 2)
  if (!(created >= 0 && created * 1000 <= parts.now + 1)) {
    say(`${what}, CREATED is ${created}, not a time up to now`)
  }
  const { numbers, faults } = readOptions(parts, start + 70)
  for (const fault of faults) say(`${what}, ${fault}`, CERTAIN)
  const options = { numbers, isSound: faults.length === 0 }
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
    const holder = parts.long(parts.definitions + definition * DEFINITION_WORDS)
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
