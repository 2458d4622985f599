/** CircuitBreaker: the calls that a user makes. */
import { type Call, runAsync, runSync } from './execute.ts'
import { type ExecuteResult, tried, wrapped } from './execute-faces.ts'
import { MAX_REASON_BYTES } from './memory/layout.ts'
import {
  CLOSED,
  DISABLED,
  FORCED_OPEN,
  HALF_OPEN,
  METRICS_ONLY,
  OPEN,
  type State,
} from './memory/words/state.ts'
import type { NewsEvent, NewsListener } from './news/events.ts'
import type { Listeners } from './news/listeners.ts'
import { encodeText } from './options/breaker.ts'
import type { ExecuteOptions } from './options/execute.ts'
import { numberOf, POSITIVE_DURATION, readFields } from './options/read.ts'
import { resolvedOptions } from './options/shared.ts'
import type { LiveOptions, ResolvedOptions } from './options/types.ts'
import type { Core } from './protocol/breaker.ts'
import { carryOutCommand, plainCommand } from './protocol/command.ts'
import { type DurationHistogram, histogramOf } from './protocol/durations.ts'
import {
  type BreakerSnapshot,
  retryAfterMs,
  seenState,
  snapshotOf,
  stateNameOf,
} from './protocol/look.ts'
import { type ShardSnapshot, shardsOf } from './protocol/shards.ts'
import type { Guard } from './settlement.ts'

/** What gives breakers other options. */
interface Configures {
  configure(core: Core, options: LiveOptions): void
}

/**
 * One named circuit breaker as this thread holds it. Its state stands in the region and is that of
 * every thread. Get one from `registry.breaker(name, options)`.
 */
export class CircuitBreaker {
  readonly name: string
  readonly #breakers: Configures
  readonly #core: Core
  readonly #guard: Guard
  readonly #listeners: Listeners

  /** @internal */
  constructor(breakers: Configures, core: Core, guard: Guard, listeners: Listeners) {
    this.name = guard.name
    this.#breakers = breakers
    this.#core = core
    this.#guard = guard
    this.#listeners = listeners
  }

  /** What pipelines execute through. @internal */
  get guard(): Guard {
    return this.#guard
  }

  /** The shared options in force, defaults filled in. A copy. */
  get options(): ResolvedOptions {
    this.#core.isThere() // Looks whether there are others by now.
    return resolvedOptions(this.#core.cell.numbers)
  }

  /**
   * Gives the breaker other options, all at once, in every thread: from the next call of each
   * thread on. What its window has counted stays, and so does its state; a wait or a trial that has
   * begun goes on as it did. What is left out stays; `null` turns off what need not be set. The
   * window's shape and `countHangingCalls` cannot change. Who makes the breaker again with
   * `registry.breaker(name, options)` still gives the options that it was made with.
   *
   * @throws InvalidOptionError, and RegistryFullError when the registry has no room for them
   */
  configure(options: LiveOptions): void {
    this.#breakers.configure(this.#core, options)
  }

  /** The current state. Reading it moves nothing: an open breaker stays so until it is asked. */
  get state(): State {
    return this.#core.isThere() ? stateNameOf(seenState(this.#core.cell)) : 'closed'
  }

  /**
   * Asks for leave to make one call: a permit, or `REFUSED` (-1). Settle every permit exactly once,
   * in this thread, with `recordSuccess`, `recordFailure` or `release`. Never waits, never throws,
   * allocates nothing while closed or open.
   */
  tryAcquire(): number {
    return this.#core.tryAcquire()
  }

  /** The call succeeded. `durationMs`: for slow thresholds and the durations in snapshots. */
  recordSuccess(permit: number, durationMs?: number): void {
    this.#core.recordSuccess(permit, durationMs)
  }

  /** The call failed. */
  recordFailure(permit: number, durationMs?: number): void {
    this.#core.recordFailure(permit, durationMs)
  }

  /** The call says nothing about the dependency (outcome 'ignored'): gives the permit back. */
  release(permit: number): void {
    this.#core.release(permit)
  }

  /**
   * Calls `fn` if the breaker permits and settles the permit by what comes of it. Rejects with
   * CircuitOpenError when refused, CallTimeoutError when `timeoutMs` is over, else as `fn` does.
   */
  execute<T>(fn: (call: Call) => T | PromiseLike<T>, options?: ExecuteOptions<T>): Promise<T> {
    return runAsync(this.#guard, fn, options)
  }

  /** As `execute`, but never rejects: says what happened. */
  tryExecute<T>(
    fn: (call: Call) => T | PromiseLike<T>,
    options?: ExecuteOptions<T>,
  ): Promise<ExecuteResult<T>> {
    return tried(note => runAsync(this.#guard, fn, options, note))
  }

  /** As `execute`, for a function that returns its result. Throws what `execute` rejects with. */
  executeSync<T>(fn: () => T): T {
    return runSync(this.#guard, fn)
  }

  /** `fn` guarded by this breaker: `this` and arguments are passed on. */
  wrap<A extends unknown[], T>(fn: (...args: A) => PromiseLike<T> | T): (...args: A) => Promise<T> {
    return wrapped(this, fn)
  }

  /** Whether `tryAcquire` would admit now. Takes no permit, moves no state. */
  canExecute(): boolean {
    return this.retryAfterMs() === 0
  }

  /** Milliseconds until a call may be admitted; 0: it would be now; `Infinity`: by command only. */
  retryAfterMs(): number {
    if (!this.#core.isThere()) return 0
    const { cell } = this.#core
    return retryAfterMs(cell, seenState(cell), cell.clock.now())
  }

  /** Opens as an outcome would; no effect unless closed, half-open or metrics-only. */
  open(options?: { readonly reason?: string | undefined }): void {
    const { reason } = readCommandOptions('open', options, ['reason'])
    const from = [CLOSED, HALF_OPEN, METRICS_ONLY]
    carryOutCommand(this.#core, { target: OPEN, from, reason, ttlMs: Number.POSITIVE_INFINITY })
  }

  /**
   * Refuses until told otherwise or, where `ttlMs` is set, until it is over; then the breaker acts
   * as an open one whose wait is over. `reason`: at most 128 bytes of UTF-8, seen by all threads.
   */
  forceOpen(options?: {
    readonly reason?: string | undefined
    readonly ttlMs?: number | undefined
  }): void {
    const { reason, ttlMs } = readCommandOptions('forceOpen', options, ['reason', 'ttlMs'])
    carryOutCommand(this.#core, { target: FORCED_OPEN, from: undefined, reason, ttlMs })
  }

  /** As `forceOpen`, unless it is not open by then, or no more. @internal */
  prolong(reason: string, ttlMs: number): void {
    const bytes = encodeText('reason', reason, MAX_REASON_BYTES)
    carryOutCommand(this.#core, { target: FORCED_OPEN, from: [OPEN], reason: bytes, ttlMs })
  }

  /** Permits everything and keeps no window. Totals go on. */
  disable(): void {
    carryOutCommand(this.#core, plainCommand(DISABLED))
  }

  /** Permits everything and keeps the window, but never opens by itself. */
  metricsOnly(): void {
    carryOutCommand(this.#core, plainCommand(METRICS_ONLY))
  }

  /** Closed, with an empty window and the first wait next. */
  reset(): void {
    carryOutCommand(this.#core, plainCommand(CLOSED))
  }

  /**
   * All that there is to know about the breaker, from all threads. Cost: 11 microseconds, and 3 for
   * each thread that gave durations.
   */
  snapshot(): BreakerSnapshot {
    this.#core.current()
    return snapshotOf(this.#core)
  }

  /** Durations of outcomes that came with one, as cumulative buckets, since it was made. */
  durations(): DurationHistogram {
    return histogramOf(this.#core.current())
  }

  /** What each thread has counted. */
  shards(): ShardSnapshot[] {
    return shardsOf(this.#core.current())
  }

  /**
   * Calls `listener` in this thread for each transition of this breaker from now on, whichever
   * thread makes it, in order: in a microtask after the call of this thread that sees it, or when
   * its event loop is woken. Keeps no process alive; ends when the registry is closed. A listener
   * that throws becomes a process warning. `'gap'`: too late for some, see Gap.
   *
   * @throws InvalidOptionError
   */
  on<E extends NewsEvent>(event: E, listener: NewsListener<E>): this {
    this.#listeners.on(event, listener, this.name)
    return this
  }

  /** Ends one `on` with the same arguments. */
  off<E extends NewsEvent>(event: E, listener: NewsListener<E>): this {
    this.#listeners.off(event, listener, this.name)
    return this
  }
}

function readCommandOptions(
  what: string,
  options: unknown,
  known: readonly string[],
): { reason: Uint8Array | undefined; ttlMs: number } {
  if (options === undefined) return { reason: undefined, ttlMs: Number.POSITIVE_INFINITY }
  const fields = readFields(what, options, known)
  const reason = fields.get('reason')
  const ttlMs = numberOf(what, fields, 'ttlMs', POSITIVE_DURATION, Number.POSITIVE_INFINITY)
  return {
    reason:
      reason === undefined ? undefined : encodeText(`${what}.reason`, reason, MAX_REASON_BYTES),
    ttlMs,
  }
}
