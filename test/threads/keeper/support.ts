/** What the tests of the keeper share: registries with the keeper that they started, and limits. */
import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { onTestFinished } from 'vitest'
import { type CircuitBreaker, createRegistry, type Registry } from '../../../src/index.ts'
import { load, type Memory, viewsOf } from '../../../src/memory/atomics.ts'
import { HEADER } from '../../../src/memory/layout.ts'
import { FIRST_TICK } from '../../../src/memory/words/tick.ts'
import type { RegistryOptions } from '../../../src/options/types.ts'

/** Milliseconds that anything may take before a test gives up on it: the machine may be busy. */
export const LIMIT_MS = 10_000

export interface Kept {
  readonly registry: Registry
  readonly memory: Memory
  readonly keeper: Worker
  /** Resolves when the keeper's thread has ended. */
  readonly exited: Promise<unknown>
}

/** A registry and its keeper: Node announces each worker that a thread starts, soon after. */
export async function makeKept(options: RegistryOptions = {}): Promise<Kept> {
  const announced = once(process, 'worker')
  const registry = createRegistry({ maxThreads: 4, maxBreakers: 8, ...options })
  onTestFinished(() => registry.close())
  const [keeper] = (await within('a keeper is started', announced)) as [Worker]
  const exited = once(keeper, 'exit')
  // Who waits for it hears of an error instead.
  exited.catch(() => {})
  return { registry, memory: viewsOf(registry.handle.buffer), keeper, exited }
}

/** The promise's value, or an error that says what did not come within the limit. */
export async function within<T>(what: string, promise: Promise<T>, limitMs = LIMIT_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_, reject) => {
    const fail = (): void => reject(new Error(`not within ${limitMs} ms: ${what}`))
    timer = setTimeout(fail, limitMs)
  })
  try {
    return await Promise.race([promise, limit])
  } finally {
    clearTimeout(timer)
  }
}

/** Turns the event loop until it holds; calls `meanwhile` at each turn. */
export async function untilHolds(holds: () => boolean, meanwhile = () => {}): Promise<void> {
  const deadline = performance.now() + LIMIT_MS
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`not within ${LIMIT_MS} ms: ${holds}`)
    meanwhile()
    await new Promise(setImmediate)
  }
}

/** One call whose outcome reads the clock, which is how a thread asks for a keeper. */
export function succeed(breaker: CircuitBreaker): void {
  breaker.recordSuccess(breaker.tryAcquire())
}

/** A waker writes the first tick, the keeper itself the next ones: with this one it is at work. */
export const AT_WORK_TICK = FIRST_TICK + 2

/** Calls until the keeper ticks. */
export async function wake({ registry, memory }: Kept): Promise<void> {
  const traffic = registry.breaker('traffic')
  await untilHolds(
    () => load(memory, HEADER.TICK) >= AT_WORK_TICK,
    () => succeed(traffic),
  )
}

/** Milliseconds of the region's clock, read apart from it: a look of ours is no look of its own. */
export function clockBeside({ handle }: Registry): () => number {
  const zero = viewsOf(handle.buffer).doubles[HEADER.ORIGIN_DOUBLE] ?? Number.NaN
  return () => {
    const [seconds, nanoseconds] = process.hrtime()
    return seconds * 1e3 + nanoseconds / 1e6 - zero
  }
}
