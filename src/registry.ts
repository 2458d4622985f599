/** Registries: make one, attach to one; get breakers from it. */
import { isMainThread } from 'node:worker_threads'
import { load } from '#atomics'
import { CircuitBreaker } from './breaker.ts'
import { executeChannel } from './channels.ts'
import { dumpMemory } from './dump.ts'
import { InvalidOptionError, NoRegistryError } from './errors.ts'
import { coreOf } from './kernel/core.ts'
import { HEADER } from './memory/layout.ts'
import { attachRegion, createRegion, type Region, type RegistryHandle } from './memory/region.ts'
import { type KeeperState, keeperStateOf } from './memory/words/tick.ts'
import type { NewsEvent, NewsListener } from './news/events.ts'
import { Listeners } from './news/listeners.ts'
import {
  encodeName,
  hasLocal,
  NO_LOCAL,
  type ResolvedLocal,
  readBreakerFields,
  resolveLocal,
} from './options/breaker.ts'
import { DURATION, type Fields, isWithin } from './options/read.ts'
import { type ResolvedRegistry, readRegistryOptions } from './options/registry.ts'
import { applyShared, readShared, requireSameShared } from './options/shared.ts'
import type { BreakerOptions, RegistryOptions } from './options/types.ts'
import type { Core } from './protocol/breaker.ts'
import { cellOf, Directory, type Entry } from './protocol/directory.ts'
import { readHistory, type Transition } from './protocol/history.ts'
import { ExporterLease } from './protocol/lease.ts'
import { type BreakerSnapshot, summaryOf } from './protocol/look.ts'
import { liveSlots } from './protocol/slots.ts'
import { Refusals } from './refusals.ts'
import { threadState } from './threads/identity.ts'
import { startKeeper } from './threads/keeper-start.ts'
import { join, leave } from './threads/membership.ts'
import { type SlotSnapshot, slotSnapshots, threadsWithoutSlot } from './threads/presence.ts'
import { ManualClock } from './time/manual.ts'

/** A registry at one moment: every breaker, cheaply. */
export interface RegistrySnapshot {
  /** Milliseconds of the registry's clock. */
  now: number
  /** Threads that hold a slot. */
  threads: number
  maxThreads: number
  maxBreakers: number
  /** Damaged words met so far by any thread; each made a call go unguarded. */
  damaged: number
  /** Threads that found no slot free since the region was made: they share one, see maxThreads. */
  threadsWithoutSlot: number
  /** The threads that hold a slot. */
  slots: SlotSnapshot[]
  /** Whether a keeper serves the region, and whether it is at work. */
  keeper: KeeperState
  /**
   * In the order in which they were made. The counts of a time window are those of the last
   * periodic sum, `windowAgeMs` ago; `breaker.snapshot()` adds up anew.
   */
  breakers: (BreakerSnapshot & { windowAgeMs: number })[]
}

interface Held {
  readonly core: Core
  readonly refusals: Refusals
  /** The handle for callers that give no local options. */
  readonly breaker: CircuitBreaker
  readonly local: ResolvedLocal
}

/** This thread's handle on a region. */
export class Registry {
  readonly #region: Region
  readonly #local: ResolvedLocal
  readonly #membership: ReturnType<typeof join>
  readonly #directory: Directory
  readonly #held = new Map<string, Held>()
  readonly #listeners: Listeners
  readonly #lease: ExporterLease
  #closed = false

  /** @internal */
  constructor(region: Region, local: ResolvedLocal) {
    this.#region = region
    this.#local = local
    this.#membership = join(region)
    this.#directory = new Directory(region, threadState().id)
    this.#listeners = new Listeners(this.#membership.bulletin, () => this.#requireOpen())
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
    const held = this.#held.get(name)
    if (options === undefined && held !== undefined) return held.breaker
    const bytes = encodeName(name)
    const fields: Fields = options === undefined ? new Map() : readBreakerFields('options', options)
    const patch = readShared('options', fields)
    const local = resolveLocal('options', fields, held?.local ?? this.#local)
    const entry =
      this.#directory.find(name) ??
      this.#directory.make(name, bytes, applyShared(this.#region.defaults, patch))
    const asked = applyShared(entry.numbers, patch)
    requireSameShared(`circuit breaker "${name}"`, entry.numbers, asked, name)
    if (held === undefined) return this.#hold(name, entry, local).breaker
    const { core, refusals, breaker } = held
    if (!hasLocal(fields)) return breaker
    return new CircuitBreaker(
      core,
      { name, core, local, refusals, tracing: executeChannel },
      this.#listeners,
    )
  }

  #entry(name: string): Entry {
    const entry = this.#directory.find(name)
    if (entry !== undefined) return entry
    throw new NoRegistryError(`circuit breaker "${name}" is gone from the registry`)
  }

  #hold(name: string, entry: Entry, local: ResolvedLocal): Held {
    const { slot, kernel, bulletin } = this.#membership
    const cell = cellOf(this.#region, entry, threadState().id, bulletin)
    const core = coreOf(kernel, entry, cell, slot)
    const refusals = new Refusals(name, core)
    const guard = { name, core, local, refusals, tracing: executeChannel }
    const breaker = new CircuitBreaker(core, guard, this.#listeners)
    const held = { core, local, refusals, breaker }
    this.#held.set(name, held)
    return held
  }

  /** The breaker of that name, if any thread has made it. */
  get(name: string): CircuitBreaker | undefined {
    this.#requireOpen()
    const held = this.#held.get(name)
    if (held !== undefined) return held.breaker
    const entry = this.#directory.find(name)
    return entry && this.#hold(name, entry, this.#local).breaker
  }

  /** The names of all breakers, in the order in which they were made. */
  names(): string[] {
    this.#requireOpen()
    return this.#directory.names()
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
    const { memory, shape } = this.#region
    return {
      now: this.now(),
      threads: liveSlots(memory, shape),
      maxThreads: shape.maxThreads,
      maxBreakers: shape.maxBreakers,
      damaged: load(memory, HEADER.DAMAGED),
      threadsWithoutSlot: threadsWithoutSlot(this.#region),
      slots: slotSnapshots(this.#region),
      keeper: keeperStateOf(load(memory, HEADER.TICK)),
      breakers: this.names().map(name => summaryOf(name, this.#heldOf(name).core)),
    }
  }

  /**
   * The last transitions of all breakers, the oldest first, 1,024 at the most: what a flight
   * recorder kept, whichever threads died. Cost: 5 microseconds each.
   */
  history(): Transition[] {
    this.#requireOpen()
    const { memory, shape: region } = this.#region
    return readHistory({ memory, region }, this.#directory.entriesAfter(0))
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

  #heldOf(name: string): Held {
    return this.#held.get(name) ?? this.#hold(name, this.#entry(name), this.#local)
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
    for (const { core } of this.#held.values()) core.moveToOverflow()
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

/** Makes a region of its own. @throws InvalidOptionError */
export function createRegistry(options?: RegistryOptions): Registry {
  const resolved = readRegistryOptions(options)
  return new Registry(makeRegion(resolved), resolved.local)
}

/** The region, and its keeper if it is to have one. */
export function makeRegion(options: ResolvedRegistry): Region {
  if (options.tickMs > 0 && !isMainThread) {
    throw new InvalidOptionError('options.keeper', true, 'false: only the main thread starts one')
  }
  const region = createRegion(options)
  if (options.tickMs > 0) startKeeper(region)
  return region
}

/** This thread's registry on the region that `handle` names. @throws RegionError */
export function attachRegistry(handle: RegistryHandle): Registry {
  const region = attachRegion(handle)
  return new Registry(region, localOf(region))
}

/** The local defaults that travel: numbers do, functions cannot. */
export function localOf(region: Region): ResolvedLocal {
  return { ...NO_LOCAL, timeoutMs: region.defaultTimeoutMs }
}
