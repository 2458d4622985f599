import type { CircuitBreaker } from './breaker.ts'
import { Breakers } from './breakers.ts'
import { dumpMemory } from './dump.ts'
import { InvalidOptionError, NoRegistryError } from './errors.ts'
import { KeyedBreakers } from './keyed/keyed.ts'
import { type KeyedOptions, readKeyed } from './keyed/options.ts'
import type { RegistryHandle } from './memory/handle.ts'
import type { Region } from './memory/region.ts'
import type { NewsEvent, NewsListener } from './news/events.ts'
import { Listeners } from './news/listeners.ts'
import { encodeName, type ResolvedLocal } from './options/breaker.ts'
import { DURATION, isWithin } from './options/read.ts'
import type { BreakerOptions, RegistryExport } from './options/types.ts'
import { BULKHEADS, type Bulkhead } from './overload/bulkhead.ts'
import { Controls } from './overload/controls.ts'
import { HOST_GROUPS, type HostGroup } from './overload/hosts.ts'
import { RETRY_BUDGETS, type RetryBudget } from './overload/retry-budget.ts'
import { THROTTLES, type Throttle } from './overload/throttle.ts'
import type {
  BulkheadOptions,
  HostGroupOptions,
  RetryBudgetOptions,
  ThrottleOptions,
} from './overload/types.ts'
import { type PipelineOptions, readParts } from './pipeline/parts.ts'
import { Pipeline } from './pipeline/pipeline.ts'
import { readHistory, type Transition } from './protocol/history.ts'
import { ExporterLease } from './protocol/lease.ts'
import { type RegistrySnapshot, snapshotRegion } from './registry-snapshot.ts'
import { threadState } from './threads/identity.ts'
import { join, leave } from './threads/membership.ts'
import { ManualClock } from './time/manual.ts'
import { WarmStart } from './warm-start/waiting.ts'

/** This thread's handle on a region. */
export class Registry {
  readonly #region: Region
  readonly #membership: ReturnType<typeof join>
  readonly #breakers: Breakers
  readonly #controls: Controls
  readonly #listeners: Listeners
  readonly #lease: ExporterLease
  #closed = false

  /** @internal */
  constructor(region: Region, local: ResolvedLocal) {
    this.#region = region
    const warmStart = region.warmStart && new WarmStart(region.warmStart)
    this.#membership = join(region)
    const { id } = threadState()
    this.#controls = new Controls(region, id, this.#membership.slot, local)
    this.#listeners = new Listeners(this.#membership.bulletin, () => this.#requireOpen())
    this.#breakers = new Breakers(region, local, this.#membership, this.#listeners, warmStart)
    this.#lease = new ExporterLease(region.memory)
  }

  /** Pass it to another thread (workerData, postMessage) and call `attachRegistry` on it there. */
  get handle(): RegistryHandle {
    return this.#region.handle
  }

  /**
   * The breaker of that name, made with `options` if there is none yet. Shared options given for
   * one that exists must equal what it was made with; local ones are this thread's own.
   *
   * @throws InvalidOptionError, OptionsMismatchError, RegistryFullError
   */
  breaker(name: string, options?: BreakerOptions): CircuitBreaker {
    this.#requireOpen()
    return this.#breakers.obtain(name, options)
  }

  /**
   * The throttle of that name: refuses calls in proportion to how many of them its backend does not
   * take. Made with `options` if there is none yet, as `breaker` does.
   *
   * @throws InvalidOptionError, OptionsMismatchError, RegistryFullError
   */
  throttle(name: string, options?: ThrottleOptions): Throttle {
    this.#requireOpen()
    return this.#controls.get(THROTTLES, name, options)
  }

  /** The bulkhead of that name: bounds how many calls are in flight. Likewise. */
  bulkhead(name: string, options?: BulkheadOptions): Bulkhead {
    this.#requireOpen()
    return this.#controls.get(BULKHEADS, name, options)
  }

  /** The retry budget of that name: bounds retries by the number of calls. Likewise. */
  retryBudget(name: string, options?: RetryBudgetOptions): RetryBudget {
    this.#requireOpen()
    return this.#controls.get(RETRY_BUDGETS, name, options)
  }

  /** The host group of that name: ejects the hosts that fail more than the others. Likewise. */
  hosts(name: string, options?: HostGroupOptions): HostGroup {
    this.#requireOpen()
    return this.#controls.get(HOST_GROUPS, name, options)
  }

  /**
   * A pipeline: these parts around a call, in the order in which they must stand. Parts that are
   * given by their options are made under this name, as `throttle`, `bulkhead`, `breaker` and
   * `retryBudget` make them. It has nothing else of its own: make one in each thread that uses it.
   *
   * @throws InvalidOptionError, OptionsMismatchError, RegistryFullError
   */
  pipeline(name: string, parts: PipelineOptions): Pipeline {
    this.#requireOpen()
    return new Pipeline(name, readParts(this, name, parts), this.#region.clock)
  }

  /**
   * Breakers by key, at most `max` of them: one for each host, tenant or shard.
   *
   * @throws InvalidOptionError
   */
  keyed(prefix: string, options: KeyedOptions): KeyedBreakers {
    this.#requireOpen()
    encodeName(prefix)
    return new KeyedBreakers(this.#breakers, prefix, readKeyed(options))
  }

  /** The breaker of that name, if any thread has made it. */
  get(name: string): CircuitBreaker | undefined {
    this.#requireOpen()
    return this.#breakers.get(name)
  }

  /**
   * Removes the breaker of that name, whatever its state; whether there was one. Its record is free
   * for another of the same window. Calls in flight are late; who goes on to use a handle of it
   * makes it anew.
   */
  remove(name: string): boolean {
    this.#requireOpen()
    return this.#breakers.remove(name)
  }

  /** The names of all breakers, in the order of their records. */
  names(): string[] {
    this.#requireOpen()
    return this.#breakers.directory.present().map(({ name }) => name)
  }

  /** Milliseconds since the region was made: monotonic, the same in every thread. */
  now(): number {
    return this.#region.clock.now()
  }

  /** Moves the time of every thread on by `ms`. For `clock: 'manual'` only. Resolution: 1 µs. */
  advance(ms: number): void {
    const { clock } = this.#region
    if (!(clock instanceof ManualClock)) {
      throw new InvalidOptionError('clock', 'monotonic', "'manual' for advance() to move it")
    }
    if (!isWithin(ms, DURATION)) throw new InvalidOptionError('advance(ms)', ms, DURATION.text)
    clock.advance(ms)
  }

  /** Every breaker at a glance. */
  snapshot(): RegistrySnapshot {
    this.#requireOpen()
    return {
      now: this.now(),
      ...snapshotRegion(this.#region),
      breakers: this.#breakers.summaries(),
      throttles: this.#controls.all(THROTTLES).map(throttle => throttle.snapshot()),
      bulkheads: this.#controls.all(BULKHEADS).map(bulkhead => bulkhead.snapshot()),
      retryBudgets: this.#controls.all(RETRY_BUDGETS).map(budget => budget.snapshot()),
      hostGroups: this.#controls.all(HOST_GROUPS).map(group => group.snapshot()),
    }
  }

  /**
   * The last transitions of all breakers, the oldest first, 1,024 at the most: what a flight
   * recorder kept, whichever threads died. Cost: 5 microseconds each.
   */
  history(): Transition[] {
    this.#requireOpen()
    const { memory, shape: region } = this.#region
    return readHistory({ memory, region }, this.#breakers.directory.entriesAfter(0))
  }

  /**
   * The states of all breakers that are not closed, for `createRegistry({ import })` of a later
   * process: what is open stays so for what remains of its wait. Plain, and a copy. No options,
   * windows or totals are in it, nor any clock's time. Cost: 3 microseconds for each of them.
   *
   * @throws NoRegistryError when closed
   */
  export(): RegistryExport {
    this.#requireOpen()
    return this.#breakers.export()
  }

  /** As `breaker.on`, for all breakers, those that are made later too. */
  on<E extends NewsEvent>(event: E, listener: NewsListener<E>): this {
    this.#listeners.on(event, listener)
    return this
  }

  /** Ends one `on` with the same arguments. */
  off<E extends NewsEvent>(event: E, listener: NewsListener<E>): this {
    this.#listeners.off(event, listener)
    return this
  }

  /**
   * Whether this thread is the one of the process to export metrics, for `leaseMs` from now.
   * @internal
   */
  leads(leaseMs: number): boolean {
    this.#requireOpen()
    return this.#lease.hold(this.now(), leaseMs)
  }

  /**
   * Writes the region to a file for `npx busbar-dump <path>` to print: its bytes and nothing else,
   * readable by their owner only. Needs no other thread, so it works while their loops are blocked.
   *
   * Blocks this thread for about 2 ms a megabyte and the writing; takes 64 kB besides. No word in
   * the file is torn, but words are copied one after the other while other threads go on. So two
   * that belong together may not fit: of a region at work the verifier may find what is no fault,
   * and marks it so. The file is written beside `path` and renamed, replacing what was there.
   *
   * @throws InvalidOptionError for no path, NoRegistryError when closed, what `node:fs` throws
   */
  dump(path: string | URL): void {
    this.#requireOpen()
    dumpMemory(this.#region.memory, path)
  }

  /**
   * Gives this thread's slot back, unless another registry in it uses the region too. Breakers that
   * were got from it go on working, as those of a thread beyond `maxThreads` do.
   */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#listeners.close()
    leave(this.#region, this.#membership)
    this.#breakers.moveToOverflow()
    this.#controls.moveToOverflow()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  /** @internal */
  get closed(): boolean {
    return this.#closed
  }

  #requireOpen(): void {
    if (!this.#closed) return
    throw new NoRegistryError('this registry was closed; attach again with attachRegistry(handle)')
  }
}
