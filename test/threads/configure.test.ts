/** Other options while real threads record: none is lost, none opens by options that are no more. */
import { expect, it } from 'vitest'
import { createRegistry, type SlidingWindow } from '../../src/index.ts'
import { verify } from '../../src/verify/verify.ts'
import { start, until } from './crew.ts'

const OUTCOMES = 100_000
const WINDOWS: SlidingWindow[] = [{ type: 'time' }, { type: 'count', size: 100 }]

it.each(
  WINDOWS.flatMap(window => (['js', 'wasm'] as const).map(kernel => [window, kernel] as const)),
)('%o, kernel %s', async (slidingWindow, kernel) => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  using registry = createRegistry({ maxThreads: 4, kernel })
  const breaker = registry.breaker('b', { slidingWindow, failureRateThreshold: 0.99 })
  const gate = new Int32Array(new SharedArrayBuffer(8))
  const args = { breaker: 'b', outcomes: OUTCOMES, seed }
  const members = [0, 1].map(index => start<object>(registry, 'hammer', args, index, gate))
  await until(() => Atomics.load(gate, 1) === 2)
  Atomics.store(gate, 0, 1)
  let isOver = false
  const over = Promise.all(members.map(({ result }) => result)).then(() => {
    isOver = true
  })
  let rounds = 0
  for (; !isOver; rounds++) {
    breaker.configure({
      minimumNumberOfCalls: 20 + (rounds % 50),
      failureRateThreshold: 0.95 + (rounds % 5) / 100,
      slowCallDurationThresholdMs: rounds % 2 === 0 ? 1000 : null,
    })
    await new Promise(setImmediate)
  }
  await over
  const { state, transitions, totals } = breaker.snapshot()
  const { admitted, succeeded, failed, ignored, late, inFlight } = totals
  expect([state, transitions, late, inFlight], `seed ${seed}`).toEqual(['closed', 0, 0, 0])
  expect(admitted, `seed ${seed}`).toBe(2 * OUTCOMES)
  expect(succeeded + failed + ignored, `seed ${seed}`).toBe(admitted)
  expect(rounds).toBeGreaterThan(3)
  await Promise.all(members.map(({ exited }) => exited))
  expect(verify(registry.handle.buffer, { quiet: true })).toEqual([])
})
