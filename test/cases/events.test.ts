/** The cases about listeners. */
import { once } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
import { createRegistry, type StateChange } from '../../src/index.ts'

it('EV-03: a listener may read the breaker, make a call, and end itself', async () => {
  const registry = createRegistry({ clock: 'manual' })
  const breaker = registry.breaker('case', {
    slidingWindow: { type: 'consecutive', failures: 2 },
    waitDurationInOpenStateMs: 1_000,
    permittedNumberOfCallsInHalfOpenState: 1,
  })
  const seen: object[] = []
  const listener = ({ from, to }: StateChange): void => {
    const { state, totals } = breaker.snapshot()
    seen.push({ from, to, state, failed: totals.failed, permit: breaker.tryAcquire() })
    breaker.off('stateChange', listener)
  }
  breaker.on('stateChange', listener)
  for (const _ of [1, 2]) breaker.recordFailure(breaker.tryAcquire())
  expect(breaker.state).toBe('open')
  await turn()
  expect(seen).toEqual([{ from: 'closed', to: 'open', state: 'open', failed: 2, permit: -1 }])
  expect(breaker.snapshot()).toMatchObject({ transitions: 1, totals: { refused: 1 } })
  breaker.reset()
  await turn()
  expect(seen).toHaveLength(1)
})

/** 2,000 cycles of closed, open and half-open. */
const TRANSITIONS = 6_000

it('EV-04: every listener of four threads sees one chain, in order, to the state at its end', async () => {
  const registry = createRegistry({ clock: 'manual' })
  const breaker = registry.breaker('case', {
    slidingWindow: { type: 'consecutive', failures: 1 },
    waitDurationInOpenStateMs: 10,
    permittedNumberOfCallsInHalfOpenState: 1,
  })
  const heardByAll = new Int32Array(new SharedArrayBuffer(16))
  const workers = await Promise.all(
    [0, 1, 2, 3].map(async index => {
      const workerData = { handle: registry.handle, transitions: TRANSITIONS, heardByAll, index }
      const worker = new Worker(new URL('events.mjs', import.meta.url), { workerData })
      onTestFinished(async () => {
        await worker.terminate()
      })
      await once(worker, 'message')
      return worker
    }),
  )
  const ask = async <T>(worker: Worker): Promise<T> => {
    worker.postMessage('go')
    return (await once(worker, 'message'))[0] as T
  }
  // Nobody makes a call once all are done.
  await Promise.all(workers.map(ask))
  const { state, transitions } = breaker.snapshot()
  expect(transitions).toBeGreaterThanOrEqual(TRANSITIONS)
  const streams = await Promise.all(
    workers.map(async worker => {
      for (const deadline = Date.now() + 20_000; ; ) {
        const told = await ask<StateChange[]>(worker)
        if (told.length >= transitions || Date.now() > deadline) return told
      }
    }),
  )
  for (const told of streams) {
    expect(told.map(({ generation }) => generation)).toEqual(
      Array.from({ length: transitions }, (_, index) => index + 1),
    )
    const chain = told.filter(({ from }, index) => index > 0 && from !== told[index - 1]?.to)
    expect(chain).toEqual([])
    expect(told.at(-1)?.to).toBe(state)
  }
})
