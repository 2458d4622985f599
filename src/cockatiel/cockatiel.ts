/**
 * busbar's parts as policies of cockatiel (tested with 3.2), which `wrap()` accepts: its retries,
 * fallbacks and timeouts stay as they are, and the state of the breaker is that of all threads.
 * cockatiel is typed by shape; nothing of it is imported.
 */
import { setMaxListeners } from 'node:events'
import { CircuitBreaker } from '../breaker.ts'
import { CircuitOpenError, InvalidOptionError, isRefusal } from '../errors.ts'
import type { State } from '../memory/words/state.ts'
import type { StateChange } from '../news/events.ts'
import { requireFunction } from '../options/execute.ts'
import { monotonicNow } from '../time/monotonic.ts'
import { Emitter, type Event, requireListener } from './events.ts'

export type { Event, Subscription } from './events.ts'

/** What the policies in a `wrap()` hand on. */
export interface PolicyContext {
  readonly signal: AbortSignal
}

/** Whatever guards calls: a breaker, or another part of busbar. */
export interface Part {
  readonly name: string
  execute<T>(
    fn: (call: PolicyContext) => T | PromiseLike<T>,
    options?: { signal?: AbortSignal },
  ): Promise<T>
}

export interface SuccessEvent {
  /** For how long the call took, in ms. */
  readonly duration: number
}

export interface FailureEvent extends SuccessEvent {
  /**
   * False where the error says nothing about the dependency: a refusal of another part, further in,
   * or the caller's own abort. What `classifyError` makes of an error only the breaker knows.
   */
  readonly handled: boolean
  /** What the caller is given; an Error, unless the call threw something else. */
  readonly reason: { readonly error: Error }
}

/** `IPolicy` of cockatiel. */
export interface SharedPolicy {
  /** Stands in the type alone, as in cockatiel's own policies. */
  readonly _altReturn: never
  /** A call that was made has given a result, also one that `isFailure` counts as a failure. */
  readonly onSuccess: Event<SuccessEvent>
  /** A call that was made has failed. Refusals are no calls and no events. */
  readonly onFailure: Event<FailureEvent>
  /**
   * Calls `fn` as the part's own `execute` does, and rejects as that does. `signal`: the caller's;
   * the one that `fn` is given is aborted with it, and by the part's timeout. Cost: 3 microseconds
   * for that signal, which wrap() reads whether `fn` does or not; a refusal makes none.
   */
  execute<T>(fn: (context: PolicyContext) => T | PromiseLike<T>, signal?: AbortSignal): Promise<T>
}

const CLOSED = 0
const OPEN = 1
const HALF_OPEN = 2
const ISOLATED = 3

/** In cockatiel's numbers. What permits everything is closed to it. */
const CIRCUIT_STATES = {
  closed: CLOSED,
  open: OPEN,
  'half-open': HALF_OPEN,
  'forced-open': ISOLATED,
  disabled: CLOSED,
  'metrics-only': CLOSED,
} as const satisfies Record<State, number>

/** cockatiel's CircuitState: Closed 0, Open 1, HalfOpen 2, Isolated 3. */
export type CircuitState = (typeof CIRCUIT_STATES)[State]

/**
 * What users of cockatiel's circuit breaker ask of theirs. Its events tell of transitions whichever
 * thread makes them, as `breaker.on('stateChange')` does: after the call, once, in order. Where the
 * failure that opened it may be another thread's, listeners are given the transition instead.
 */
export interface SharedBreakerPolicy extends SharedPolicy {
  readonly state: CircuitState
  /** It now refuses: open, or forced open (cockatiel: isolated). */
  readonly onBreak: Event<StateChange>
  /** It now permits everything. */
  readonly onReset: Event<StateChange>
  readonly onHalfOpen: Event<StateChange>
  readonly onStateChange: Event<CircuitState>
}

// For cockatiel's isBrokenCircuitError, which asks whether an error has this property.
Object.defineProperty(CircuitOpenError.prototype, 'isBrokenCircuitError', { value: true })

/**
 * A policy that guards calls with `breaker`, or with another part of busbar. Its settings are the
 * part's: which errors count is said by `classifyError` and `isFailure`.
 *
 * @throws InvalidOptionError
 */
export function cockatielPolicy(breaker: CircuitBreaker): SharedBreakerPolicy
export function cockatielPolicy(part: Part): SharedPolicy
export function cockatielPolicy(part: Part): SharedPolicy {
  if (part instanceof CircuitBreaker) return new BreakerPolicy(part)
  if (typeof Object(part).execute === 'function') return new PartPolicy(part)
  throw new InvalidOptionError('part', part, 'a circuit breaker or another part with execute')
}

class PartPolicy implements SharedPolicy {
  declare readonly _altReturn: never
  readonly #part: Part
  readonly #successes = new Emitter<SuccessEvent>()
  readonly #failures = new Emitter<FailureEvent>()
  // Fields, not methods: wrap() hands those of its first policy on by themselves.
  readonly onSuccess = this.#successes.event
  readonly onFailure = this.#failures.event

  constructor(part: Part) {
    this.#part = part
  }

  async execute<T>(
    fn: (context: PolicyContext) => T | PromiseLike<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    requireFunction(fn)
    // cockatiel gives all its calls that have no signal the same one, on which more than ten
    // listeners are no leak. Newer versions of Node do so for every signal.
    if (signal instanceof AbortSignal) setMaxListeners(0, signal)
    const options = signal === undefined ? undefined : { signal }
    let startedAt: number | undefined
    // wrap() spreads what it is given, which a signal that is a getter does not outlive.
    const call = (made: PolicyContext): T | PromiseLike<T> => {
      if (this.#isHeard()) startedAt ??= monotonicNow()
      return fn({ signal: made.signal })
    }
    try {
      const value = await this.#part.execute(call, options)
      if (startedAt !== undefined) this.#successes.emit({ duration: monotonicNow() - startedAt })
      return value
    } catch (error) {
      if (startedAt !== undefined) this.#fail(error, monotonicNow() - startedAt, signal)
      throw error
    }
  }

  #isHeard(): boolean {
    return this.#successes.hasListeners || this.#failures.hasListeners
  }

  #fail(error: unknown, duration: number, signal: AbortSignal | undefined): void {
    const isAbort = signal?.aborted === true && error === signal.reason
    const handled = !(isAbort || isRefusal(error))
    this.#failures.emit({ duration, handled, reason: { error: error as Error } })
  }
}

class BreakerPolicy extends PartPolicy implements SharedBreakerPolicy {
  readonly #breaker: CircuitBreaker
  readonly onBreak = this.#onEntering([OPEN, ISOLATED], change => change)
  readonly onReset = this.#onEntering([CLOSED], change => change)
  readonly onHalfOpen = this.#onEntering([HALF_OPEN], change => change)
  readonly onStateChange = this.#onEntering(
    [CLOSED, OPEN, HALF_OPEN, ISOLATED],
    ({ to }) => CIRCUIT_STATES[to],
  )

  constructor(breaker: CircuitBreaker) {
    super(breaker)
    this.#breaker = breaker
  }

  get state(): CircuitState {
    return CIRCUIT_STATES[this.#breaker.state]
  }

  #onEntering<T>(states: CircuitState[], dataOf: (change: StateChange) => T): Event<T> {
    return listener => {
      requireListener(listener)
      const hear = (change: StateChange): void => {
        const to = CIRCUIT_STATES[change.to]
        if (to !== CIRCUIT_STATES[change.from] && states.includes(to)) listener(dataOf(change))
      }
      this.#breaker.on('stateChange', hear)
      return {
        dispose: () => {
          this.#breaker.off('stateChange', hear)
        },
      }
    }
  }
}
