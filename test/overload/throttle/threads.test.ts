/** One throttle in several threads. */
import { expect, it } from 'vitest'
import { createRegistry, REFUSED } from '../../../src/index.ts'
import { start, until } from '../../threads/crew.ts'

const WORKER = new URL('worker.mjs', import.meta.url)
const OPTIONS = { windowMs: 10_000, minimumRequestsPerSecond: 0 }

it('two threads see one probability, and a third is refused by it', async () => {
  using registry = createRegistry({ clock: 'manual' })
  const throttle = registry.throttle('t', OPTIONS)
  const reject = (calls: number) =>
    start<number>(registry, 'reject', { calls }, 0, undefined, WORKER)
  const first = await reject(600).result
  expect(first).toBe(600 / 601)
  expect(throttle.rejectionProbability).toBe(first)
  registry.advance(100)
  expect(await reject(400).result).toBe(throttle.rejectionProbability)
  let refusals = 0
  for (let call = 0; call < 1_000; call++) if (throttle.tryAcquire() === REFUSED) refusals++
  expect(refusals).toBeGreaterThan(950)
  const { window, totals } = throttle.snapshot()
  expect(window).toEqual({
    requests: 2_000 - totals.admitted + totals.rejected,
    accepts: 0,
    refused: totals.refused,
  })
})

it("a killed thread's calls in flight become abandoned", async () => {
  using registry = createRegistry({ clock: 'manual' })
  const throttle = registry.throttle('t', OPTIONS)
  const holder = start<number>(registry, 'hold', { permits: 7 }, 0, undefined, WORKER)
  await holder.result
  expect(throttle.snapshot().totals).toMatchObject({ admitted: 7, inFlight: 7, abandoned: 0 })
  await holder.worker.terminate()
  await until(() => throttle.snapshot().totals.abandoned > 0)
  expect(throttle.snapshot()).toMatchObject({
    window: { requests: 0 },
    totals: { admitted: 7, inFlight: 0, abandoned: 7 },
  })
})
