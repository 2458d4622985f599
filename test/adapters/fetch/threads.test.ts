/** What one thread's calls learn holds for another's. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
import { guardedFetch } from '../../../src/adapters/fetch.ts'
import { createRegistry } from '../../../src/index.ts'
import { breakerOf, OPTIONS, outcomesOf, serve } from './server.ts'

it("one thread's failures refuse another's calls", async () => {
  const { origin } = await serve()
  const registry = createRegistry({ maxBreakers: 4, maxThreads: 4, keeper: false })
  onTestFinished(() => registry.close())
  const options = { ...OPTIONS, waitDurationInOpenStateMs: 600_000 }
  const guarded = guardedFetch(registry, options)
  const worker = new Worker(new URL('worker.mjs', import.meta.url), {
    workerData: { handle: registry.handle, options, origin },
  })
  const [heard] = await once(worker, 'message')
  expect(heard).toEqual([503, 503, 'ERR_CIRCUIT_OPEN'])
  await expect(guarded(`${origin}/status/200`)).rejects.toMatchObject({ state: 'open' })
  const breaker = breakerOf(registry, `fetch:${origin}`)
  expect(outcomesOf(breaker)).toMatchObject({ failed: 2, inFlight: 0 })

  breaker.reset()
  expect((await guarded(`${origin}/status/200`)).status).toBe(200)
  await worker.terminate()
})
