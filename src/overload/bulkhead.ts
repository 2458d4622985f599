/** Bulkhead: bounds how many calls are in flight at a time, over all threads. */
import { InvalidOptionError } from '../errors.ts'
import { type Call, type RefusalNote, runAsync } from '../execute.ts'
import { type ExecuteResult, tried, wrapped } from '../execute-faces.ts'
import { BULKHEAD } from '../memory/controls.ts'
import { REFUSED } from '../memory/words/trials.ts'
import { NO_LOCAL } from '../options/breaker.ts'
import { describeControl } from '../options/controls.ts'
import type { ExecuteOptions } from '../options/execute.ts'
import { readFields } from '../options/read.ts'
import { placesOf } from '../protocol/bulkhead.ts'
import { BulkheadCore } from '../protocol/bulkhead-core.ts'
import { countPlaces } from '../protocol/places.ts'
import { inFlightIn, sumCounters } from '../protocol/totals.ts'
import { countWaiters } from '../protocol/waiting.ts'
import { NOT_TRACED } from '../settlement.ts'
import { type QueuedGuard, runOrWait } from './bulkhead-calls.ts'
import { BulkheadQueue } from './bulkhead-queue.ts'
import { BulkheadRefusals } from './bulkhead-refusals.ts'
import type { ControlKind } from './controls.ts'
import type { BulkheadOptions } from './types.ts'

/** The options of a bulkhead, complete. */
export type ResolvedBulkheadOptions = { readonly [Key in keyof BulkheadOptions]-?: number }

/** A bulkhead at one moment, over all threads. */
export interface BulkheadSnapshot {
  readonly name: string
  readonly maxConcurrentCalls: number
  /** Places taken: never more than `maxConcurrentCalls`. */
  readonly inFlight: number
  /** Calls that wait for a place: never more than `maxQueuedCalls`. */
  readonly queued: number
  /**
   * Since it was made, as the threads counted. `refused`: at once, or after waiting in vain; calls
   * that their callers gave up while they waited are not counted. `late`: permits that were settled
   * twice, or made up. `abandoned`: their threads ended before them.
   */
  readonly totals: {
    readonly admitted: number
    readonly completed: number
    readonly refused: number
    readonly late: number
    readonly abandoned: number
    readonly inFlight: number
  }
}

export interface AcquireOptions {
  /** Its abort ends the wait at once; the promise is rejected with its reason. */
  readonly signal?: AbortSignal | undefined
}

/**
 * One named bulkhead as this thread holds it: at most `maxConcurrentCalls` of all threads are in
 * flight at any instant. Get one from `registry.bulkhead(name, options)`.
 *
 * With `maxQueuedCalls`, calls that find no place wait for one in their thread, first come, first
 * served, for `maxWaitMs` at the most. Across threads: one that came over 20 ms later is not let in
 * before one that waits, if the waiting thread's event loop turns within 5 ms of a place being free
 * and finds it free; else others may go first for 95 ms. A loop that is blocked costs each of the
 * other threads 5 ms in 100.
 *
 * Places are held by threads and come back when a thread's end is known, as its slot does.
 */
export class Bulkhead {
  readonly name: string
  readonly #core: BulkheadCore
  readonly #guard: QueuedGuard

  /** @internal */
  constructor(core: BulkheadCore) {
    this.name = core.cell.name
    this.#core = core
    this.#guard = guardOf(core)
  }

  /** What pipelines execute through. @internal */
  get guard(): QueuedGuard {
    return this.#guard
  }

  /** The options that it was made with, defaults filled in. A copy. */
  get options(): ResolvedBulkheadOptions {
    return describeControl(this.#core.cell.numbers) as ResolvedBulkheadOptions
  }

  /**
   * A place for one call: a permit, or `REFUSED` (-1) where there is none, or others have waited
   * for it. Give every permit back exactly once, in this thread, with `release`. Never waits, never
   * throws, allocates nothing. Cost: one exchange of a word and a count; while calls wait, a look
   * at the queue.
   */
  tryAcquire(): number {
    return this.#core.tryAcquire()
  }

  /**
   * The same, but waits in the queue where there is no place. Rejects with BulkheadFullError when
   * the queue is full or `maxWaitMs` is over, with the signal's reason when that aborts. Keeps the
   * process alive while it waits.
   */
  acquire(options?: AcquireOptions): Promise<number> {
    try {
      const signal = readSignal(options)
      if (signal?.aborted) return Promise.reject(signal.reason)
      const permit = this.#core.take()
      if (permit !== REFUSED) return Promise.resolve(permit)
      const waiting = this.#guard.queue.join(signal)
      if (waiting !== undefined) return waiting
      this.#core.refuse()
      return this.#guard.refusals.promise()
    } catch (error) {
      return Promise.reject(error)
    }
  }

  /** The call has ended: its place is free. Late for a permit that holds none, which frees none. */
  release(permit: number): void {
    this.#core.release(permit)
  }

  /**
   * Calls `fn` when there is a place for it, and frees the place when the call ends, however.
   * Rejects with BulkheadFullError when refused, with the signal's reason when that aborts while
   * the call waits or is made, with CallTimeoutError when `timeoutMs` from its beginning are over,
   * else as `fn` does.
   */
  execute<T>(fn: (call: Call) => T | PromiseLike<T>, options?: ExecuteOptions<T>): Promise<T> {
    return this.#run(fn, options)
  }

  /** As `execute`, but never rejects: says what happened. */
  tryExecute<T>(
    fn: (call: Call) => T | PromiseLike<T>,
    options?: ExecuteOptions<T>,
  ): Promise<ExecuteResult<T>> {
    return tried(note => this.#run(fn, options, note))
  }

  #run<T>(
    fn: (call: Call) => T | PromiseLike<T>,
    options: ExecuteOptions<T> | undefined,
    note?: RefusalNote,
  ): Promise<T> {
    return this.#core.mayWait
      ? runOrWait(this.#guard, fn, options, note)
      : runAsync(this.#guard, fn, options, note)
  }

  /** `fn` guarded by this bulkhead: `this` and arguments are passed on. */
  wrap<A extends unknown[], T>(fn: (...args: A) => PromiseLike<T> | T): (...args: A) => Promise<T> {
    return wrapped(this, fn)
  }

  /** What there is to know about the bulkhead, from all threads. Cost: microseconds. */
  snapshot(): BulkheadSnapshot {
    const { cell } = this.#core
    const counters = sumCounters(cell)
    const { admitted, succeeded, failed, ignored, refused, late, abandoned } = counters
    return {
      name: this.name,
      maxConcurrentCalls: cell.shape.placeCount,
      inFlight: countPlaces(placesOf(cell)),
      queued: countWaiters(cell),
      totals: {
        // The core counts permits that are late as admitted too.
        admitted: admitted - late,
        completed: succeeded + failed + ignored,
        refused,
        late,
        abandoned,
        inFlight: inFlightIn(counters),
      },
    }
  }

  /** @internal */
  moveToOverflow(): void {
    this.#core.moveToOverflow()
  }
}

function readSignal(options: unknown): AbortSignal | undefined {
  if (options === undefined) return undefined
  const signal = readFields('options', options, ['signal']).get('signal')
  if (signal === undefined || signal instanceof AbortSignal) return signal
  throw new InvalidOptionError('options.signal', signal, 'an AbortSignal')
}

function guardOf(core: BulkheadCore): QueuedGuard {
  return {
    what: 'bulkhead',
    name: core.cell.name,
    core,
    local: NO_LOCAL,
    refusals: new BulkheadRefusals(core.cell),
    tracing: NOT_TRACED,
    queue: new BulkheadQueue(core),
  }
}

/** @internal */
export const BULKHEADS: ControlKind<Bulkhead> = {
  kind: BULKHEAD,
  what: 'bulkhead',
  localKeys: [],
  make: (control, { slot }) => new Bulkhead(new BulkheadCore(control, slot)),
  withLocal: face => face,
}
