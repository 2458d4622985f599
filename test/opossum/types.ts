// Type tests of busbar/opossum: code as users of @types/opossum have it. Compiled, never run.
import { EventEmitter } from 'node:events'
import { readFile } from 'node:fs'
import { promisify } from 'node:util'
import { CircuitBreaker } from '../../src/opossum/opossum.ts'
import { type Equal, expectType } from '../types/expect.ts'

const lookUp = async (sku: string, count: number) => ({ sku, count })

interface HttpError extends Error {
  readonly response?: { readonly status: number }
}

export function options(): CircuitBreaker.Options {
  return {
    timeout: 3_000,
    resetTimeout: 10_000,
    rollingCountTimeout: 500,
    rollingCountBuckets: 20,
    name: 'stock',
    group: 'shop',
    rollingPercentilesEnabled: true,
    capacity: 1,
    errorThresholdPercentage: 1,
    enabled: true,
    allowWarmUp: true,
    volumeThreshold: 1,
    cache: true,
    cacheTTL: 100,
    cacheGetKey: (...args) => args.join(),
    coalesce: true,
    coalesceResetOn: ['error', 'timeout'],
    errorFilter: error => error.response?.status === 404,
    abortController: new AbortController(),
    rotateBucketController: new EventEmitter(),
    enableSnapshots: false,
  }
}

export function circuits(): void {
  let any: CircuitBreaker = new CircuitBreaker(async () => true, { timeout: false })
  any = new CircuitBreaker(async (x: unknown, y: unknown) => [x, y], options())
  any = new CircuitBreaker(promisify(readFile), {
    errorFilter: (error: HttpError) => error.response?.status === 404,
  })
  const inService: { circuit: CircuitBreaker<[string, number], { sku: string; count: number }> } = {
    circuit: new CircuitBreaker(lookUp),
  }
  void [any, inService]

  // @ts-expect-error there is no such option
  new CircuitBreaker(lookUp, { maxFailures: 5 })
  // @ts-expect-error an action gives a promise
  new CircuitBreaker(() => 1)
}

export async function calls(): Promise<void> {
  const circuit = new CircuitBreaker(lookUp)
  const stock = await circuit.fire('A-1', 2)
  expectType<Equal<typeof stock, { sku: string; count: number }>>()
  await circuit.call({ tenant: 'a' }, 'A-1', 2)
  const same = circuit.fallback((sku, count, error) => ({ sku, count, error: error.message }))
  expectType<Equal<typeof same, typeof circuit>>()
  circuit.fallback(() => 'none').fallback(new CircuitBreaker(async (sku: string) => ({ sku })))
  circuit.healthCheck(async () => {}, 1_000)

  // @ts-expect-error its arguments are the action's
  circuit.fire(2, 'A-1')
}

export function events(): void {
  const circuit = new CircuitBreaker(lookUp)
  circuit.on('success', (result, latencyMs) => {
    expectType<Equal<typeof result, { sku: string; count: number }>>()
    expectType<Equal<typeof latencyMs, number>>()
  })
  circuit
    .on('fire', ([sku, count]) => {
      expectType<Equal<typeof sku, string>>()
      expectType<Equal<typeof count, number>>()
    })
    .on(
      'failure',
      (error, latencyMs, [sku]) => void [error.message, latencyMs.toFixed(), sku.length],
    )
    .on('fallback', (result, error) => void [result, error.message])
    .on('timeout', error => void error.message)
    .on('reject', error => void error.message)
    .on('semaphoreLocked', error => void error.message)
    .on('healthCheckFailed', error => void error.message)
    .on('halfOpen', resetTimeout => void resetTimeout.toFixed())
  circuit.once('open', () => {})
  circuit.off('close', () => {})
  circuit.status.on('snapshot', stats => void stats.latencyMean)
}

export function state(circuit: CircuitBreaker): void {
  const texts: string[] = [circuit.name, circuit.group]
  const flags: boolean[] = [
    circuit.enabled,
    circuit.pendingClose,
    circuit.closed,
    circuit.opened,
    circuit.halfOpen,
    circuit.warmUp,
    circuit.isShutdown,
    CircuitBreaker.isOurError(new Error()),
  ]
  const stats: CircuitBreaker.Stats = circuit.status.stats
  const window: CircuitBreaker.Window = circuit.status.window
  const fires: number | undefined = window[0]?.fires
  const latencies: number[] = stats.latencyTimes
  const status: CircuitBreaker.Status = CircuitBreaker.newStatus({ stats })
  const saved: CircuitBreaker.State = circuit.toJSON().state
  void new CircuitBreaker(lookUp, { state: saved, status })
  void [texts, flags, fires, latencies, circuit.getSignal()?.aborted]
}
