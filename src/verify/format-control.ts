/** Controls' options and records, written from native-layout/layout.md and from nothing else. */
import type { ReadOptions } from './definitions.ts'
import type { Contents, Entry } from './directory.ts'
import { LINE, lines, type Parts } from './format.ts'
import { TOTALS_WORDS } from './format-breaker.ts'

export const THROTTLE = 0
export const BULKHEAD = 1
export const RETRY_BUDGET = 2
export const HOST_GROUP = 3
export const HOST = 4
export const KIND_NAMES = ['throttle', 'bulkhead', 'retry budget', 'host group', 'host'] as const

const OPTION_COUNT = 15
const TEN_YEARS = 315_360_000_000
const DAY_MS = 86_400_000

type Legal = (value: number) => boolean
const whole =
  (low: number, high: number): Legal =>
  x =>
    Number.isInteger(x) && x >= low && x <= high
const within =
  (low: number, high: number): Legal =>
  x =>
    x >= low && x <= high
const upTo =
  (high: number): Legal =>
  x =>
    x > 0 && x <= high

/** By the names of layout.md, after KIND and in order, with what is legal there. */
const OPTIONS: readonly (readonly (readonly [name: string, legal: Legal])[])[] = [
  [
    ['K', within(1, 1000)],
    ['WINDOW_MS', within(10, DAY_MS)],
    ['MINIMUM_PER_SECOND', within(0, 1_000_000)],
    ['MAX_PROBABILITY', upTo(1)],
  ],
  [
    ['MAX_CONCURRENT', whole(1, 4096)],
    ['MAX_QUEUED', whole(0, 4096)],
    ['MAX_WAIT_MS', upTo(2147483647)],
  ],
  [
    ['RATIO', within(0, 1000)],
    ['MINIMUM_PER_SECOND', within(0, 1_000_000)],
  ],
  [
    ['CONSECUTIVE_FAILURES', whole(0, 4095)],
    ['INTERVAL_MS', within(10, DAY_MS)],
    ['BASE_EJECTION_MS', upTo(TEN_YEARS)],
    ['MAX_EJECTION_MS', upTo(TEN_YEARS)],
    ['JITTER', within(0, 1)],
    ['MAX_EJECTION_PERCENT', within(0, 100)],
    ['STDEV_FACTOR', within(0, 100)],
    ['STDEV_HOSTS', whole(1, 65_536)],
    ['STDEV_VOLUME', whole(1, 1_000_000)],
    ['FAILURE_THRESHOLD', within(0, 1)],
    ['FAILURE_HOSTS', whole(1, 65_536)],
    ['FAILURE_VOLUME', whole(1, 1_000_000)],
  ],
  [
    ['GROUP', whole(0, 65_535)],
    ['INTERVAL_MS', within(10, DAY_MS)],
  ],
]

/** What each kind says besides, by the places above. */
export const OPTION = {
  WINDOW_MS: 2,
  MAX_PROBABILITY: 4,
  MAX_CONCURRENT: 1,
  MAX_QUEUED: 2,
  INTERVAL_MS: 2,
  BASE_EJECTION_MS: 3,
  MAX_EJECTION_MS: 4,
  JITTER: 5,
  MAX_EJECTION_PERCENT: 6,
  GROUP: 1,
} as const

/** The options of a control. KIND is the first. */
export type Numbers = readonly number[]

export function kindOf(numbers: Numbers): number {
  return numbers[0] ?? Number.NaN
}

function readOptions(parts: Parts, at: number): ReadOptions<Numbers> {
  const numbers = Array.from({ length: OPTION_COUNT }, (_, index) => parts.double(at + index * 2))
  const options = OPTIONS[kindOf(numbers)]
  if (options === undefined) {
    return { numbers, faults: [`KIND is ${kindOf(numbers)}: no kind`], misfits: [] }
  }
  const faults = options.flatMap(([name, legal], index) => {
    const value = numbers[index + 1] ?? Number.NaN
    return legal(value) ? [] : [`option ${name} is ${value}, which is not legal`]
  })
  numbers.slice(options.length + 1).forEach((value, index) => {
    if (Object.is(value, 0)) return
    faults.push(`unused option ${index + options.length + 1} is ${value}, not 0`)
  })
  const longest = numbers[OPTION.MAX_EJECTION_MS] ?? 0
  if (kindOf(numbers) === HOST_GROUP && longest < (numbers[OPTION.BASE_EJECTION_MS] ?? 0)) {
    faults.push(`option MAX_EJECTION_MS is ${longest}, less than BASE_EJECTION_MS`)
  }
  return { numbers, faults, misfits: [] }
}

/** Nobody gives a control other options. */
function differenceOf(numbers: Numbers, made: Numbers): string | undefined {
  const at = numbers.findIndex((value, option) => !Object.is(value, made[option]))
  return at < 0 ? undefined : `option ${at} is ${made[at]}, in force it is ${numbers[at]}`
}

/** Offsets of a control's record from its start. */
export interface Shape {
  readonly places: number
  readonly placeCount: number
  readonly queue: number
  readonly queueLength: number
  readonly shards: number
  readonly overflowWords: number
  readonly shardWords: number
  readonly buckets: number
  readonly words: number
}

const PLACES = 2 * LINE
export const MAX_EJECTED = 1024

function shapeOf(numbers: Numbers, maxThreads: number): Shape {
  const kind = kindOf(numbers)
  const at = (option: number): number => numbers[option] ?? Number.NaN
  const isBulkhead = kind === BULKHEAD
  const ejected = kind === HOST_GROUP ? MAX_EJECTED : 0
  const placeCount = isBulkhead ? at(OPTION.MAX_CONCURRENT) : ejected
  const queueLength = isBulkhead ? at(OPTION.MAX_QUEUED) : 0
  const buckets = [10, 0, 10, 0, 2][kind] ?? Number.NaN
  const queue = PLACES + lines(placeCount)
  const shards = queue + lines(queueLength * 2)
  const overflowWords = lines(TOTALS_WORDS + buckets * 10)
  const shardWords = lines(TOTALS_WORDS + buckets * 8)
  const words = shards + overflowWords + maxThreads * shardWords
  const before = { places: PLACES, placeCount, queue, queueLength }
  return { ...before, shards, overflowWords, shardWords, buckets, words }
}

/** The directory of controls. */
export const CONTROLS: Contents<Numbers, Shape> = {
  prefix: 'controls, ',
  isFixed: true,
  areaOf: parts => parts.controls,
  readOptions,
  differenceOf,
  limitsOf: () => ({ mostTrials: 0, longestWaitMs: 0, longestLeaseMs: 0 }),
  shapeOf,
  removalOf: () => 'none',
  keyOf: (name, numbers) => {
    const kind = kindOf(numbers)
    const group = kind === HOST ? ` of group ${numbers[OPTION.GROUP]}` : ''
    return `${KIND_NAMES[kind] ?? kind} "${name}"${group}`
  },
}

export type ControlEntry = Entry<Numbers, Shape>
