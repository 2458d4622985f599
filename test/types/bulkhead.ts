// Type tests of bulkheads: compiled, never run.
import type {
  Bulkhead,
  BulkheadFullError,
  BulkheadOptions,
  BulkheadSnapshot,
  ExecuteResult,
  Registry,
} from '../../src/index.ts'
import { type Equal, expectType } from './expect.ts'

declare const registry: Registry
declare const bulkhead: Bulkhead
declare const error: BulkheadFullError

export async function calls(controller: AbortController): Promise<void> {
  const permit = bulkhead.tryAcquire()
  expectType<Equal<typeof permit, number>>()
  bulkhead.release(permit)
  const waited = await bulkhead.acquire({ signal: controller.signal })
  expectType<Equal<typeof waited, number>>()
  const value = bulkhead.execute(({ signal }) => fetch('http://localhost', { signal }))
  expectType<Equal<typeof value, Promise<Response>>>()
  const result = bulkhead.tryExecute(() => 1, { signal: controller.signal, fallback: () => 2 })
  expectType<Equal<typeof result, Promise<ExecuteResult<number>>>>()
  const wrapped = bulkhead.wrap(async (id: string, _times: number) => id.length)
  expectType<Equal<typeof wrapped, (id: string, _times: number) => Promise<number>>>()

  // @ts-expect-error a bulkhead does not judge outcomes
  bulkhead.recordFailure(permit)
  // @ts-expect-error a permit is given back
  bulkhead.release()
  // @ts-expect-error a controller is no signal
  bulkhead.acquire({ signal: controller })
  // @ts-expect-error waiting has a limit of the bulkhead's own
  bulkhead.acquire({ timeoutMs: 5 })
  // @ts-expect-error a fallback answers in the call's place
  bulkhead.execute(() => 1, { fallback: () => 'text' })
}

export function options(): void {
  registry.bulkhead('b')
  registry.bulkhead('b', { maxConcurrentCalls: 10, maxQueuedCalls: 5, maxWaitMs: 100 })
  registry.bulkhead('b', { maxConcurrentCalls: 10, maxQueuedCalls: undefined })
  const shared: BulkheadOptions = { maxConcurrentCalls: 1 }
  registry.bulkhead('b', shared)
  // @ts-expect-error unknown options are refused
  registry.bulkhead('b', { maxConcurrent: 10 })
  // @ts-expect-error options are read-only
  shared.maxConcurrentCalls = 2
  // @ts-expect-error and so are those that are said back
  bulkhead.options.maxWaitMs = 5
}

export function looks(): void {
  const { options: made } = bulkhead
  expectType<Equal<keyof typeof made, 'maxConcurrentCalls' | 'maxQueuedCalls' | 'maxWaitMs'>>()
  expectType<Equal<(typeof made)['maxQueuedCalls'], number>>()
  const snapshot = bulkhead.snapshot()
  expectType<Equal<typeof snapshot, BulkheadSnapshot>>()
  expectType<Equal<typeof snapshot.inFlight, number>>()
  expectType<Equal<typeof snapshot.totals.abandoned, number>>()
  expectType<Equal<typeof error.code, 'ERR_BULKHEAD_FULL'>>()
  expectType<Equal<typeof error.waitedMs, number>>()
  // @ts-expect-error snapshots are read-only
  snapshot.inFlight = 0
}
