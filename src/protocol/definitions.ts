/**
 * Definitions: the names and options that a directory's entries point to. Taken by the thread that
 * makes a thing or gives it other options, filled unseen, the same while an entry names them. One
 * that an entry named and names no more is free for the next: so who reads one looks at the entry
 * again.
 */
import {
  compareExchange64,
  load64,
  readReused,
  readReusedDouble,
  writeReused,
  writeReusedDouble,
} from '#atomics'
import type { Memory } from '../memory/atomics.ts'
import { DEFINITION, DEFINITION_WORDS, MAX_NAME_BYTES, OPTION_COUNT } from '../memory/layout.ts'
import type { Area, RegionShape } from '../memory/region-shape.ts'
import {
  definitionOf,
  packThread,
  type ThreadId,
  threadOf,
  unpackMaking,
} from '../memory/words/threads.ts'
import type { SharedNumbers } from '../options/shared.ts'

function startOf(area: Area, definition: number): number {
  return area.definitions + definition * DEFINITION_WORDS
}

function holderLong(area: Area, definition: number): number {
  return startOf(area, definition) / 2 + DEFINITION.HOLDER_LONG
}

/** Takes a free definition, looking from number `from` on; undefined when there is none. */
export function takeDefinition(
  memory: Memory,
  area: Area,
  from: number,
  id: ThreadId,
): number | undefined {
  const mine = packThread(true, 0, id)
  for (let step = 0; step < area.definitionCount; step++) {
    const definition = (from + step) % area.definitionCount
    const at = holderLong(area, definition)
    // ATOMIC directory.take
    //   publishes: who fills this definition.
    //   loses to:  another maker: try the next.
    //   dies here: whoever sees the thread's death frees it (directory.free).
    if (load64(memory, at) === 0n && compareExchange64(memory, at, 0n, mine) === 0n) {
      return definition
    }
  }
  return undefined
}

export interface Definition {
  /** In force. */
  readonly numbers: SharedNumbers
  /** As it was made. */
  readonly made: SharedNumbers
  readonly createdAt: number
  /** The first generation of the record that belongs to it. */
  readonly first: number
  /** Of a keyed breaker: how many of its group there may be; else 0. */
  readonly maxKeys: number
  /** The part of the name that is its group's, in UTF-16 units. */
  readonly prefixLength: number
  /** The longest that a wait, or a trial's lease, may take by any options it has had, in ms. */
  readonly longestWaitMs: number
  readonly longestLeaseMs: number
  /** As many trials as it may have had at a time by any of them. */
  readonly mostTrials: number
}

export function fillDefinition(
  memory: Memory,
  area: Area,
  definition: number,
  of: Definition & { readonly bytes: Uint8Array },
): void {
  const { bytes } = of
  const start = startOf(area, definition)
  writeReused(memory, start + DEFINITION.NAME_BYTES, bytes.length)
  for (let at = 0; at < bytes.length; at += 4) {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(at, at + 4)
    writeReused(memory, start + DEFINITION.NAME + at / 4, a | (b << 8) | (c << 16) | (d << 24))
  }
  writeReused(memory, start + DEFINITION.FIRST, of.first)
  writeReused(memory, start + DEFINITION.MAX_KEYS, of.maxKeys)
  writeReused(memory, start + DEFINITION.PREFIX_LENGTH, of.prefixLength)
  writeReused(memory, start + DEFINITION.MOST_TRIALS, of.mostTrials)
  const double = start / 2
  writeReusedDouble(memory, double + DEFINITION.CREATED_DOUBLE, of.createdAt)
  writeReusedDouble(memory, double + DEFINITION.LONGEST_WAIT_DOUBLE, of.longestWaitMs)
  writeReusedDouble(memory, double + DEFINITION.LONGEST_LEASE_DOUBLE, of.longestLeaseMs)
  writeNumbers(memory, double + DEFINITION.OPTIONS_DOUBLE, of.numbers)
  writeNumbers(memory, double + DEFINITION.MADE_DOUBLE, of.made)
}

/** Only of one that an entry names, and still names afterwards. */
export function readDefinition(
  memory: Memory,
  area: Area,
  definition: number,
): Definition & { readonly name: string } {
  const start = startOf(area, definition)
  const double = start / 2
  return {
    name: readName(memory, start),
    numbers: readNumbers(memory, double + DEFINITION.OPTIONS_DOUBLE),
    made: readNumbers(memory, double + DEFINITION.MADE_DOUBLE),
    createdAt: readReusedDouble(memory, double + DEFINITION.CREATED_DOUBLE),
    first: readReused(memory, start + DEFINITION.FIRST),
    maxKeys: readReused(memory, start + DEFINITION.MAX_KEYS),
    prefixLength: readReused(memory, start + DEFINITION.PREFIX_LENGTH),
    mostTrials: readReused(memory, start + DEFINITION.MOST_TRIALS),
    longestWaitMs: readReusedDouble(memory, double + DEFINITION.LONGEST_WAIT_DOUBLE),
    longestLeaseMs: readReusedDouble(memory, double + DEFINITION.LONGEST_LEASE_DOUBLE),
  }
}

function writeNumbers(memory: Memory, double: number, numbers: SharedNumbers): void {
  numbers.forEach((value, option) => {
    writeReusedDouble(memory, double + option, value)
  })
}

function readNumbers(memory: Memory, double: number): SharedNumbers {
  return Object.freeze(
    Array.from({ length: OPTION_COUNT }, (_, option) => readReusedDouble(memory, double + option)),
  )
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

function readName(memory: Memory, start: number): string {
  const length = Math.min(readReused(memory, start + DEFINITION.NAME_BYTES), MAX_NAME_BYTES)
  const bytes = new Uint8Array(Math.max(0, length))
  for (let at = 0; at < length; at++) {
    bytes[at] = (readReused(memory, start + DEFINITION.NAME + (at >> 2)) >>> ((at & 3) * 8)) & 0xff
  }
  return decoder.decode(bytes)
}

/** Whether an entry names it, or is about to: a making that has begun is finished by anybody. */
function isPublished(memory: Memory, area: Area, definition: number): boolean {
  if (unpackMaking(load64(memory, area.makingLong)).definition === definition) return true
  for (let entry = 0; entry < area.entries; entry++) {
    const word = load64(memory, area.directoryLong + entry)
    if (word === 0n) return false
    if (definitionOf(word) === definition) return true
  }
  return false
}

function freeDefinition(memory: Memory, area: Area, definition: number, holder: bigint): void {
  if (isPublished(memory, area, definition)) return
  // ATOMIC directory.free
  //   observes:  no entry names it, and its holder, who alone could publish it, does so no more.
  //   loses to:  another reaper.
  compareExchange64(memory, holderLong(area, definition), holder, 0n)
}

/** Who holds it: for `releaseDefinition`, read while an entry names it. */
export function definitionHolder(memory: Memory, area: Area, definition: number): bigint {
  return load64(memory, holderLong(area, definition))
}

/** Frees one that the caller has just taken out of its entry. */
export function releaseDefinition(
  memory: Memory,
  area: Area,
  definition: number,
  holder: bigint,
): void {
  // ATOMIC directory.release
  //   observes:  no entry names it any more, and only the caller knows so.
  //   dies here: before the CAS it stays taken until the thread that made it ends.
  compareExchange64(memory, holderLong(area, definition), holder, 0n)
}

/** Gives one back that its taker has not published and never will. */
export function giveBackDefinition(
  memory: Memory,
  area: Area,
  definition: number,
  id: ThreadId,
): void {
  freeDefinition(memory, area, definition, packThread(true, 0, id))
}

/** Frees the definitions that dead threads had taken and not published. */
export function freeDefinitionsOf(
  memory: Memory,
  region: RegionShape,
  dead: ReadonlySet<number>,
): void {
  for (const area of [region.breakers, region.controls]) {
    for (let definition = 0; definition < area.definitionCount; definition++) {
      const holder = load64(memory, holderLong(area, definition))
      if (holder !== 0n && dead.has(threadOf(holder).thread)) {
        freeDefinition(memory, area, definition, holder)
      }
    }
  }
}
