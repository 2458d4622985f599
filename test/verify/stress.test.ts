/** The verifier finds nothing where threads have moved one breaker to and fro, against each other. */
import { expect, it } from 'vitest'
import { type CircuitBreaker, createRegistry, type Registry } from '../../src/index.ts'
import { verify } from '../../src/verify/verify.ts'
import { closedGate, start, together, until } from '../threads/crew.ts'

const ROUNDS = 3

const WINDOWS = [
  ['time', { type: 'time', durationMs: 100, buckets: 10 }],
  ['count', { type: 'count', size: 20 }],
  ['consecutive', { type: 'consecutive', failures: 3 }],
] as const

function make(slidingWindow: (typeof WINDOWS)[number][1]): {
  registry: Registry
  breaker: CircuitBreaker
} {
  const registry = createRegistry({ keeper: false, maxThreads: 3, maxBreakers: 2 })
  const waitDurationInOpenStateMs = { initialMs: 0.01, maxMs: 0.02, jitter: 0.5 }
  const limits = { minimumNumberOfCalls: 5, failureRateThreshold: 0.2 }
  const options = { waitDurationInOpenStateMs, slidingWindow, ...limits }
  return { registry, breaker: registry.breaker('b', options) }
}

it.each(WINDOWS)('with a %s window', async (_, window) => {
  const { registry, breaker } = make(window)
  for (let seed = 0; seed < ROUNDS; seed++) {
    await together(registry, 3, 'hammer', { breaker: 'b', outcomes: 3000, seed })
    await until(() => registry.snapshot().threads === 1)
    expect(verify(registry.handle.buffer, { quiet: true }), `round ${seed}`).toEqual([])
  }
  expect(breaker.snapshot().generation).toBeGreaterThan(100)
})

it.each(WINDOWS)('with a %s window, by threads that die in the midst of it', async (_, window) => {
  const { registry, breaker } = make(window)
  for (let seed = 0; seed < ROUNDS; seed++) {
    const gate = closedGate()
    const args = { breaker: 'b', outcomes: Number.MAX_SAFE_INTEGER, seed }
    const members = [0, 1].map(index => start(registry, 'hammer', args, index, gate))
    await until(() => Atomics.load(gate, 1) === members.length)
    Atomics.store(gate, 0, 1)
    const { admitted } = breaker.snapshot().totals
    await until(() => breaker.snapshot().totals.admitted > admitted + 3000)
    await Promise.all(members.map(({ worker }) => worker.terminate()))
    await until(() => registry.snapshot().threads === 1)
    // Whoever died in half-open left a trial that is to be outlived.
    breaker.reset()
    const options = { quiet: true, deaths: true }
    expect(verify(registry.handle.buffer, options), `round ${seed}`).toEqual([])
  }
})

it('holds no time against one that it read before, where a thread goes on meanwhile', async () => {
  const { registry, breaker } = make({ type: 'consecutive', failures: 3 })
  const args = { breaker: 'b', outcomes: Number.MAX_SAFE_INTEGER, seed: 1 }
  const gate = closedGate()
  start(registry, 'hammer', args, 0, gate)
  Atomics.store(gate, 0, 1)
  const { generation } = breaker.snapshot()
  while (breaker.snapshot().generation < generation + 1000) {
    const found = verify(registry.handle.buffer)
    expect(found.filter(sentence => / (says|is due at) [0-9.]+ ms/.test(sentence))).toEqual([])
    await new Promise(setImmediate)
  }
})
