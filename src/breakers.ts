/** The breakers of a registry as one thread holds them: found by name, else made. */
import { CircuitBreaker } from './breaker.ts'
import { executeChannel } from './channels.ts'
import { RegionError, RegistryFullError } from './errors.ts'
import { coreOf } from './kernel/core.ts'
import type { Region } from './memory/region.ts'
import type { Listeners } from './news/listeners.ts'
import {
  encodeName,
  hasLocal,
  type ResolvedLocal,
  readBreakerFields,
  resolveLocal,
} from './options/breaker.ts'
import { readLive, requireSameShape } from './options/live.ts'
import type { Fields } from './options/read.ts'
import { readWithSet } from './options/sets.ts'
import {
  applyShared,
  requireCountable,
  requireSameShared,
  type SharedPatch,
} from './options/shared.ts'
import type { BreakerOptions, LiveOptions, RegistryExport } from './options/types.ts'
import type { Core } from './protocol/breaker.ts'
import { type Cell, reportDamage } from './protocol/cell.ts'
import { cellOf, Directory, type Entry } from './protocol/directory.ts'
import { type Follower, type Home, raiseEdition } from './protocol/follower.ts'
import { summaryOf } from './protocol/look.ts'
import type { Wanted } from './protocol/making.ts'
import { begin, removeBreaker } from './protocol/removal.ts'
import { OVERFLOW_SLOT, useOverflow } from './protocol/slots.ts'
import { Refusals } from './refusals.ts'
import type { Guard } from './settlement.ts'
import { type Membership, threadState } from './threads/identity.ts'
import { exportBreakers } from './warm-start/export.ts'
import type { WarmStart } from './warm-start/waiting.ts'

interface Held {
  readonly core: Core
  readonly refusals: Refusals
  /** The handle for callers that give no local options. */
  readonly breaker: CircuitBreaker
  readonly local: ResolvedLocal
}

/** A breaker that is looked up by its key. */
export type Keyed = Pick<Held, 'core' | 'breaker'>

/** How a breaker is made that belongs to a group of keyed ones. */
export type Grouped = Pick<Wanted, 'group' | 'makeRoom'>

/** Each one lost is another's options, a removal or a transition. */
const ATTEMPTS = 10_000

export class Breakers implements Home {
  readonly directory: Directory
  readonly #region: Region
  readonly #local: ResolvedLocal
  readonly #membership: Membership
  readonly #listeners: Listeners
  readonly #warmStart: WarmStart | undefined
  /** Where this thread counts. */
  #slot: number
  readonly #held = new Map<string, Held>()
  /** Those too that are held by users alone. */
  readonly #all = new WeakMap<Follower, Held>()
  /** By the number of their record. */
  readonly #tenants = new Map<number, Held>()
  /** How to make room again for breakers of a group, by its prefix. */
  readonly #rooms = new Map<string, () => void>()

  constructor(
    region: Region,
    local: ResolvedLocal,
    membership: Membership,
    listeners: Listeners,
    warmStart: WarmStart | undefined,
  ) {
    this.#warmStart = warmStart
    this.#region = region
    this.directory = new Directory(region, threadState().id)
    this.#local = local
    this.#membership = membership
    this.#listeners = listeners
    this.#slot = membership.slot
  }

  /** See `registry.breaker`. */
  obtain(name: string, options?: BreakerOptions, grouped?: Grouped): CircuitBreaker {
    const held = this.#present(name)
    if (options === undefined && held !== undefined) return held.breaker
    const bytes = encodeName(name)
    const fields: Fields = options === undefined ? new Map() : readBreakerFields('options', options)
    const patch = readWithSet('options', fields, this.#region.optionSets)
    const local = resolveLocal('options', fields, held?.local ?? this.#local)
    const found = this.directory.find(name)
    const entry = found ?? this.#make(name, bytes, patch, grouped)
    const asked = applyShared(entry.made, patch)
    requireSameShared(`circuit breaker "${name}"`, entry.made, asked, name)
    if (held === undefined) return this.#hold(entry, local).breaker
    const { core, refusals, breaker } = held
    if (!hasLocal(fields)) return breaker
    return new CircuitBreaker(this, core, guardOf(name, core, local, refusals), this.#listeners)
  }

  /** Refuses what `obtain` would refuse when it makes a breaker. @throws InvalidOptionError */
  check(options: BreakerOptions): void {
    const fields = readBreakerFields('options', options)
    resolveLocal('options', fields, this.#local)
    const patch = readWithSet('options', fields, this.#region.optionSets)
    requireCountable(applyShared(this.#region.defaults, patch))
  }

  /** The same of a group's, with its core. */
  keyed(name: string, options: BreakerOptions, grouped: Grouped): Keyed {
    const breaker = this.obtain(name, options, grouped)
    const { core } = this.#held.get(name) as Held
    return { core, breaker }
  }

  /** What this thread holds of that name, if it has not been removed. */
  #present(name: string): Held | undefined {
    const held = this.#held.get(name)
    return held?.core.isThere() ? held : undefined
  }

  #make(name: string, bytes: Uint8Array, patch: SharedPatch, grouped: Grouped | undefined): Entry {
    const numbers = requireCountable(applyShared(this.#region.defaults, patch))
    return this.directory.make({ name, bytes, numbers, ...grouped })
  }

  #hold(entry: Entry, local: ResolvedLocal): Held {
    const { name } = entry
    this.#settleIn(entry, undefined)
    const core = coreOf(this.#membership.kernel, this.#cellOf(entry), this.#slot, this)
    // It may be removed again by now.
    if (core.isThere()) this.#warmStart?.give(name, core.cell)
    const refusals = new Refusals(name, core)
    const breaker = new CircuitBreaker(
      this,
      core,
      guardOf(name, core, local, refusals),
      this.#listeners,
    )
    const held = { core, local, refusals, breaker }
    this.#all.set(core, held)
    this.#held.set(name, held)
    this.#tenants.set(entry.number, held)
    return held
  }

  /** `held` has that record from now on; forgets the breaker that had it before. */
  #settleIn({ number }: Entry, held: Held | undefined): void {
    const before = this.#tenants.get(number)
    if (held !== undefined) this.#tenants.set(number, held)
    if (before === undefined || before === held) return
    const { name } = before.breaker
    if (this.#held.get(name) === before) this.#held.delete(name)
    before.core.vacate()
  }

  /** The breaker of that name, if any thread has made it. */
  get(name: string): CircuitBreaker | undefined {
    const entry = this.directory.find(name)
    return entry && this.heldOf(entry).breaker
  }

  heldOf(entry: Entry): Held {
    return this.#present(entry.name) ?? this.#hold(entry, this.#local)
  }

  /** Gives the breaker other options, in every thread. */
  configure(core: Core, options: LiveOptions): void {
    const patch = readLive('options', options, this.#region.optionSets)
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const { name, breaker, entry: word, numbers } = core.current()
      const wanted = applyShared(numbers, patch)
      requireSameShape(numbers, wanted)
      const entry = this.directory.at(breaker)
      if (entry?.word !== word) {
        // Who replaced it may have died before it said so: then nobody knows that there is another.
        raiseEdition(core.cell)
        continue
      }
      if (this.directory.replace(entry, bytesOf(name), wanted)) {
        raiseEdition(core.cell)
        core.current()
        return
      }
    }
    throw new RegionError('the directory is damaged: no options can be given to a breaker')
  }

  /** See `registry.export`. Those that wait are listed first: see exportBreakers. */
  export(): RegistryExport {
    const waiting = this.#warmStart?.left(this.#region.clock.now()) ?? []
    const made = this.directory.present().map(entry => this.heldOf(entry).core.cell)
    return exportBreakers(waiting, made)
  }

  /** Every breaker at a glance. */
  summaries(): ReturnType<typeof summaryOf>[] {
    return this.directory.present().flatMap(entry => {
      const { core } = this.heldOf(entry)
      return core.isThere() ? [summaryOf(core)] : []
    })
  }

  /** Removes the breaker of that name; whether there was one. */
  remove(name: string): boolean {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const entry = this.directory.find(name)
      if (entry === undefined) return attempt > 0
      if (removeBreaker(this.#cellOf(entry))) return true
    }
    throw new RegionError('the directory is damaged: a breaker cannot be removed')
  }

  /** From now on breakers of that group that are gone are made again by making room so. */
  keepRoom(prefix: string, makeRoom: () => void): void {
    this.#rooms.set(prefix, makeRoom)
  }

  slotOf(holder: Follower): number {
    if (this.#held.get(holder.cell.name)?.core === holder) return this.#slot
    // When the registry is closed nobody would tell it so.
    useOverflow(this.#region.memory)
    return OVERFLOW_SLOT
  }

  look(cell: Cell): Cell | undefined {
    try {
      const entry = this.directory.at(cell.breaker)
      if (entry?.first !== cell.first || !this.directory.isPresent(entry)) return undefined
      return entry.word === cell.entry ? cell : this.#cellOf(entry)
    } catch (error) {
      this.warn(error)
      return undefined
    }
  }

  again(holder: Follower): Cell {
    const { name, made, maxKeys, prefixLength } = holder.cell
    const makeRoom = this.#rooms.get(name.slice(0, prefixLength))
    const group = { maxKeys, prefixLength }
    const wanted = { name, bytes: bytesOf(name), numbers: made, group }
    const entry = this.directory.make(makeRoom === undefined ? wanted : { ...wanted, makeRoom })
    const held = this.#all.get(holder)
    if (held !== undefined && !this.#held.has(name)) this.#held.set(name, held)
    this.#settleIn(entry, this.#held.get(name))
    const cell = this.#cellOf(entry)
    begin(cell)
    this.#warmStart?.give(name, cell)
    return cell
  }

  /** A call of a user's must not fail because there is no room for its breaker any more. */
  warn(error: unknown): void {
    if (error instanceof RegistryFullError) warnOfCrowd(error)
    else reportDamage(this.#region.memory, 'the directory')
  }

  #cellOf(entry: Entry): Cell {
    return cellOf(this.#region, entry, threadState().id, this.#membership.bulletin)
  }

  moveToOverflow(): void {
    this.#slot = OVERFLOW_SLOT
    for (const { core } of this.#held.values()) core.moveToOverflow()
  }
}

function guardOf(name: string, core: Core, local: ResolvedLocal, refusals: Refusals): Guard {
  return { what: 'circuit breaker', name, core, local, refusals, tracing: executeChannel }
}

/** Of a name that was read from the region, where it may be damaged. */
function bytesOf(name: string): Uint8Array {
  try {
    return encodeName(name)
  } catch {
    throw new RegionError(`the name of a circuit breaker is damaged: ${JSON.stringify(name)}`)
  }
}

let warned = false

/** Once in each thread. */
function warnOfCrowd({ message }: RegistryFullError): void {
  if (warned) return
  warned = true
  process.emitWarning(`busbar: ${message}; its calls go unguarded`)
}
