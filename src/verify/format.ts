/**
 * Where everything stands in a region, written from native-layout/layout.md and from nothing else:
 * a mistake in src/memory/layout.ts is not repeated here. Offsets count in words of 32 bits.
 */
import { load, load64, loadDouble, peek, viewsOf } from '#atomics'
import type { Memory } from '../memory/atomics.ts'
import { monotonicNow } from '../time/monotonic.ts'

export const LINE = 32
export const MAGIC = 0x42555342

/** Words of the header. */
export const HEADER = {
  MAGIC: 0,
  VERSION: 1,
  MAX_BREAKERS: 2,
  MAX_THREADS: 3,
  ARENA_LINES: 4,
  CLOCK: 5,
  ORIGIN: 8,
  DEFAULT_TIMEOUT: 10,
  TICK_MS: 12,
  MAX_CONTROLS: 14,
  CONTROL_LINES: 15,
  MANUAL_CLOCK: 32,
  SLOTS_USED: 34,
  DAMAGED: 35,
  OVERFLOW_USED: 36,
  ACTIVE: 37,
  THREADS_WITHOUT_SLOT: 38,
  EXPORTER: 40,
  TICK: 64,
  JOURNAL_HEAD: 96,
} as const

export const HEADER_WORDS = 4 * LINE
export const DEFINITION_WORDS = 5 * LINE
export const JOURNAL_ENTRIES = 1024
export const ENTRY_WORDS = 3 * LINE
const SPARE_DEFINITIONS = 64

export function lines(words: number): number {
  return Math.ceil(words / LINE) * LINE
}

/** `width` bits of a long from bit `low` on, as a number. */
export function field(long: bigint, low: number, width: number): number {
  return Number((BigInt.asUintN(64, long) >> BigInt(low)) & ((1n << BigInt(width)) - 1n))
}

/** a - b modulo 2^bits: how far a is ahead of b. */
export function ahead(a: number, b: number, bits: number): number {
  return Number(BigInt.asUintN(bits, BigInt(a) - BigInt(b)))
}

export const GENERATION_BITS = 22
export const GENERATIONS = 2 ** GENERATION_BITS

/** What is so little ahead is to come; what is further ahead is old, for generations wrap. */
export const NEAR = 1024

/** True when generation `a` comes a little after `b`. */
export function isLater(a: number, b: number): boolean {
  const difference = ahead(a, b, GENERATION_BITS)
  return difference > 0 && difference < NEAR
}

/** A record's generations, and from which on they are those of who has it now. */
export interface Ownership {
  readonly generation: number
  readonly first: number
  /** It has not begun: all that there are were another's. */
  readonly isToBegin: boolean
}

/** Whether a generation of the record belongs to who has it now; one that is to come does. */
export function isOwnGeneration({ generation, first, isToBegin }: Ownership, of: number): boolean {
  if (first === 0 || isLater(of, generation)) return true
  if (isToBegin) return false
  return ahead(generation, of, GENERATION_BITS) <= ahead(generation, first, GENERATION_BITS)
}

export const FOR_EVER = 2 ** 51 - 1

/** A directory with its definitions and its arena. */
export interface Area {
  readonly entries: number
  /** The line of what is being made. */
  readonly making: number
  readonly directory: number
  readonly definitions: number
  readonly definitionCount: number
  readonly arena: number
  /** Where the arena ends. */
  readonly end: number
}

function areaAt(making: number, entries: number, maxThreads: number, arenaLines: number): Area {
  const definitionCount = entries + maxThreads + SPARE_DEFINITIONS
  const directory = making + LINE
  const definitions = directory + lines(entries * 2)
  const arena = definitions + definitionCount * DEFINITION_WORDS
  const end = arena + arenaLines * LINE
  return { entries, making, directory, definitions, definitionCount, arena, end }
}

/** The geometry that the header says, and where the parts begin. */
export class Parts {
  readonly memory: Memory
  readonly maxBreakers: number
  readonly maxThreads: number
  readonly defaults = HEADER_WORDS
  readonly threads = HEADER_WORDS + LINE
  readonly presence: number
  readonly journal: number
  readonly breakers: Area
  readonly controls: Area
  /** Whole microseconds of the region's clock. */
  readonly now: number

  /** `now`: the time to hold others against; without it that of the region's clock. */
  constructor(buffer: SharedArrayBuffer, now?: number) {
    this.memory = viewsOf(buffer, buffer.byteLength / 4)
    this.maxBreakers = this.word(HEADER.MAX_BREAKERS)
    this.maxThreads = this.word(HEADER.MAX_THREADS)
    this.presence = this.threads + lines((this.maxThreads + 1) * 2)
    this.journal = this.presence + (this.maxThreads + 1) * LINE
    const area = (start: number, entries: number, arenaLines: number): Area =>
      areaAt(start, entries, this.maxThreads, this.word(arenaLines))
    const end = this.journal + JOURNAL_ENTRIES * ENTRY_WORDS
    this.breakers = area(end, this.maxBreakers, HEADER.ARENA_LINES)
    const maxControls = this.word(HEADER.MAX_CONTROLS)
    this.controls = area(this.breakers.end, maxControls, HEADER.CONTROL_LINES)
    this.now = now ?? this.#now()
  }

  word(at: number): number {
    return load(this.memory, at)
  }

  /** The long that starts at word `at`. */
  long(at: number): bigint {
    return load64(this.memory, at / 2)
  }

  double(at: number): number {
    return loadDouble(this.memory, at / 2)
  }

  /** The first word in [from, to) that is not zero, or -1. */
  firstNonZero(from: number, to: number): number {
    for (let at = from; at < to; at++) if (peek(this.memory, at) !== 0) return at
    return -1
  }

  #now(): number {
    if (this.word(HEADER.CLOCK) === 1) return Number(this.long(HEADER.MANUAL_CLOCK))
    return Math.ceil((monotonicNow() - this.double(HEADER.ORIGIN)) * 1000)
  }
}
