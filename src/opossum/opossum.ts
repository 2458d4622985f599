/**
 * opossum's class (as of 9.0) on breakers that all threads share. Its interface and its documented
 * behaviour are opossum's; docs/migration/opossum.md has what differs, and why.
 */
import { EventEmitter } from 'node:events'
import type { CircuitBreaker as SharedBreaker } from '../breaker.ts'
import { InvalidOptionError } from '../errors.ts'
import { TIMER_DURATION } from '../options/read.ts'
import { isOurError, shutdownError } from './errors.ts'
import { type Fallback, Firing } from './firing.ts'
import { GuardedCalls } from './guarded.ts'
import { type ClaimedName, claimName } from './names.ts'
import { readSettings, type Settings } from './options.ts'
import { keepOpen, makeBreaker, openedAt } from './state.ts'
import type * as status from './status.ts'
import { type Count, Status } from './status.ts'
import { isOpened, Transitions } from './transitions.ts'
import type * as types from './types.ts'
import { warn } from './warning.ts'

const DEFAULT_CHECK_MS = 5_000

/** What `stats` count, by the event that says so. */
const COUNT_OF: Readonly<Partial<Record<string, Count>>> = {
  fire: 'fires',
  success: 'successes',
  failure: 'failures',
  timeout: 'timeouts',
  reject: 'rejects',
  semaphoreLocked: 'semaphoreRejections',
  fallback: 'fallbacks',
  cacheHit: 'cacheHits',
  cacheMiss: 'cacheMisses',
  coalesceCacheHit: 'coalesceCacheHits',
  coalesceCacheMiss: 'coalesceCacheMisses',
}

/**
 * A circuit around `action`. Whether it is open, and why, all circuits of that name share, in every
 * thread; counts, caches and listeners are its own. shutdown() ends one that was made for a while.
 */
export class CircuitBreaker<TI extends unknown[] = unknown[], TR = unknown> extends EventEmitter<
  types.Events<TI, TR>
> {
  readonly #settings: Settings
  readonly #name: ClaimedName
  readonly #breaker: SharedBreaker
  readonly #calls: GuardedCalls
  readonly #transitions: Transitions
  readonly #checks: NodeJS.Timeout[] = []
  readonly #firing: Firing<TI, TR>
  #abortController: AbortController | undefined
  #isShutdown = false

  /** Whether an error was made by a circuit, and not by its action. */
  static isOurError(error: unknown): boolean {
    return isOurError(error)
  }

  /** For the option `status`: counts that begin with `options.stats`. @throws InvalidOptionError */
  static newStatus(options?: status.StatusOptions): Status {
    return new Status(options)
  }

  /**
   * @throws TypeError without an action, InvalidOptionError, NoRegistryError, RegistryFullError,
   *   OptionsMismatchError where the breaker of that name was made with other options
   */
  constructor(action: (...args: TI) => Promise<TR>, options: types.Options = {}) {
    super()
    if (action === undefined || action === null) throw new TypeError('there is no action to call')
    const settings = readSettings(options)
    this.#settings = settings
    this.#name = claimName(settings.registry, action, settings.name)
    try {
      this.#breaker = makeBreaker(this.#name.name, settings)
      const bulkhead =
        settings.capacity === undefined
          ? undefined
          : settings.registry.bulkhead(this.name, { maxConcurrentCalls: settings.capacity })
      this.#calls = new GuardedCalls(this.#breaker, bulkhead, settings)
    } catch (error) {
      this.#name.release()
      throw error
    }
    this.#abortController = settings.abortController
    const tell = this.#tell.bind(this)
    const abort = (): void => this.#abortController?.abort()
    this.#firing = new Firing(action, this.#calls, settings, tell, abort)
    this.#transitions = new Transitions(this.#breaker, event => {
      if (event === 'halfOpen') this.#tell(event, settings.resetTimeoutMs)
      else this.#tell(event)
    })
    if (settings.state.shutdown === true) this.shutdown()
  }

  get name(): string {
    return this.#name.name
  }

  get group(): string {
    return this.#settings.group ?? this.name
  }

  /** False while disabled, by whichever thread, and after shutdown(). */
  get enabled(): boolean {
    return !this.#isShutdown && this.#breaker.state !== 'disabled'
  }

  get isShutdown(): boolean {
    return this.#isShutdown
  }

  get opened(): boolean {
    return !this.#isShutdown && isOpened(this.#breaker.state) && !this.#breaker.canExecute()
  }

  /** `resetTimeout` is over, and what the next call tells has not come yet. */
  get halfOpen(): boolean {
    const { state } = this.#breaker
    const isReady = isOpened(state) && this.#breaker.canExecute()
    return !this.#isShutdown && (state === 'half-open' || isReady)
  }

  get closed(): boolean {
    const { state } = this.#breaker
    return !this.#isShutdown && !isOpened(state) && state !== 'half-open'
  }

  /** Half-open, and the next call will be made. */
  get pendingClose(): boolean {
    return this.halfOpen && this.#breaker.canExecute()
  }

  /** Whether failures of this circuit do not count yet. */
  get warmUp(): boolean {
    return this.#calls.isWarmingUp
  }

  get volumeThreshold(): number {
    return this.#settings.volumeThreshold
  }

  /** The counts of this circuit, in this thread. */
  get status(): Status {
    return this.#settings.status
  }

  get stats(): status.Stats {
    return this.status.stats
  }

  /** Its state and counts. The state can be given to a new circuit as the option `state`. */
  toJSON(): { state: types.State; status: status.Stats } {
    const { name, enabled, closed, opened, halfOpen, warmUp, isShutdown } = this
    const waitMs = this.#breaker.retryAfterMs()
    const opening = opened
      ? { lastTimerAt: openedAt(waitMs, this.#settings.resetTimeoutMs) }
      : undefined
    const flags = { enabled, closed, open: opened, halfOpen, warmUp, shutdown: isShutdown }
    return { state: { name, ...flags, ...opening }, status: this.stats }
  }

  /**
   * Calls the action. Rejects as it does, or with an error whose `code` is EOPENBREAKER, ETIMEDOUT,
   * ESEMLOCKED or ESHUTDOWN; where there is a fallback it answers instead, shutdown apart.
   */
  fire(...args: TI): Promise<TR> {
    return this.#fire(undefined, args)
  }

  /** As fire(), with `context` as the action's `this`. */
  call(context: types.Open, ...args: TI): Promise<TR> {
    return this.#fire(context, args)
  }

  /** What answers calls that fail or are refused: it is given their arguments, and the error. */
  fallback(func: Fallback | CircuitBreaker<types.Open[], types.Open>): this {
    if (func instanceof CircuitBreaker) this.#firing.fallback = (...args) => func.fire(...args)
    else if (typeof func === 'function') this.#firing.fallback = func
    else throw new InvalidOptionError('fallback', func, 'a function or a CircuitBreaker')
    return this
  }

  /** Opens the circuit, for `resetTimeout`, in all threads. Without effect while it is disabled. */
  open(): void {
    if (this.#isShutdown) return
    if (isOpened(this.#breaker.state)) {
      // What waits for its trial waits anew; what is open goes on as it is.
      if (this.#breaker.canExecute()) keepOpen(this.#breaker, this.#settings.resetTimeoutMs)
    } else this.#breaker.open()
  }

  /** Closes the circuit in all threads: it starts afresh. */
  close(): void {
    if (!this.#isShutdown && !this.closed) this.#breaker.reset()
  }

  /** In all threads: calls are made with nothing around them, until enable(). */
  disable(): void {
    if (!this.#isShutdown) this.#breaker.disable()
  }

  /** Ends disable(), in all threads: closed. */
  enable(): void {
    if (!this.#isShutdown && this.#breaker.state === 'disabled') this.#breaker.reset()
  }

  /** Ends this circuit: its calls, checks and events. Others of its name go on. */
  shutdown(): void {
    if (this.#isShutdown) return
    this.#isShutdown = true
    this.#tell('shutdown')
    this.removeAllListeners()
    this.#transitions.end()
    for (const check of this.#checks) clearInterval(check)
    this.status.shutdown()
    this.clearCache()
    this.#name.release()
  }

  /** Forgets the results that it keeps, those that are coalesced too. */
  clearCache(): void {
    this.#settings.cache?.clear()
    this.#settings.coalescing?.clear()
  }

  /**
   * Calls `func` now and every `interval` ms (5,000), with the circuit as its `this`; where it
   * throws or rejects, the circuit opens. Ends with shutdown(), keeps no process alive.
   *
   * @throws TypeError, InvalidOptionError
   */
  healthCheck(func: () => Promise<void>, interval: number = DEFAULT_CHECK_MS): void {
    if (typeof func !== 'function') throw new TypeError('a health check must be a function')
    if (typeof interval !== 'number' || Number.isNaN(interval)) {
      throw new TypeError('the interval of a health check must be a number')
    }
    if (!TIMER_DURATION.holds(interval)) {
      throw new InvalidOptionError('interval', interval, TIMER_DURATION.text)
    }
    if (this.#isShutdown) return
    const check = async (): Promise<void> => {
      try {
        await func.call(this)
      } catch (error) {
        this.#tell('healthCheckFailed', error as Error)
        this.open()
      }
    }
    this.#checks.push(setInterval(check, interval).unref())
    void check()
  }

  /** The signal of getAbortController(). */
  getSignal(): AbortSignal | undefined {
    return this.getAbortController()?.signal
  }

  /** What every timeout aborts; a fresh one, where they renew themselves, if it has. */
  getAbortController(): AbortController | undefined {
    const { renewsAbortController } = this.#settings
    const isSpent = this.#abortController?.signal.aborted ?? true
    if (renewsAbortController && isSpent && !this.opened) {
      this.#abortController = new AbortController()
    }
    return this.#abortController
  }

  #fire(context: unknown, args: TI): Promise<TR> {
    if (this.#isShutdown) return Promise.reject(shutdownError())
    this.#tell('fire', args)
    return this.enabled ? this.#firing.fire(context, args) : this.#firing.bare(context, args)
  }

  /** A listener that throws harms neither the call nor the next listener. */
  #tell<E extends keyof types.Events<TI, TR>>(event: E, ...args: types.Events<TI, TR>[E]): void {
    const count = COUNT_OF[event]
    const isTimed = event === 'success' || event === 'failure'
    if (count !== undefined) this.status.count(count, isTimed ? (args[1] as number) : undefined)
    for (const listener of this.rawListeners(event)) {
      try {
        Reflect.apply(listener, this, args)
      } catch (error) {
        warn(`a listener of '${event}'`, error)
      }
    }
  }
}

/** The types of opossum's, by the names that they have there. */
export namespace CircuitBreaker {
  export type Options = types.Options
  export type State = types.State
  export type Status = status.Status
  export type Stats = status.Stats
  export type Bucket = status.Bucket
  export type Window = status.Window
}
