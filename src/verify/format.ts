/**
 * Where everything stands in a region, written from native-layout/layout.md and from nothing else:
 * a mistake in src/memory/layout.ts is not repeated here. Offsets count in words of 32 bits.
 */
import { load, load64, peek, readFixedDouble, viewsOf } from '#atomics'
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
export const DEFINITION_WORDS = 4 * LINE
export const JOURNAL_ENTRIES = 1024
export const ENTRY_WORDS = 3 * LINE
const SPARE_DEFINITIONS = 64

function lines(words: number): number {
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

const GENERATION_BITS = 28
export const GENERATIONS = 2 ** GENERATION_BITS

/** True when generation `a` came after `b`, to within half of all generations. */
export function isLater(a: number, b: number): boolean {
  const difference = ahead(a, b, GENERATION_BITS)
  return difference > 0 && difference < GENERATIONS / 2
}

export const FOR_EVER = 2 ** 51 - 1

/** The geometry that the header says, and where the parts begin. */
export class Parts {
  readonly memory: Memory
  readonly maxBreakers: number
  readonly maxThreads: number
  readonly arenaWords: number
  readonly definitionCount: number
  readonly defaults = HEADER_WORDS
  readonly threads = HEADER_WORDS + LINE
  readonly presence: number
  readonly journal: number
  readonly directory: number
  readonly definitions: number
  readonly arena: number
  /** Whole microseconds of the region's clock. */
  readonly now: number

  /** `now`: the time to hold others against; without it that of the region's clock. */
  constructor(buffer: SharedArrayBuffer, now?: number) {
    this.memory = viewsOf(buffer, buffer.byteLength / 4)
    this.maxBreakers = this.word(HEADER.MAX_BREAKERS)
    this.maxThreads = this.word(HEADER.MAX_THREADS)
    this.arenaWords = this.word(HEADER.ARENA_LINES) * LINE
    this.definitionCount = this.maxBreakers + this.maxThreads + SPARE_DEFINITIONS
    this.presence = this.threads + lines((this.maxThreads + 1) * 2)
    this.journal = this.presence + (this.maxThreads + 1) * LINE
    this.directory = this.journal + JOURNAL_ENTRIES * ENTRY_WORDS
    this.definitions = this.directory + lines(this.maxBreakers * 2)
    this.arena = this.definitions + this.definitionCount * DEFINITION_WORDS
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
    return readFixedDouble(this.memory, at / 2)
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

/** The options of a breaker, by the names of layout.md. */
export interface Numbers {
  readonly window: number
  readonly length: number
  readonly buckets: number
  readonly failureRate: number
  readonly minimumCalls: number
  readonly slowDurationMs: number
  readonly slowRate: number
  readonly waitInitialMs: number
  readonly waitMultiplier: number
  readonly waitMaxMs: number
  readonly waitJitter: number
  readonly trials: number
  readonly trialFailureRate: number
  readonly trialTimeoutMs: number
}

export const TIME = 0
export const COUNT = 1
export const CONSECUTIVE = 2

const TEN_YEARS = 315_360_000_000
const whole = (low: number, high: number) => (x: number) =>
  Number.isInteger(x) && x >= low && x <= high
const within = (low: number, high: number) => (x: number) => x >= low && x <= high
const rate = (x: number) => x > 0 && x <= 1
const positive = (x: number) => x > 0 && x <= TEN_YEARS

/** In the order of layout.md, with what is legal there. */
const OPTIONS: readonly [keyof Numbers, (value: number) => boolean][] = [
  ['window', whole(0, 2)],
  ['length', positive],
  ['buckets', whole(1, 1024)],
  ['failureRate', rate],
  ['minimumCalls', whole(1, 1_000_000)],
  ['slowDurationMs', x => within(0, TEN_YEARS)(x) || x === Number.POSITIVE_INFINITY],
  ['slowRate', rate],
  ['waitInitialMs', within(0, TEN_YEARS)],
  ['waitMultiplier', within(1, 1000)],
  ['waitMaxMs', within(0, TEN_YEARS)],
  ['waitJitter', within(0, 1)],
  ['trials', whole(1, 64)],
  ['trialFailureRate', x => x === 0 || rate(x)],
  ['trialTimeoutMs', positive],
]

/** The options at word `at`, and what is wrong with them. */
export function readOptions(parts: Parts, at: number): { numbers: Numbers; faults: string[] } {
  const read = OPTIONS.map(([name], index) => [name, parts.double(at + index * 2)] as const)
  const numbers = Object.fromEntries(read) as unknown as Numbers
  const faults = OPTIONS.filter(([name, legal]) => !legal(numbers[name])).map(
    ([name]) => `option ${name} is ${numbers[name]}, which is not legal`,
  )
  const { window, length, buckets } = numbers
  const isLegalLength =
    window === TIME
      ? length >= buckets
      : window === COUNT
        ? whole(1, 16_384)(length)
        : whole(1, 4095)(length)
  if (!isLegalLength) faults.push(`option length is ${length}, which its window ${window} forbids`)
  if (window !== TIME && buckets !== 1) faults.push(`option buckets is ${buckets}, not 1`)
  return { numbers, faults }
}

/** Offsets of a record's parts from its start. */
export interface Shape {
  readonly trials: number
  readonly stock: number
  readonly summary: number
  readonly head: number
  readonly ring: number
  readonly capacity: number
  readonly shards: number
  readonly overflowWords: number
  readonly shardWords: number
  readonly tallies: number
  readonly words: number
}

export const DETAILS = 1 * LINE
export const TRIALS = 9 * LINE
export const TOTALS_WORDS = 16
export const TALLY_WORDS = 15 * LINE

/** Indices of a count window that may be taken and not filled without shortening the window. */
const SPARE_OUTCOMES = 64

export function shapeOf(numbers: Numbers, maxThreads: number): Shape {
  const outcomes = numbers.length + SPARE_OUTCOMES
  const capacity = numbers.window === COUNT ? 2 ** Math.ceil(Math.log2(outcomes)) : 0
  const buckets = numbers.window === TIME ? numbers.buckets : 0
  const stock = TRIALS + lines(numbers.trials * 4)
  const ring = stock + 3 * LINE
  const shards = ring + lines(capacity)
  const overflowWords = lines(TOTALS_WORDS + buckets * 10)
  const shardWords = lines(TOTALS_WORDS + buckets * 8)
  const tallies = shards + overflowWords + maxThreads * shardWords
  return {
    trials: TRIALS,
    stock,
    summary: stock + LINE,
    head: stock + 2 * LINE,
    ring,
    capacity,
    shards,
    overflowWords,
    shardWords,
    tallies,
    words: tallies + (maxThreads + 1) * TALLY_WORDS,
  }
}
