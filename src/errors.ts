import type { State } from './memory/words/state.ts'

export type ErrorCode =
  | 'ERR_CIRCUIT_OPEN'
  | 'ERR_THROTTLED'
  | 'ERR_BULKHEAD_FULL'
  | 'ERR_CALL_TIMEOUT'
  | 'ERR_INVALID_OPTION'
  | 'ERR_OPTIONS_MISMATCH'
  | 'ERR_REGISTRY_FULL'
  | 'ERR_REGION'
  | 'ERR_NO_REGISTRY'

/** Marks errors of every copy of this package, whatever class object made them. */
const MARK = Symbol.for('busbar.error')

/** What every error of this package extends. */
export abstract class BusbarError extends Error {
  abstract readonly code: ErrorCode
  /** The breaker concerned, where there is one. */
  declare readonly breaker?: string

  constructor(message: string, breaker?: string) {
    super(message)
    this.name = new.target.name
    if (breaker !== undefined) this.breaker = breaker
  }

  /** True for an error of this package, also of another copy or another thread's realm. */
  static is(error: unknown): error is BusbarError {
    try {
      return typeof error === 'object' && error !== null && MARK in error
    } catch {
      // A proxy may answer with anything, even with a throw.
      return false
    }
  }
}

Object.defineProperty(BusbarError.prototype, MARK, { value: true })

const REFUSALS: readonly string[] = ['ERR_CIRCUIT_OPEN', 'ERR_THROTTLED', 'ERR_BULKHEAD_FULL']

/**
 * Whether a part of busbar refused the call: then it was not made, it says nothing about the
 * dependency, and trying again at once only meets another refusal. Never throws.
 */
export function isRefusal(
  error: unknown,
): error is CircuitOpenError | ThrottledError | BulkheadFullError {
  try {
    return BusbarError.is(error) && REFUSALS.includes(error.code)
  } catch {
    return false
  }
}

/**
 * Many hold the same error, so nobody may change what it says. It is not frozen: pino and
 * node:domain put a mark on every error that they look at, and would throw at a frozen one.
 */
function makeReadOnly(error: RefusalError): void {
  for (const key of Reflect.ownKeys(error)) {
    const isValue = Reflect.getOwnPropertyDescriptor(error, key)?.get === undefined
    Object.defineProperty(error, key, isValue ? READ_ONLY : FIXED)
  }
}

const READ_ONLY = { writable: false, configurable: false }
const FIXED = { configurable: false }

/** Says what refused, not where a bug is: without a stack trace, which costs microseconds. */
abstract class RefusalError extends BusbarError {
  constructor(message: string, breaker?: string) {
    const limit = Error.stackTraceLimit
    Error.stackTraceLimit = 0
    super(message, breaker)
    Error.stackTraceLimit = limit
  }

  /** So that console.log shows what a getter says and not that there is a getter. */
  [Symbol.for('nodejs.util.inspect.custom')](
    _depth: number,
    options: object,
    inspect: (value: unknown, options: object) => string,
  ): string {
    return inspect(this, { ...options, getters: 'get', customInspect: false })
  }
}

/**
 * A refusal. Carries no stack trace: it says that a breaker is open, not where a bug is. All calls
 * that one state of the breaker refuses in one thread get the same error, which is read-only: to
 * say more, throw another with this one as its `cause`.
 */
export class CircuitOpenError extends RefusalError {
  readonly code = 'ERR_CIRCUIT_OPEN'
  readonly state: State
  /**
   * Milliseconds until the breaker may admit a call, at the moment when this is read; 0 when it
   * would now; `Infinity` when only a command can change that.
   */
  declare readonly retryAfterMs: number
  /** Why a person opened it, if one did and said so. */
  declare readonly reason?: string
  /** The last error that this thread counted as a failure of this breaker. */
  declare readonly lastError?: unknown

  constructor(
    breaker: string,
    detail: {
      state: State
      retryAfterMs: number
      reason?: string | undefined
      lastError?: unknown
    },
  ) {
    const reason = detail.reason === undefined ? '' : `: ${detail.reason}`
    super(`circuit breaker "${breaker}" is ${detail.state}${reason}`, breaker)
    this.state = detail.state
    Object.defineProperty(this, 'retryAfterMs', {
      get: () => detail.retryAfterMs,
      enumerable: true,
    })
    if (detail.reason !== undefined) this.reason = detail.reason
    if (detail.lastError !== undefined) this.lastError = detail.lastError
    makeReadOnly(this)
  }
}

/**
 * A throttle refused: the dependency takes too few of the calls that it is sent. Carries no stack
 * trace; all refusals of one throttle in one thread are the same read-only error.
 */
export class ThrottledError extends RefusalError {
  readonly code = 'ERR_THROTTLED'
  readonly throttle: string
  /** As it was last published, in [0, 1], at the moment when this is read. */
  declare readonly rejectionProbability: number

  constructor(throttle: string, probability: () => number) {
    super(`throttle "${throttle}" refused the call: its dependency is overloaded`)
    this.throttle = throttle
    Object.defineProperty(this, 'rejectionProbability', { get: probability, enumerable: true })
    makeReadOnly(this)
  }
}

/**
 * A bulkhead refused: as many calls as it lets through are in flight, and its queue is full or the
 * call waited in it for too long. Carries no stack trace. All that are refused at once in a thread
 * get the same read-only error.
 */
export class BulkheadFullError extends RefusalError {
  readonly code = 'ERR_BULKHEAD_FULL'
  readonly bulkhead: string
  /** The limit on calls in flight. */
  readonly maxConcurrentCalls: number
  /** For how long the call waited for its place, in ms; 0: it was refused at once. */
  readonly waitedMs: number

  constructor(bulkhead: string, maxConcurrentCalls: number, waitedMs = 0) {
    const waited = waitedMs > 0 ? `, and none ended within ${waitedMs} ms` : ''
    super(`bulkhead "${bulkhead}" is full: ${maxConcurrentCalls} calls are in flight${waited}`)
    this.bulkhead = bulkhead
    this.maxConcurrentCalls = maxConcurrentCalls
    this.waitedMs = waitedMs
    makeReadOnly(this)
  }
}

/** What a call can be executed through. */
export type GuardKind = 'circuit breaker' | 'throttle' | 'bulkhead' | 'pipeline'

/** A call that outlived `timeoutMs`. Counted as a failure; the call's own signal is aborted. */
export class CallTimeoutError extends BusbarError {
  readonly code = 'ERR_CALL_TIMEOUT'
  readonly timeoutMs: number

  constructor(what: GuardKind, name: string, timeoutMs: number) {
    const breaker = what === 'circuit breaker' ? name : undefined
    super(`call through ${what} "${name}" took longer than ${timeoutMs} ms`, breaker)
    this.timeoutMs = timeoutMs
  }
}

/** An argument or option that cannot be used: says which, what it was and what it may be. */
export class InvalidOptionError extends BusbarError {
  readonly code = 'ERR_INVALID_OPTION'
  readonly option: string
  readonly value: unknown

  constructor(option: string, value: unknown, limit: string) {
    super(`${option} must be ${limit}; got ${describe(value)}`)
    this.option = option
    this.value = value
  }
}

/** A value as it can stand in a message: short, never throwing, whatever it is. */
export function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 60))
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'function') return 'a function'
  if (typeof value !== 'object' || value === null) return String(value)
  return Array.isArray(value) ? 'an array' : 'an object'
}

/** The same name, or the same registry, asked for with other shared options. */
export class OptionsMismatchError extends BusbarError {
  readonly code = 'ERR_OPTIONS_MISMATCH'
  /** What it was made with, as far as it differs. */
  readonly existing: Readonly<Record<string, unknown>>
  /** What was asked for, as far as it differs. */
  readonly requested: Readonly<Record<string, unknown>>

  constructor(
    what: string,
    existing: Readonly<Record<string, unknown>>,
    requested: Readonly<Record<string, unknown>>,
    breaker?: string,
  ) {
    super(
      `${what} was made with ${JSON.stringify(existing)} and is now asked for with ` +
        `${JSON.stringify(requested)}; give the same options everywhere, or leave them out`,
      breaker,
    )
    this.existing = existing
    this.requested = requested
  }
}

/** No room for another breaker or control. */
export class RegistryFullError extends BusbarError {
  readonly code = 'ERR_REGISTRY_FULL'
  /** The limit that was met, in the unit that the message names. */
  readonly limit: number

  constructor(what: string, name: string, message: string, limit: number) {
    super(`no room for ${what} "${name}": ${message}`, name)
    this.limit = limit
  }
}

/** A handle or buffer that is not a whole region of this version. */
export class RegionError extends BusbarError {
  readonly code = 'ERR_REGION'
}

/** `getRegistry` in a worker that has none, or the use of a registry that was closed. */
export class NoRegistryError extends BusbarError {
  readonly code = 'ERR_NO_REGISTRY'
}
