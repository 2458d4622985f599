/** What the tests of `execute` share. */
import { expect } from 'vitest'
import {
  type BreakerOptions,
  type CircuitBreaker,
  createRegistry,
  type ExecuteOptions,
  type Registry,
} from '../../src/index.ts'

export const DEPENDENCY = 'dependency'

export interface Made {
  readonly registry: Registry
  readonly breaker: CircuitBreaker
}

/** A breaker whose time stands still. */
export function make(options: BreakerOptions = {}): Made {
  const registry = createRegistry({ clock: 'manual', maxBreakers: 4, maxThreads: 2 })
  return { registry, breaker: registry.breaker(DEPENDENCY, options) }
}

/** A breaker that the first failure opens, for a second. */
export function makeBrittle(options: BreakerOptions = {}): Made {
  return make({
    slidingWindow: { type: 'consecutive', failures: 1 },
    waitDurationInOpenStateMs: 1000,
    ...options,
  })
}

export function makeOpen(options: BreakerOptions = {}): Made {
  const made = makeBrittle(options)
  made.breaker.open()
  return made
}

/** Half-open as soon as it is asked. */
export function makeReady(options: BreakerOptions = {}): Made {
  const made = makeOpen(options)
  made.registry.advance(1000)
  return made
}

interface Settled {
  readonly succeeded?: number
  readonly failed?: number
  readonly ignored?: number
  readonly late?: number
  readonly refused?: number
}

/** Every permit that was given has been settled, once, in these ways and no other. */
export function expectSettled(breaker: CircuitBreaker, settled: Settled): void {
  const { succeeded = 0, failed = 0, ignored = 0, late = 0, refused = 0 } = settled
  expect(breaker.snapshot().totals).toMatchObject({
    admitted: succeeded + failed + ignored + late,
    succeeded,
    failed,
    ignored,
    late,
    refused,
    slow: 0,
    abandoned: 0,
    inFlight: 0,
  })
}

/** What a promise rejects with; fails when it does not reject. */
export function rejectionOf(promise: PromiseLike<unknown>): Promise<unknown> {
  return Promise.resolve(promise).then(
    value => {
      throw new Error(`resolved to ${String(value)} instead of rejecting`)
    },
    (error: unknown) => error,
  )
}

/** What a function throws; fails when it does not throw. */
export function thrownBy(fn: () => unknown): unknown {
  let value: unknown
  try {
    value = fn()
  } catch (error) {
    return error
  }
  throw new Error(`returned ${String(value)} instead of throwing`)
}

/** A macrotask later: all promise callbacks have run, unhandled rejections have been announced. */
export function nextMacrotask(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}

/** Whether it has settled once all promise callbacks have run. */
export async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  const note = (): void => {
    settled = true
  }
  promise.then(note, note)
  await nextMacrotask()
  return settled
}

/** Settled from outside. */
export function deferred<T = string>(): {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
  readonly reject: (error: unknown) => void
} {
  let resolve: (value: T) => void = () => {}
  let reject: (error: unknown) => void = () => {}
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue
    reject = onError
  })
  return { promise, resolve, reject }
}

type AnyOptions = ExecuteOptions<unknown> | undefined

/** The ways in which a call can be made; what comes of it must be the same in all of them. */
export const FACES: readonly (readonly [string, () => AnyOptions])[] = [
  ['without options', () => undefined],
  ['with empty options', () => ({})],
  ['with a signal', () => ({ signal: new AbortController().signal })],
  ['with a timeout', () => ({ timeoutMs: 60_000 })],
  ['with both', () => ({ signal: new AbortController().signal, timeoutMs: 60_000 })],
]
