/** Results that are given again, and calls that are made once for all who ask meanwhile. */
import { isThenable } from '../settlement.ts'
import type { CacheTransport, CoalesceResetOn } from './types.ts'
import { wallNow } from './wall-clock.ts'
import { warn } from './warning.ts'

/** A result, whatever it is. */
export interface Found {
  readonly value: unknown
}

/** What a cache is to a circuit. A cache that fails has nothing. */
export interface ResultCache {
  find(key: string): Found | undefined | Promise<Found | undefined>
  keep(key: string, value: unknown): void
  clear(): void
}

interface Entry<T> {
  readonly value: T
  readonly expiresAt: number
}

/** Values by key, for a while, at most so many: the oldest goes first. */
export class TimedMap<T> {
  readonly #entries = new Map<string, Entry<T>>()
  readonly #ttlMs: number
  readonly #size: number
  readonly #now: () => number

  constructor(ttlMs: number, size: number, now: () => number) {
    this.#ttlMs = ttlMs
    this.#size = size
    this.#now = now
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    if (this.#now() < entry.expiresAt) return entry.value
    this.#entries.delete(key)
    return undefined
  }

  set(key: string, value: T): void {
    this.#entries.delete(key)
    this.#entries.set(key, { value, expiresAt: this.#now() + this.#ttlMs })
    if (this.#entries.size <= this.#size) return
    const [oldest] = this.#entries.keys()
    if (oldest !== undefined) this.#entries.delete(oldest)
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
  }
}

export class MemoryCache implements ResultCache {
  readonly #results: TimedMap<Found>

  constructor(ttlMs: number, size: number, now: () => number) {
    this.#results = new TimedMap(ttlMs > 0 ? ttlMs : Number.POSITIVE_INFINITY, size, now)
  }

  find(key: string): Found | undefined {
    return this.#results.get(key)
  }

  keep(key: string, value: unknown): void {
    this.#results.set(key, { value })
  }

  clear(): void {
    this.#results.clear()
  }
}

/** Results that the user's own transport keeps, which may be slow or broken. */
export class TransportCache implements ResultCache {
  readonly #transport: CacheTransport
  readonly #ttlMs: number

  constructor(transport: CacheTransport, ttlMs: number) {
    this.#transport = transport
    this.#ttlMs = ttlMs
  }

  find(key: string): Found | undefined | Promise<Found | undefined> {
    try {
      const answer = this.#transport.get(key)
      return isThenable(answer) ? findIn(answer) : foundIn(answer)
    } catch (error) {
      warn('the cache', error)
      return undefined
    }
  }

  keep(key: string, value: unknown): void {
    const expiresAt = this.#ttlMs > 0 ? wallNow() + this.#ttlMs : 0
    void attempt(() => this.#transport.set(key, value, expiresAt))
  }

  clear(): void {
    void attempt(() => this.#transport.flush())
  }
}

function foundIn(value: unknown): Found | undefined {
  return value === undefined || value === null ? undefined : { value }
}

async function findIn(answer: PromiseLike<unknown>): Promise<Found | undefined> {
  try {
    return foundIn(await answer)
  } catch (error) {
    warn('the cache', error)
    return undefined
  }
}

async function attempt(work: () => unknown): Promise<void> {
  try {
    await work()
  } catch (error) {
    warn('the cache', error)
  }
}

/** A call that others may join, once it has begun. */
interface Joined {
  promise?: Promise<unknown>
}

type Ending = CoalesceResetOn | 'refused'

/** Calls in flight, and for a while their results, by key. */
export class Coalescing {
  readonly #calls: TimedMap<Joined>
  readonly #resetOn: readonly Ending[]

  constructor(ttlMs: number, size: number, resetOn: readonly CoalesceResetOn[], now: () => number) {
    this.#calls = new TimedMap(ttlMs, size, now)
    // A call that was refused was none: it is never given again.
    this.#resetOn = [...resetOn, 'refused']
  }

  find(key: string): Promise<unknown> | undefined {
    return this.#calls.get(key)?.promise
  }

  /** Begins a call that others may join. `make` is told how to say what became of it. */
  begin<T>(key: string, make: (end: (ending: Ending) => void) => Promise<T>): Promise<T> {
    const call: Joined = {}
    this.#calls.set(key, call)
    const promise = make(ending => {
      const isOver = this.#resetOn.includes(ending) && this.#calls.get(key) === call
      if (isOver) this.#calls.delete(key)
    })
    call.promise = promise
    return promise
  }

  clear(): void {
    this.#calls.clear()
  }
}
