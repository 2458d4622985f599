import { randomOptions } from './options.ts'
import { Random } from './random.ts'
import { ReferenceBreaker } from './reference.ts'
import { bucketOf } from './reference-rules.ts'
import { type Options, type OutcomeKind, type Permit, REFUSED } from './reference-types.ts'

/** One step, done by one thread. A settling names the acquiring by its `id`. */
export type Step = { thread: number } & (
  | { do: 'advance'; ms: number }
  | { do: 'acquire'; id: number }
  | { do: 'settle'; of: number; how: OutcomeKind; durationMs: number | undefined }
  | { do: 'settle-forged'; of: number | undefined; forgery: number; how: OutcomeKind }
  | { do: 'calls'; times: number; how: OutcomeKind; durationMs: number | undefined }
  | { do: 'command'; op: 'open' | 'disable' | 'metricsOnly' | 'reset' }
  | { do: 'command'; op: 'forceOpen'; ttlMs: number | undefined }
)

export interface History {
  seed: number
  /** The registry's time when the breaker is made. */
  startMs: number
  options: Options
  steps: Step[]
}

/** Permits that nobody was given; `permit` is a real one, so that these lie close to it. */
export const FORGERIES: ((permit: number) => number)[] = [
  () => Number.NaN,
  () => -1,
  () => Number.POSITIVE_INFINITY,
  () => 2 ** 53 + 2,
  () => -(2 ** 40),
  permit => -permit - 1,
  permit => permit + 0.5,
  permit => permit + 1,
  permit => permit - 1,
  permit => permit + 2,
  permit => permit + 64,
  permit => permit + 2 ** 24,
  permit => permit + 2 ** 31,
  permit => permit + 2 ** 32,
  permit => permit % 2 ** 32,
  permit => permit % 2 ** 31,
  permit => permit | 0,
]

const STEPS = 60

/**
 * Runs the reference along while it chooses, so that it knows which moments matter: half of the
 * time moves land just under, at, or just over a deadline or the edge of a bucket.
 */
export function randomHistory(seed: number, threads: number): History {
  const random = new Random(seed)
  const options = randomOptions(random)
  // Not only small times: a region can be old, and 32-bit milliseconds end after 24 days.
  const startMs = random.pick([0, 0, 1, 999, 12_345, 86_400_001, 2 ** 31 - 20, 2 ** 32 - 20])
  const writer = new Writer(random, threads, new ReferenceBreaker('b', options, startMs), startMs)
  const steps: Step[] = []
  while (steps.length < STEPS) steps.push(writer.write(steps.length))
  return { seed, startMs, options, steps }
}

class Writer {
  readonly #random: Random
  readonly #threads: number
  readonly #model: ReferenceBreaker
  readonly #failureShare: number
  /** Some histories are mostly traffic: long windows in which every outcome may be the one. */
  readonly #busy: boolean
  #now: number
  #calls: { id: number; thread: number; permit: Permit; settled: boolean }[] = []

  constructor(random: Random, threads: number, model: ReferenceBreaker, now: number) {
    this.#random = random
    this.#threads = threads
    this.#model = model
    this.#now = now
    this.#failureShare = random.pick([0.15, 0.5, 0.8, 1])
    this.#busy = random.chance(0.25)
  }

  write(id: number): Step {
    const thread = this.#random.between(0, this.#threads - 1)
    switch (this.#random.weighted(this.#weights())) {
      case 'advance':
        return this.#advance(thread)
      case 'acquire':
        return this.#acquire(thread, id)
      case 'settle':
        return this.#settle() ?? this.#acquire(thread, id)
      case 'forged':
        return this.#forged(thread)
      case 'calls':
        return this.#manyCalls(thread)
      case 'command':
        return this.#command(thread)
    }
  }

  #weights() {
    switch (this.#model.state) {
      case 'half-open':
        return { advance: 18, acquire: 30, settle: 34, forged: 6, calls: 6, command: 5 }
      case 'open':
      case 'forced-open':
        return { advance: 45, acquire: 25, settle: 10, forged: 3, calls: 5, command: 12 }
      default:
        if (this.#busy) {
          return { advance: 12, acquire: 6, settle: 6, forged: 1, calls: 74, command: 1 }
        }
        return { advance: 16, acquire: 16, settle: 14, forged: 3, calls: 40, command: 9 }
    }
  }

  #advance(thread: number): Step {
    const ms = this.#nearDeadline() ?? this.#random.pick([1, 1, 2, 10, 99, 1_000, 40_000])
    this.#now += ms
    return { thread, do: 'advance', ms }
  }

  #nearDeadline(): number | undefined {
    if (this.#random.chance(0.3)) return undefined
    const nudge = this.#random.pick([-1, 0, 0, 1])
    const moments = this.#deadlines().map(moment => Math.ceil(moment) + nudge - this.#now)
    const later = moments.filter(ms => ms > 0)
    return later.length > 0 ? this.#random.pick(later) : undefined
  }

  /** Every moment at which the passing of time alone changes an answer. */
  #deadlines(): number[] {
    const { until, places, outcomes, generation, options } = this.#model
    const moments = Number.isFinite(until) ? [until] : []
    for (const place of places) {
      if (place?.outcome === 'pending') moments.push(place.leaseEnd)
    }
    const window = options.slidingWindow
    if (window.type !== 'time') return moments
    const startOf = (bucket: number) => (bucket * window.durationMs) / window.buckets
    moments.push(startOf(bucketOf(this.#now, window) + 1))
    for (const outcome of outcomes.filter(outcome => outcome.generation === generation)) {
      moments.push(startOf(bucketOf(outcome.at, window) + window.buckets))
    }
    return moments
  }

  #acquire(thread: number, id: number): Step {
    const permit = this.#model.tryAcquire(this.#now)
    if (permit !== REFUSED) this.#calls.push({ id, thread, permit, settled: false })
    return { thread, do: 'acquire', id }
  }

  /** Mostly a call in flight; at times one of long ago, or one settled before. */
  #settle(): Step | undefined {
    const pending = this.#calls.filter(call => !call.settled)
    const from = this.#random.chance(0.85) && pending.length > 0 ? pending : this.#calls
    if (from.length === 0) return undefined
    const call = this.#random.pick(from)
    const [how, durationMs] = [this.#outcome(), this.#duration()]
    call.settled = true
    settle(this.#model, call.permit, how, this.#now, durationMs)
    // A permit belongs to the thread that took it.
    return { thread: call.thread, do: 'settle', of: call.id, how, durationMs }
  }

  #forged(thread: number): Step {
    const of = this.#calls.length > 0 ? this.#random.pick(this.#calls).id : undefined
    const forgery = this.#random.between(0, FORGERIES.length - 1)
    return { thread, do: 'settle-forged', of, forgery, how: this.#outcome() }
  }

  #manyCalls(thread: number): Step {
    const times = this.#random.pick([1, 1, 1, 2, 3, 6, 20])
    const [how, durationMs] = [this.#outcome(), this.#duration()]
    for (let left = times; left > 0; left -= 1) {
      const permit = this.#model.tryAcquire(this.#now)
      if (permit !== REFUSED) settle(this.#model, permit, how, this.#now, durationMs)
    }
    return { thread, do: 'calls', times, how, durationMs }
  }

  #command(thread: number): Step {
    const op = this.#random.weighted({
      open: 3,
      forceOpen: 2,
      disable: 1,
      metricsOnly: 1.5,
      reset: 2,
    })
    if (op !== 'forceOpen') {
      this.#model[op](this.#now)
      return { thread, do: 'command', op }
    }
    const ttlMs = this.#random.chance(0.75) ? this.#random.pick([1, 30, 5_000]) : undefined
    this.#model.forceOpen(this.#now, ttlMs)
    return { thread, do: 'command', op, ttlMs }
  }

  #outcome(): OutcomeKind {
    if (this.#random.chance(0.1)) return 'ignored'
    return this.#random.chance(this.#failureShare) ? 'failure' : 'success'
  }

  #duration(): number | undefined {
    if (this.#random.chance(0.4)) return undefined
    const threshold = this.#model.options.slowCallDurationThresholdMs ?? 100
    return Math.max(0, threshold + this.#random.pick([-1, 0, 1, 1, 2.5, -threshold, 1e6]))
  }
}

export function settle(
  model: ReferenceBreaker,
  permit: Permit,
  how: OutcomeKind,
  now: number,
  durationMs: number | undefined,
): void {
  if (how === 'ignored') model.release(permit, now)
  else if (how === 'success') model.recordSuccess(permit, now, durationMs)
  else model.recordFailure(permit, now, durationMs)
}
