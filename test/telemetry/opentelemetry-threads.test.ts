/** busbar/opentelemetry in worker threads that die. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
import type { CircuitBreaker, Registry } from '../../src/index.ts'
import { instrument } from '../../src/telemetry/opentelemetry.ts'
import { make } from '../unit/execute-support.ts'
import { Sdk } from './opentelemetry-support.ts'

const METRIC = 'busbar.circuit_breaker.calls'

interface Exporter {
  collect(): Promise<unknown>
  kill(): Promise<unknown>
}

async function startWorker(registry: Registry, { name }: CircuitBreaker): Promise<Exporter> {
  const workerData = { handle: registry.handle, name, metric: METRIC }
  const worker = new Worker(new URL('opentelemetry/worker.mjs', import.meta.url), { workerData })
  onTestFinished(async () => {
    await worker.terminate()
  })
  await once(worker, 'message')
  return {
    async collect() {
      worker.postMessage('collect')
      const [values] = await once(worker, 'message')
      return values
    },
    kill: () => worker.terminate(),
  }
}

it('one worker exports for all; when it dies another does, with all that was counted', async () => {
  const { registry, breaker } = make()
  const first = await startWorker(registry, breaker)
  const second = await startWorker(registry, breaker)
  const sdk = new Sdk()
  instrument(registry, sdk.meter)
  const own = async () => (await sdk.collect()).points(METRIC).map(({ value }) => value)
  const counts = [2, 0, 0, 0, 0]
  expect(await first.collect()).toEqual(counts)
  expect(await second.collect()).toBe('nothing')
  expect(await own()).toEqual([])
  await first.kill()
  registry.advance(60_000)
  expect(await second.collect()).toBe('nothing')
  registry.advance(30_000)
  expect(await own()).toEqual(counts)
  expect(await second.collect()).toBe('nothing')
})
