/** What one thread's policies learn holds for another's. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { CircuitState } from 'cockatiel'
import { expect, it, onTestFinished } from 'vitest'
import { createRegistry, type Registry } from '../../src/index.ts'

interface Thread {
  ask(job: 'fail' | 'answer' | 'heard'): Promise<unknown>
}

async function start(registry: Registry): Promise<Thread> {
  const worker = new Worker(new URL('worker.mjs', import.meta.url), {
    workerData: { handle: registry.handle },
  })
  onTestFinished(async () => {
    await worker.terminate()
  })
  await once(worker, 'message')
  const ask = async (job: string): Promise<unknown> => {
    worker.postMessage(job)
    return (await once(worker, 'message'))[0]
  }
  return { ask }
}

/** Asks until both were woken by the transition, at most so often. */
async function heardBy(thread: Thread): Promise<unknown[]> {
  for (const deadline = Date.now() + 10_000; ; ) {
    const heard = (await thread.ask('heard')) as unknown[]
    if (heard.length > 0 || Date.now() > deadline) return heard
  }
}

it("one thread's failures make the other's wrap refuse without a call", async () => {
  const registry = createRegistry({ maxBreakers: 4, maxThreads: 4, keeper: false })
  onTestFinished(() => registry.close())
  const breaker = registry.breaker('b', {
    slidingWindow: { type: 'consecutive', failures: 3 },
    waitDurationInOpenStateMs: 600_000,
  })
  const failing = await start(registry)
  const other = await start(registry)
  // Five attempts, of which the breaker lets three through and refuses one, which ends them.
  expect(await failing.ask('fail')).toEqual({ code: 'ERR_CIRCUIT_OPEN', calls: 3 })
  expect(await other.ask('answer')).toEqual({
    code: 'ERR_CIRCUIT_OPEN',
    fallen: 'cached',
    state: CircuitState.Open,
    calls: 0,
  })
  expect(await heardBy(failing)).toEqual([{ to: 'open', origin: 'self' }])
  expect(await heardBy(other)).toEqual([{ to: 'open', origin: 'other' }])
  expect(breaker.snapshot().totals).toMatchObject({ admitted: 3, failed: 3, refused: 3 })

  breaker.reset()
  expect(await other.ask('answer')).toEqual({
    code: undefined,
    fallen: 1,
    state: CircuitState.Closed,
    calls: 2,
  })
})
