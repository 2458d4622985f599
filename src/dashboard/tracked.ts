/** One breaker from sample to sample: what it did since the last, and its row for the stream. */
import type { State } from '../memory/words/state.ts'
import { between, percentile, perSecond, threeDigits } from './rates.ts'
import type { SourceBreaker, SourceHandle, SourceShard, SourceWindow } from './source.ts'
import type { Introduction, Row, RowValue } from './wire.ts'

/** Percentiles and the threads' shares are of the calls of so long. */
const WINDOW_MS = 10_000
/** Samples kept of that window are so far apart at least, and rates are of so long at least. */
const MIN_DISTANCE_MS = 800
/** A rate is of the last sample where that is of so many calls, else of the window. */
const ENOUGH_CALLS = 10
/** Two looks at one deadline differ by what passed between the readings of their clocks. */
const SAME_DEADLINE_MS = 50

/** A window that was added up so long ago is added up anew. */
const STALE_MS = 200

interface Sample {
  readonly at: number
  readonly totals: SourceBreaker['totals']
  /** Of durations, up to each of the limits: twelve such are kept, so no object for each. */
  readonly durations: readonly number[]
  readonly shards: readonly SourceShard[]
}

const NOTHING_YET: Sample['totals'] = {
  admitted: 0,
  succeeded: 0,
  failed: 0,
  late: 0,
  abandoned: 0,
  refused: 0,
  inFlight: 0,
}

export class Tracked {
  readonly introduction: Introduction
  readonly #handle: SourceHandle
  /** Oldest first. */
  #past: Sample[] = []
  /** Of the buckets of durations, in ms; known once there are any. */
  #limitsMs: readonly number[] = []
  #latest: Sample
  #until: number | null = 0
  #generation = -1
  #state: State
  #window: SourceWindow
  #sent = ''
  row: Row
  /** [succeeded, failed, refused] since the sample before. */
  recent: readonly [number, number, number] = [0, 0, 0]

  /** `madeSince`: what a breaker did that is newer than this look is all to be told. */
  constructor(
    id: number,
    handle: SourceHandle,
    breaker: SourceBreaker,
    now: number,
    madeSince: number | undefined,
  ) {
    this.#handle = handle
    this.introduction = introductionOf(id, breaker.name, handle)
    this.#latest =
      madeSince === undefined
        ? this.#sample(breaker, now)
        : { at: madeSince, totals: NOTHING_YET, durations: [], shards: [] }
    this.#window = breaker.window
    this.#state = breaker.state
    this.#past.push(this.#latest)
    this.row = this.#rowOf(breaker, now)
  }

  /** Whether the breaker has gone to another state since it was looked at. */
  hasMoved(): boolean {
    return this.#handle.state !== this.#state
  }

  /** Looks again. Returns whether the row is news. */
  update(breaker: SourceBreaker, now: number): boolean {
    const before = this.#latest
    const isSame = sameTotals(before.totals, breaker.totals)
    this.#window = this.#windowOf(breaker, isSame)
    // Buckets and shards take the reading of every thread's counters: not for an idle breaker.
    this.#latest = isSame ? { ...before, at: now } : this.#sample(breaker, now)
    const { succeeded, failed, refused } = breaker.totals
    this.recent = [
      Math.max(0, succeeded - before.totals.succeeded),
      Math.max(0, failed - before.totals.failed),
      Math.max(0, refused - before.totals.refused),
    ]
    this.row = this.#rowOf(breaker, now)
    this.#remember(now)
    const text = JSON.stringify(this.row)
    const isNews = text !== this.#sent || this.recent.some(count => count > 0)
    this.#sent = text
    return isNews
  }

  /** Nobody looked for a while: what comes is not to be taken for the work of one interval. */
  startAgain(breaker: SourceBreaker, now: number): void {
    this.#latest = this.#sample(breaker, now)
    this.#past = [this.#latest]
    this.#window = this.#windowOf(breaker, false)
    this.recent = [0, 0, 0]
    this.row = this.#rowOf(breaker, now)
  }

  #sample({ totals }: SourceBreaker, at: number): Sample {
    const { count, buckets } = this.#handle.durations()
    if (count > 0 && this.#limitsMs.length === 0) this.#limitsMs = buckets.map(({ leMs }) => leMs)
    const durations = count > 0 ? buckets.map(bucket => bucket.count) : []
    return { at, totals, durations, shards: this.#handle.shards() }
  }

  /** The keeper adds windows up while there is traffic; without it nobody may have for long. */
  #windowOf({ window, windowAgeMs, generation }: SourceBreaker, isSame: boolean): SourceWindow {
    if (windowAgeMs <= STALE_MS) return window
    const isEmpty = isSame && generation === this.#generation && this.#window.calls === 0
    return isEmpty ? this.#window : this.#handle.snapshot().window
  }

  #remember(now: number): void {
    const newest = this.#past.at(-1)
    if (newest === undefined || now - newest.at >= MIN_DISTANCE_MS) this.#past.push(this.#latest)
    while (this.#past.length > 2 && (this.#past[1]?.at ?? now) <= now - WINDOW_MS) {
      this.#past.shift()
    }
  }

  #rowOf(breaker: SourceBreaker, now: number): Row {
    const { totals, openedBy: opened, trials } = breaker
    this.#state = breaker.state
    const window = this.#window
    const latest = this.#latest
    const base = this.#past[0] ?? latest
    const before = this.#past.findLast(({ at }) => now - at >= MIN_DISTANCE_MS) ?? base
    const durations = between(base.durations, latest.durations)
    const rate = (total: 'admitted' | 'refused'): number => {
      const lately = totals[total] - before.totals[total]
      if (lately >= ENOUGH_CALLS) return perSecond(lately, now - before.at)
      return perSecond(totals[total] - base.totals[total], now - base.at)
    }
    return [
      this.introduction.id,
      breaker.state,
      breaker.generation,
      Math.round(breaker.since),
      this.#untilOf(breaker, now),
      window.calls,
      window.failures,
      window.slowCalls,
      ratio(window.failureRate),
      ratio(window.slowCallRate),
      opened ? [opened.calls, opened.failures, opened.slowCalls] : null,
      trials ? [trials.permitted, trials.inFlight, trials.succeeded, trials.failed] : null,
      rate('admitted'),
      rate('refused'),
      percentile(this.#limitsMs, durations, 0.5),
      percentile(this.#limitsMs, durations, 0.99),
      totals.admitted,
      totals.refused,
      totals.inFlight,
      sharesOf(base.shards, latest.shards),
      this.recent,
    ]
  }

  /** The deadline as it was first seen, so that an open breaker's row stays the same. */
  #untilOf({ generation, retryAfterMs }: SourceBreaker, now: number): RowValue {
    const isSameState = this.#generation === generation
    this.#generation = generation
    if (retryAfterMs === 0) this.#until = 0
    else if (retryAfterMs === Number.POSITIVE_INFINITY) this.#until = null
    else {
      const until = Math.round(now + retryAfterMs)
      const known = isSameState && this.#until !== null ? this.#until : 0
      this.#until = Math.abs(until - known) <= SAME_DEADLINE_MS ? known : until
    }
    return this.#until
  }
}

function introductionOf(id: number, name: string, { options }: SourceHandle): Introduction {
  const { slidingWindow } = options
  const isRow = slidingWindow.type === 'consecutive'
  return {
    id,
    name,
    failuresInARow: isRow ? (slidingWindow.failures ?? null) : null,
    failureRateThreshold: options.failureRateThreshold,
    minimumNumberOfCalls: options.minimumNumberOfCalls,
    slowCallDurationThresholdMs: options.slowCallDurationThresholdMs ?? null,
    slowCallRateThreshold: options.slowCallRateThreshold,
    permittedTrials: options.permittedNumberOfCallsInHalfOpenState,
  }
}

function ratio(rate: number | null): number | null {
  return rate === null ? null : threeDigits(rate)
}

function sameTotals(one: SourceBreaker['totals'], other: SourceBreaker['totals']): boolean {
  return (
    one.admitted === other.admitted &&
    one.refused === other.refused &&
    one.inFlight === other.inFlight &&
    one.late === other.late &&
    one.abandoned === other.abandoned
  )
}

function sharesOf(before: readonly SourceShard[], after: readonly SourceShard[]): number[] {
  const earlier = new Map(before.map(shard => [shard.slot, shard.admitted]))
  return after.flatMap(({ slot, admitted, inFlight }) => {
    const calls = Math.max(0, admitted - (earlier.get(slot) ?? 0))
    return calls > 0 || inFlight > 0 ? [slot, calls, inFlight] : []
  })
}
