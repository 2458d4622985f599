/**
 * Definitions: the names and options that a directory's entries point to. Taken by the thread that
 * makes a thing, filled unseen, fixed once an entry names them.
 */
import {
  compareExchange64,
  load64,
  readFixed,
  readFixedDouble,
  writeFixed,
  writeFixedDouble,
} from '#atomics'
import type { Memory } from '../memory/atomics.ts'
import { DEFINITION, DEFINITION_WORDS, MAX_NAME_BYTES } from '../memory/layout.ts'
import { readNumbers, writeNumbers } from '../memory/region.ts'
import type { Area, RegionShape } from '../memory/region-shape.ts'
import { definitionOf, packThread, type ThreadId, threadOf } from '../memory/words/threads.ts'
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
  readonly numbers: SharedNumbers
  readonly createdAt: number
}

export function fillDefinition(
  memory: Memory,
  area: Area,
  definition: number,
  { bytes, numbers, createdAt }: Definition & { readonly bytes: Uint8Array },
): void {
  const start = startOf(area, definition)
  writeFixed(memory, start + DEFINITION.NAME_BYTES, bytes.length)
  for (let at = 0; at < bytes.length; at += 4) {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(at, at + 4)
    writeFixed(memory, start + DEFINITION.NAME + at / 4, a | (b << 8) | (c << 16) | (d << 24))
  }
  writeFixedDouble(memory, start / 2 + DEFINITION.CREATED_DOUBLE, createdAt)
  writeNumbers(memory, start / 2 + DEFINITION.OPTIONS_DOUBLE, numbers)
}

/** Only of one that an entry names. */
export function readDefinition(
  memory: Memory,
  area: Area,
  definition: number,
): Definition & { readonly name: string } {
  const start = startOf(area, definition)
  return {
    name: readName(memory, start),
    numbers: readNumbers(memory, start / 2 + DEFINITION.OPTIONS_DOUBLE),
    createdAt: readFixedDouble(memory, start / 2 + DEFINITION.CREATED_DOUBLE),
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

function isPublished(memory: Memory, area: Area, definition: number): boolean {
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
