import { afterEach, expect, it, vi } from 'vitest'
import { createRegistry } from '../../src/index.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

it('CK-01: steps of the wall clock have no effect on the real clock', () => {
  const registry = createRegistry()
  const breaker = registry.breaker('case', {
    slidingWindow: { type: 'consecutive', failures: 1 },
    waitDurationInOpenStateMs: 10_000,
  })
  breaker.recordFailure(breaker.tryAcquire())
  const wallNow = Date.now
  const before = registry.now()
  for (const jumpMs of [3_600_000, -7_200_000, 0]) {
    vi.spyOn(Date, 'now').mockImplementation(() => wallNow() + jumpMs)
    expect(registry.now() - before).toBeLessThan(5_000)
    expect(registry.now()).toBeGreaterThanOrEqual(before)
    expect(breaker.tryAcquire()).toBe(-1)
    expect(breaker.retryAfterMs()).toBeGreaterThan(5_000)
    expect(breaker.retryAfterMs()).toBeLessThanOrEqual(10_000)
  }
  registry.close()
})
