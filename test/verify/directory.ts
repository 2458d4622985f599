/** Header, threads, directory and definitions. */
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
import { hex, type Options, type Say } from './report.ts'

/** Of the TICK word. */
const LAST_TICK = 2 ** 30
/** In the parent's place of a THREAD word: its thread is known to have ended. */
const DEAD = 2 ** 26 - 1

/** True when the header says enough to go on. */
export function checkHeader(parts: Parts, say: Say): boolean {
  const at = (name: keyof typeof HEADER): number => parts.word(HEADER[name])
  const expect = (name: keyof typeof HEADER, low: number, high: number): boolean => {
    const holds = at(name) >= low && at(name) <= high
    if (!holds) say(`header, ${name} is ${at(name)}, not in ${low} .. ${high}`)
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
  const bytes = (parts.arena + parts.arenaWords) * 4
  if (bytes !== parts.words.byteLength) {
    say(`header, geometry asks for ${bytes} bytes, the buffer has ${parts.words.byteLength}`)
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
  for (const fault of faults) say(`defaults, ${fault}`)
  return true
}

function checkTimes(parts: Parts, say: Say): void {
  const origin = parts.double(HEADER.ORIGIN)
  if (!(origin > 0 && Number.isFinite(origin))) say(`header, ORIGIN is ${origin}, not a time`)
  const timeout = parts.double(HEADER.DEFAULT_TIMEOUT)
  if (!(timeout >= 0 && timeout <= 2147483647)) {
    say(`header, DEFAULT_TIMEOUT is ${timeout}, not in 0 .. 2147483647`)
  }
  const clock = parts.long(HEADER.MANUAL_CLOCK)
  const isManual = parts.word(HEADER.CLOCK) === 1
  if (clock < 0n || (clock > 0n && !isManual)) say(`header, MANUAL_CLOCK is ${clock}`)
}

/** TICK: 0 = no keeper, -1 = asleep, else its last tick. A region made without one has none. */
function checkKeeper(parts: Parts, say: Say): void {
  const tickMs = parts.double(HEADER.TICK_MS)
  const isLegal = tickMs === 0 || (Number.isInteger(tickMs) && tickMs >= 1 && tickMs <= 1000)
  if (!isLegal) say(`header, TICK_MS is ${tickMs}, neither 0 nor a whole number in 1 .. 1000`)
  if (tickMs !== 0 && parts.word(HEADER.CLOCK) === 1) {
    say(`header, TICK_MS is ${tickMs}, yet the clock is manual`)
  }
  const tick = parts.word(HEADER.TICK)
  if (!(tick >= -1 && tick <= LAST_TICK)) say(`header, TICK is ${tick}, not in -1 .. ${LAST_TICK}`)
  for (const name of ['TICK', 'ACTIVE'] as const) {
    const value = parts.word(HEADER[name])
    if (tickMs === 0 && value !== 0) say(`header, ${name} is ${value}, yet there is no keeper`)
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
    if (at >= 0) say(`header, unused word ${at} is ${hex(parts.word(at))}, not 0`)
  }
}

/**
 * The threads that hold a slot, by slot. One that is marked dead holds it until it is reaped, which
 * who marks it does at once, unless it dies as well.
 */
export function checkThreads(parts: Parts, options: Options, say: Say): Map<number, number> {
  const holders = new Map<number, number>()
  const slotsUsed = parts.word(HEADER.SLOTS_USED)
  if (parts.long(parts.threads) !== 0n) say(`slot 0, THREAD is ${hex(parts.long(parts.threads))}`)
  for (let slot = 1; slot <= parts.maxThreads; slot++) {
    const word = parts.long(parts.threads + slot * 2)
    const what = `slot ${slot}, THREAD is ${hex(word)}`
    if (word !== 0n && slot > slotsUsed) say(`${what}, beyond SLOTS_USED ${slotsUsed}`)
    if (word >= 0n) {
      if (field(word, 0, 52) !== 0) say(`${what}: free, yet it names a thread`)
      continue
    }
    const thread = field(word, 26, 26)
    const other = [...holders].find(([, holder]) => holder === thread)
    if (other !== undefined) say(`${what}: thread ${thread} holds slot ${other[0]} as well`)
    if (field(word, 0, 26) === DEAD && !options.deaths) say(`${what}: dead, and nobody reaped it`)
    holders.set(slot, thread)
  }
  return holders
}

export interface Entry {
  readonly name: string
  readonly numbers: Numbers
  readonly shape: Shape
  readonly record: number
}

/** The breakers of the region, as far as their entries can be believed. */
export function checkDirectory(
  parts: Parts,
  options: Options,
  holders: ReadonlyMap<number, number>,
  say: Say,
): Entry[] {
  const entries: Entry[] = []
  const published = new Set<number>()
  let record = parts.arena
  let ended = false
  for (let index = 0; index < parts.maxBreakers; index++) {
    const word = parts.long(parts.directory + index * 2)
    const what = `entry ${index}, ENTRY is ${hex(word)}`
    if (word !== 0n && ended) say(`${what}, after an empty one`)
    if (word === 0n || ended) {
      ended = true
      continue
    }
    const definition = Number(BigInt.asIntN(32, word >> 32n)) - 1
    if (!(definition >= 0 && definition < parts.definitionCount)) {
      say(`${what}: there is no definition ${definition}`)
      return entries
    }
    if (published.has(definition)) say(`${what}: definition ${definition} has an entry already`)
    published.add(definition)
    const found = checkDefinition(parts, definition, say)
    const entry = { ...found, shape: shapeOf(found.numbers, parts.maxThreads), record }
    if (entries.some(({ name }) => name === entry.name)) {
      say(`${what}: there is an entry for "${entry.name}" already`)
    }
    const recordWords = field(word, 0, 32) * LINE
    if (entry.shape.words !== recordWords) {
      say(`${what}: its options need ${entry.shape.words / LINE} lines, not ${recordWords / LINE}`)
      return entries
    }
    record += recordWords
    if (record > parts.arena + parts.arenaWords) {
      say(`${what}: its record goes beyond the arena`)
      return entries
    }
    entries.push(entry)
  }
  const stray = parts.firstNonZero(record, parts.arena + parts.arenaWords)
  if (stray >= 0) say(`arena, word ${stray} is ${hex(parts.word(stray))}, beyond the last record`)
  checkHolders(parts, options, published, holders, say)
  return entries
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function checkDefinition(
  parts: Parts,
  definition: number,
  say: Say,
): { name: string; numbers: Numbers } {
  const start = parts.definitions + definition * DEFINITION_WORDS
  const what = `definition ${definition}`
  const created = parts.double(start + 2)
  if (!(created >= 0 && created * 1000 <= parts.now + 1)) {
    say(`${what}, CREATED is ${created}, not a time up to now`)
  }
  const { numbers, faults } = readOptions(parts, start + 70)
  for (const fault of faults) say(`${what}, ${fault}`)
  const length = parts.word(start + 4)
  if (!(length >= 1 && length <= 255)) {
    say(`${what}, NAME_BYTES is ${length}, not in 1 .. 255`)
    return { name: `?${definition}`, numbers }
  }
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; at++) {
    bytes[at] = parts.word(start + 5 + (at >> 2)) >>> ((at & 3) * 8)
  }
  try {
    return { name: decoder.decode(bytes), numbers }
  } catch {
    say(`${what}, NAME is ${Buffer.from(bytes).toString('hex')}, not UTF-8`)
    return { name: `?${definition}`, numbers }
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
    if (holder !== 0n && field(holder, 52, 12) !== 0x800) say(`${what}: not a maker's word`)
    if (published.has(definition)) {
      if (holder === 0n) say(`${what}: free, yet the directory names it`)
    } else if (holder !== 0n) {
      const thread = field(holder, 26, 26)
      if (options.quiet) say(`${what}: taken by thread ${thread} and never published`)
      else if (!living.has(thread) && !othersMayLive) {
        say(`${what}: taken by thread ${thread}, which is not alive, and not published`)
      }
    }
  }
}
