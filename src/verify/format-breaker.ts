/** A breaker's options and record, written from native-layout/layout.md and from nothing else. */
import type { Limits, ReadOptions } from './definitions.ts'
import type { Contents, Entry, Removal } from './directory.ts'
import { GENERATIONS, LINE, lines, type Parts } from './format.ts'

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
  /** 0 or 1. */
  readonly hanging: number
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
  ['hanging', whole(0, 1)],
]

/** The options at word `at`, and what is wrong with them. */
export function readOptions(parts: Parts, at: number): ReadOptions<Numbers> {
  const read = OPTIONS.map(([name], index) => [name, parts.double(at + index * 2)] as const)
  const numbers = Object.fromEntries(read) as unknown as Numbers
  const faults = OPTIONS.filter(([name, legal]) => !legal(numbers[name])).map(
    ([name]) => `option ${name} is ${numbers[name]}, which is not legal`,
  )
  const misfits: string[] = []
  const { window, length, buckets } = numbers
  const isLegalLength =
    window === TIME
      ? length >= buckets
      : window === COUNT
        ? whole(1, 16_384)(length)
        : whole(1, 4095)(length)
  if (!isLegalLength) misfits.push(`option length is ${length}, which its window ${window} forbids`)
  if (window !== TIME && buckets !== 1) misfits.push(`option buckets is ${buckets}, not 1`)
  const isTold = window === TIME && numbers.slowDurationMs < Number.POSITIVE_INFINITY
  if (numbers.hanging === 1 && !isTold) misfits.push('option hanging is 1, yet no call can hang')
  return { numbers, faults, misfits }
}

/** What a record is laid out by. */
const SHAPING = ['window', 'length', 'buckets', 'hanging'] as const

function differenceOf(numbers: Numbers, made: Numbers): string | undefined {
  const name = SHAPING.find(option => !Object.is(numbers[option], made[option]))
  return name && `option ${name} is ${made[name]}, in force it is ${numbers[name]}`
}

/** A trial that hangs has failed, so its lease is no longer than a call that is not slow. */
function limitsOf(numbers: Numbers): Limits {
  const { waitMaxMs, waitJitter, trials, trialTimeoutMs, hanging, slowDurationMs } = numbers
  return {
    mostTrials: trials,
    longestWaitMs: waitMaxMs * (1 + waitJitter),
    longestLeaseMs: hanging === 1 ? Math.min(trialTimeoutMs, slowDurationMs) : trialTimeoutMs,
  }
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
  /** In a shard of slots 1 and above; 0 where calls in flight are not told by age. */
  readonly ages: number
  readonly tallies: number
  readonly words: number
}

export const DETAILS = 1 * LINE
export const MAX_TRIALS = 64
export const TRIALS = 9 * LINE
export const TOTALS_WORDS = 16
export const TALLY_WORDS = 15 * LINE
/** Of a tally: to which breaker it and the slot's totals belong. */
export const TALLY_FIRST = 474
/** In an owner's shard, where calls in flight are told by age: HUNG, then buckets like it. */
export const AGE_BUCKETS = 20
export const AGES_WORDS = (1 + AGE_BUCKETS) * 4

/** Indices of a count window that may be taken and not filled without shortening the window. */
const SPARE_OUTCOMES = 64

function shapeOf(numbers: Numbers, maxThreads: number): Shape {
  const outcomes = numbers.length + SPARE_OUTCOMES
  const capacity = numbers.window === COUNT ? 2 ** Math.ceil(Math.log2(outcomes)) : 0
  const buckets = numbers.window === TIME ? numbers.buckets : 0
  const stock = TRIALS + lines(MAX_TRIALS * 4)
  const ring = stock + 3 * LINE
  const shards = ring + lines(capacity)
  const overflowWords = lines(TOTALS_WORDS + buckets * 10)
  const counted = TOTALS_WORDS + buckets * 8
  const isAged = numbers.hanging === 1
  const shardWords = lines(counted + (isAged ? AGES_WORDS : 0))
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
    ages: isAged ? counted : 0,
    tallies,
    words: tallies + (maxThreads + 1) * TALLY_WORDS,
  }
}

/** Of STATE: the breaker is gone. */
export const REMOVED = 6

export function generationOf(word: number): number {
  return (word >>> 9) & (GENERATIONS - 1)
}

/** What had the record before went with the generation before the first one of what has it now. */
function removalOf(parts: Parts, record: number, first: number): Removal {
  const word = parts.word(record)
  if ((word & 7) !== REMOVED) return 'none'
  return (generationOf(word) + 1) % GENERATIONS === first ? 'to begin' : 'removed'
}

/** The directory of breakers. */
export const BREAKERS: Contents<Numbers, Shape> = {
  prefix: '',
  isFixed: false,
  areaOf: parts => parts.breakers,
  readOptions,
  differenceOf,
  limitsOf,
  shapeOf,
  keyOf: name => `"${name}"`,
  removalOf,
}

export type BreakerEntry = Entry<Numbers, Shape>
