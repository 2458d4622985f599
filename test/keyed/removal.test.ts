/** Records that go to another breaker, at their edges. */
import { expect, it } from 'vitest'
import { createRegistry } from '../../src/index.ts'
import { HEADER } from '../../src/memory/layout.ts'

it('a trial left by the one before is no damage to the next', () => {
  const registry = createRegistry({ keeper: false, clock: 'manual', maxBreakers: 1 })
  const before = registry.breaker('before', { trialTimeoutMs: 60_000 })
  before.open()
  registry.advance(30_000)
  before.tryAcquire()
  registry.remove('before')
  registry.breaker('after', { trialTimeoutMs: 5 })
  registry.close()
  const words = new Int32Array(registry.handle.buffer)
  expect(words[HEADER.DAMAGED]).toBe(0)
})

it('a handle that makes its breaker again is that which the registry gives', () => {
  using registry = createRegistry({ keeper: false, clock: 'manual', maxBreakers: 1 })
  const breaker = registry.breaker('b')
  registry.remove('b')
  breaker.recordSuccess(breaker.tryAcquire())
  expect(registry.breaker('b')).toBe(breaker)
})

it('a handle follows to a breaker that tells no ages, and counts rightly', () => {
  using registry = createRegistry({ keeper: false, clock: 'manual', maxThreads: 2 })
  const options = { countHangingCalls: true, slowCallDurationThresholdMs: 100 }
  const breaker = registry.breaker('b', options)
  breaker.recordSuccess(breaker.tryAcquire(), 1)
  registry.remove('b')
  registry.breaker('b', { slidingWindow: { type: 'count', size: 10 } })
  breaker.recordSuccess(breaker.tryAcquire(), 1)
  breaker.recordFailure(breaker.tryAcquire())
  const { totals } = breaker.snapshot()
  expect(totals).toMatchObject({ admitted: 2, succeeded: 1, failed: 1, slow: 0, inFlight: 0 })
})
