/** One breaker for each host, tenant or shard, at most so many at a time. */
import type { CircuitBreaker } from '../breaker.ts'
import type { Breakers, Keyed } from '../breakers.ts'
import { InvalidOptionError, OptionsMismatchError, RegistryFullError } from '../errors.ts'
import type { Entry } from '../protocol/directory.ts'
import { IdleBreakers } from '../protocol/idle.ts'
import type { ReadKeyed } from './options.ts'

/**
 * A group of breakers as one thread holds it. Get one from `registry.keyed(prefix, options)`, with
 * the same options in each thread.
 */
export class KeyedBreakers {
  readonly prefix: string
  readonly #start: string
  readonly #breakers: Breakers
  readonly #read: ReadKeyed
  readonly #idle: IdleBreakers
  readonly #held = new Map<string, Keyed>()

  /** @internal */
  constructor(breakers: Breakers, prefix: string, read: ReadKeyed) {
    this.prefix = prefix
    this.#start = `${prefix}:`
    this.#breakers = breakers
    this.#read = read
    breakers.check(read.options)
    const belongs = (entry: Entry): boolean => this.#belongs(entry)
    this.#idle = new IdleBreakers(breakers.directory, belongs, read.idleAfterMs)
    breakers.keepRoom(prefix, () => this.#makeRoom())
    // So that it is there when there is no room for any other.
    if (read.shares) breakers.obtain(prefix, read.options)
  }

  /**
   * The breaker of that key, named `prefix:key`, made if there is none. When there are `max` of
   * them the one makes room that was idle for longest, of those that are closed and have nothing in
   * flight. Ask anew for each call: that is what says that the breaker is used. Cost: a look into a
   * map and a few loads, 40 ns; for one that is made a quarter of a millisecond (npm run bench).
   *
   * @throws InvalidOptionError for a name of more than 255 bytes, OptionsMismatchError,
   *   RegistryFullError when none may go
   */
  breaker(key: string): CircuitBreaker {
    const held = this.#held.get(key)
    if (held?.core.isThere()) {
      held.core.noteUse()
      return held.breaker
    }
    return this.#obtain(key)
  }

  #obtain(key: string): CircuitBreaker {
    if (typeof key !== 'string' || key.length === 0) {
      throw new InvalidOptionError('key', key, 'a string of at least one character')
    }
    const { max, options } = this.#read
    const group = { maxKeys: max, prefixLength: this.prefix.length }
    const grouped = { group, makeRoom: () => this.#makeRoom() }
    const keyed = this.#orUndefined(() => this.#breakers.keyed(this.#start + key, options, grouped))
    if (keyed === undefined) return this.#breakers.obtain(this.prefix, options)
    if (this.#held.size >= 2 * max) this.#held.clear()
    this.#held.set(key, keyed)
    keyed.core.noteUse()
    return keyed.breaker
  }

  /** Undefined where there is no room, and the shared breaker is to be used. */
  #orUndefined(obtain: () => Keyed, mayRetry = true): Keyed | undefined {
    try {
      return obtain()
    } catch (error) {
      if (!(error instanceof RegistryFullError)) throw error
      // The registry may be full although the group is not.
      if (mayRetry && this.#idle.removeOne()) return this.#orUndefined(obtain, false)
      if (this.#read.shares) return undefined
      throw error
    }
  }

  /** The keys that have a breaker, whichever thread made it, in the order of their records. */
  keys(): string[] {
    const names = this.#breakers.directory.present().filter(entry => this.#belongs(entry))
    return names.map(({ name }) => name.slice(this.#start.length))
  }

  #belongs({ name, maxKeys, prefixLength }: Entry): boolean {
    return maxKeys > 0 && prefixLength === this.prefix.length && name.startsWith(this.#start)
  }

  /** Called before a breaker is made. All that there are have been read. */
  #makeRoom(): void {
    const { max } = this.#read
    let count = 0
    for (const entry of this.#breakers.directory.read) {
      if (!this.#belongs(entry) || !this.#breakers.directory.isPresent(entry)) continue
      if (entry.maxKeys !== max) this.#disagree(entry.maxKeys)
      count++
    }
    if (count < max || this.#idle.removeOne()) return
    const remedy = "give keyed() a larger max, or overflow: 'shared'"
    const message = `all ${max} of "${this.prefix}" are in use; ${remedy}`
    throw new RegistryFullError('circuit breaker', this.prefix, message, max)
  }

  #disagree(max: number): never {
    const what = `the group of circuit breakers "${this.prefix}"`
    throw new OptionsMismatchError(what, { max }, { max: this.#read.max })
  }
}
