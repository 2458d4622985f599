/** The test addon as TypeScript sees it: members, breakers and crews that work in C. */
import { createRequire } from 'node:module'
import { setTimeout } from 'node:timers/promises'
import { buildAddon } from './build.ts'

/** An object that C made; only C looks into it. */
declare const native: unique symbol
interface Handle<Of extends string> {
  readonly [native]: Of
}
type RegionHandle = Handle<'region'>
type MemberHandle = Handle<'member'>
type BreakerHandle = Handle<'breaker'>
type CrewHandle = Handle<'crew'>

interface Addon {
  word(view: Int32Array, index: number): number
  attach(view: Int32Array): RegionHandle
  join(region: RegionHandle, number: number): MemberHandle
  slot(member: MemberHandle): number
  now(member: MemberHandle): number
  leave(member: MemberHandle): void
  markDead(member: MemberHandle): void
  find(member: MemberHandle, name: string): BreakerHandle
  tryAcquire(breaker: BreakerHandle): number
  recordSuccess(breaker: BreakerHandle, permit: number, durationMs?: number): boolean
  recordFailure(breaker: BreakerHandle, permit: number, durationMs?: number): boolean
  release(breaker: BreakerHandle, permit: number): boolean
  state(breaker: BreakerHandle): number
  startCrew(region: RegionHandle, name: string, gate: Int32Array, options: object): CrewHandle
  isDone(crew: CrewHandle): boolean
  joinCrew(crew: CrewHandle): Counts[]
  vanish(
    region: RegionHandle,
    name: string,
    permits: number,
  ): { member: MemberHandle; permits: number[] }
}

const built = buildAddon()
const addon: Addon | undefined =
  'path' in built ? createRequire(import.meta.url)(built.path) : undefined

/** Why there is no addon here; undefined where there is one. */
export const missing: string | undefined = 'why' in built ? built.why : undefined

function loaded(): Addon {
  if (addon === undefined) throw new Error(`no addon: ${missing}`)
  return addon
}

/** What `tryAcquire` answers in C once the breaker has been removed. */
export const GONE = -3

/** What threads counted of their own calls. */
export interface Counts {
  admitted: number
  refused: number
  succeeded: number
  failed: number
  ignored: number
  late: number
  /** Trials among the admitted. */
  trials: number
  /** Calls for which the breaker was gone. */
  gone: number
}

/** In a gate's first word, as crews.c has it. */
const OVER = 2

/** What a crew does with its permits. */
const MODE = { succeed: 0, fail: 1, mixed: 2, untilRefused: 3, keepTrials: 4 } as const

export interface CrewOptions {
  readonly threads: number
  readonly mode: keyof typeof MODE
  /** The part of mixed outcomes that fail; a tenth is released. */
  readonly failing?: number
  readonly milliseconds: number
  readonly seed?: number
}

const STATES = ['closed', 'open', 'half-open', 'forced-open', 'disabled', 'metrics-only'] as const

/** Each member gets a number of its own; those of crews.c begin further up. */
let joined = 0

/** A region attached by C. */
export class NativeRegion {
  readonly handle: RegionHandle

  constructor(buffer: SharedArrayBuffer) {
    this.handle = loaded().attach(new Int32Array(buffer))
  }

  join(): NativeMember {
    joined += 1
    return new NativeMember(this, loaded().join(this.handle, joined))
  }

  /** A thread that takes permits and ends without leaving; it has ended when this returns. */
  vanish(name: string, count: number): { member: NativeMember; permits: number[] } {
    const { member, permits } = loaded().vanish(this.handle, name, count)
    return { member: new NativeMember(this, member), permits }
  }

  crew(name: string, gate: Int32Array, options: CrewOptions): NativeCrew {
    return new NativeCrew(this, name, gate, options)
  }
}

/** One `busbar_thread`. */
export class NativeMember {
  /** Kept, for C points into it. */
  readonly region: NativeRegion
  readonly #handle: MemberHandle

  constructor(region: NativeRegion, handle: MemberHandle) {
    this.region = region
    this.#handle = handle
  }

  get slot(): number {
    return loaded().slot(this.#handle)
  }

  now(): number {
    return loaded().now(this.#handle)
  }

  leave(): void {
    loaded().leave(this.#handle)
  }

  markDead(): void {
    loaded().markDead(this.#handle)
  }

  find(name: string): NativeBreaker {
    return new NativeBreaker(this, loaded().find(this.#handle, name))
  }
}

/** One `busbar_breaker`, with the names that JavaScript's have. */
export class NativeBreaker {
  readonly member: NativeMember
  readonly #handle: BreakerHandle

  constructor(member: NativeMember, handle: BreakerHandle) {
    this.member = member
    this.#handle = handle
  }

  tryAcquire(): number {
    return loaded().tryAcquire(this.#handle)
  }

  recordSuccess(permit: number, durationMs?: number): boolean {
    return loaded().recordSuccess(this.#handle, permit, durationMs)
  }

  recordFailure(permit: number, durationMs?: number): boolean {
    return loaded().recordFailure(this.#handle, permit, durationMs)
  }

  release(permit: number): boolean {
    return loaded().release(this.#handle, permit)
  }

  get state(): string {
    return STATES[loaded().state(this.#handle)] ?? 'unknown'
  }
}

/** Real threads, which start their calls when the gate opens, and end when it says so. */
export class NativeCrew {
  readonly gate: Int32Array
  readonly #handle: CrewHandle

  constructor(region: NativeRegion, name: string, gate: Int32Array, options: CrewOptions) {
    this.gate = gate
    const given = { failing: 0.5, seed: 1, ...options, mode: MODE[options.mode] }
    this.#handle = loaded().startCrew(region.handle, name, gate, given)
  }

  /** Ends the calls before their time is over. */
  end(): void {
    Atomics.store(this.gate, 0, OVER)
  }

  /** What each thread counted, once all have ended. This thread's event loop goes on. */
  async counts(): Promise<Counts[]> {
    while (!loaded().isDone(this.#handle)) await setTimeout(1)
    return loaded().joinCrew(this.#handle)
  }
}
