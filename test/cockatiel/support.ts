import { onTestFinished } from 'vitest'
import {
  type BreakerOptions,
  type CircuitBreaker,
  createRegistry,
  type Registry,
} from '../../src/index.ts'

/** A breaker that three failures in a row open, and one trial closes. */
export function make(options: BreakerOptions = {}): {
  registry: Registry
  breaker: CircuitBreaker
} {
  const registry = createRegistry({ maxBreakers: 4, maxThreads: 4, clock: 'manual' })
  onTestFinished(() => registry.close())
  const breaker = registry.breaker('b', {
    slidingWindow: { type: 'consecutive', failures: 3 },
    waitDurationInOpenStateMs: 1_000,
    permittedNumberOfCallsInHalfOpenState: 1,
    ...options,
  })
  return { registry, breaker }
}

export interface Gate<T> {
  readonly promise: Promise<T>
  resolve(value: T): void
  reject(error: unknown): void
}

/** A promise that the test settles. */
export function gateOf<T>(): Gate<T> {
  let settle: Omit<Gate<T>, 'promise'> | undefined
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject }
  })
  return Object.assign(settle as Omit<Gate<T>, 'promise'>, { promise })
}

/** News come in a microtask or, where another thread was faster, within a few turns of the loop. */
export async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
}
