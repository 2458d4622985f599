/** What became of the calls of one circuit in one thread, over a rolling window. */
import { EventEmitter } from 'node:events'
import { InvalidOptionError } from '../errors.ts'
import {
  booleanOf,
  numberOf,
  POSITIVE_DURATION,
  readFields,
  wholeBetween,
} from '../options/read.ts'
import { monotonicNow } from '../time/monotonic.ts'

const COUNTS = [
  'failures',
  'fallbacks',
  'successes',
  'rejects',
  'fires',
  'timeouts',
  'cacheHits',
  'cacheMisses',
  'coalesceCacheHits',
  'coalesceCacheMisses',
  'semaphoreRejections',
] as const

export type Count = (typeof COUNTS)[number]
type Counts = Record<Count, number>

/** One slice of the window. Latencies in ms. */
export interface Bucket extends Counts {
  percentiles: { [percentile: number]: number }
  latencyTimes: number[]
}

/** The window, the current bucket first. */
export type Window = Bucket[]

export interface Stats extends Bucket {
  latencyMean: number
}

export interface StatusOptions {
  /** Milliseconds, at least 1 a bucket; default 10,000. */
  readonly rollingCountTimeout?: number | undefined
  /** 1 to 1,024; default 10. */
  readonly rollingCountBuckets?: number | undefined
  /** Default true. */
  readonly rollingPercentilesEnabled?: boolean | undefined
  /** Default true. */
  readonly enableSnapshots?: boolean | undefined
  readonly rotateBucketController?: EventEmitter | undefined
  /** What the current bucket begins with. */
  readonly stats?: Partial<Stats> | undefined
}

export const STATUS_KEYS = [
  'rollingCountTimeout',
  'rollingCountBuckets',
  'rollingPercentilesEnabled',
  'enableSnapshots',
  'rotateBucketController',
] as const

const PERCENTILES = [0, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.995, 1]
/** In place of a latency where none are kept. */
const NOT_KEPT = -1
const BUCKETS = wholeBetween(1, 1024)
const COUNT = wholeBetween(0, Number.MAX_SAFE_INTEGER)
const DEFAULT_WINDOW_MS = 10_000
const DEFAULT_BUCKETS = 10

interface StatusEvents {
  /** Once a bucket. */
  snapshot: [stats: Stats]
  newListener: [event: string | symbol]
}

export class Status extends EventEmitter<StatusEvents> {
  readonly #bucketCount: number
  readonly #bucketMs: number
  readonly #keepsLatencies: boolean
  readonly #now: () => number
  readonly #controller: EventEmitter | undefined
  #buckets: [Bucket, ...Bucket[]]
  #rotatedAt: number
  #timer: NodeJS.Timeout | undefined

  /** `now`: what time its buckets go by. @throws InvalidOptionError */
  constructor(options: StatusOptions = {}, now: () => number = monotonicNow) {
    super()
    const fields = readFields('options', options, [...STATUS_KEYS, 'stats'])
    const windowMs = numberOf(
      'options',
      fields,
      'rollingCountTimeout',
      POSITIVE_DURATION,
      DEFAULT_WINDOW_MS,
    )
    this.#bucketCount = numberOf('options', fields, 'rollingCountBuckets', BUCKETS, DEFAULT_BUCKETS)
    this.#bucketMs = windowMs / this.#bucketCount
    this.#keepsLatencies = booleanOf('options', fields, 'rollingPercentilesEnabled') ?? true
    this.#now = now
    this.#rotatedAt = now()
    this.#buckets = [bucketOf(fields.get('stats') ?? {})]
    this.#controller = controllerOf(fields.get('rotateBucketController'))
    this.#controller?.on('rotate', this.#rotate)
    if (booleanOf('options', fields, 'enableSnapshots') !== false) this.#awaitListeners()
  }

  /** The window's slices, the current one first. Copies. */
  get window(): Window {
    this.#keepTime()
    const window = this.#buckets.map(copyOf)
    while (window.length < this.#bucketCount) window.push(bucketOf({}))
    return window
  }

  /** The sum of the window. Cost: that of sorting its latencies. */
  get stats(): Stats {
    this.#keepTime()
    const counts = emptyCounts()
    for (const bucket of this.#buckets) {
      for (const count of COUNTS) counts[count] += bucket[count]
    }
    const latencyTimes = this.#buckets.flatMap(bucket => bucket.latencyTimes).sort((a, b) => a - b)
    return { ...counts, ...this.#summaryOf(latencyTimes), latencyTimes }
  }

  /** @internal */
  count(count: Count, latencyMs?: number): void {
    this.#keepTime()
    const [current] = this.#buckets
    current[count]++
    if (latencyMs !== undefined && this.#keepsLatencies) current.latencyTimes.push(latencyMs)
  }

  /** Ends its timer. */
  shutdown(): void {
    clearInterval(this.#timer)
    this.#controller?.off('rotate', this.#rotate)
    this.removeAllListeners()
  }

  #summaryOf(sorted: readonly number[]): Pick<Stats, 'percentiles' | 'latencyMean'> {
    const latencyAt = (percentile: number): number => {
      if (!this.#keepsLatencies) return NOT_KEPT
      return sorted[Math.max(0, Math.ceil(percentile * sorted.length) - 1)] ?? 0
    }
    const sum = sorted.reduce((total, latency) => total + latency, 0)
    return {
      percentiles: Object.fromEntries(PERCENTILES.map(of => [of, latencyAt(of)])),
      latencyMean: this.#keepsLatencies ? sum / Math.max(1, sorted.length) : NOT_KEPT,
    }
  }

  readonly #rotate = (): void => {
    this.#buckets = [bucketOf({}), ...this.#buckets.slice(0, this.#bucketCount - 1)]
  }

  #keepTime(): void {
    if (this.#controller !== undefined) return
    const steps = Math.floor((this.#now() - this.#rotatedAt) / this.#bucketMs)
    this.#rotatedAt += steps * this.#bucketMs
    for (let step = Math.min(steps, this.#bucketCount); step > 0; step--) this.#rotate()
  }

  /** A timer only while somebody listens: most never do. It keeps no process alive. */
  #awaitListeners(): void {
    this.on('newListener', event => {
      if (event !== 'snapshot' || this.#timer !== undefined) return
      this.#timer = setInterval(() => this.emit('snapshot', this.stats), this.#bucketMs)
      this.#timer.unref()
    })
  }
}

function emptyCounts(): Counts {
  return Object.fromEntries(COUNTS.map(count => [count, 0])) as Counts
}

/** A bucket that begins with what `stats` say. */
function bucketOf(stats: unknown): Bucket {
  const known = [...COUNTS, 'percentiles', 'latencyTimes', 'latencyMean']
  const fields = readFields('options.stats', stats, known)
  const counts = emptyCounts()
  for (const count of COUNTS) counts[count] = numberOf('options.stats', fields, count, COUNT, 0)
  const latencyTimes = fields.get('latencyTimes') ?? []
  if (!(Array.isArray(latencyTimes) && latencyTimes.every(Number.isFinite))) {
    throw new InvalidOptionError('options.stats.latencyTimes', latencyTimes, 'an array of numbers')
  }
  return { ...counts, percentiles: {}, latencyTimes: [...latencyTimes] }
}

function copyOf(bucket: Bucket): Bucket {
  return { ...bucket, latencyTimes: [...bucket.latencyTimes] }
}

function controllerOf(controller: unknown): EventEmitter | undefined {
  if (controller === undefined || controller instanceof EventEmitter) return controller
  throw new InvalidOptionError('options.rotateBucketController', controller, 'an EventEmitter')
}
