/** The periodic sum as users meet it: `registry.snapshot()` is cheap, and says how old it is. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CircuitBreaker, createRegistry, type Registry } from '../../src/index.ts'

let registry: Registry
let breaker: CircuitBreaker

beforeEach(() => {
  registry = createRegistry({ clock: 'manual', maxThreads: 2 })
  breaker = registry.breaker('b')
})

afterEach(() => registry.close())

function succeed(times: number): void {
  for (let time = 0; time < times; time++) breaker.recordSuccess(breaker.tryAcquire())
}

function seen(): { calls: number; age: number } {
  const [summary] = registry.snapshot().breakers
  return { calls: summary?.window.calls ?? Number.NaN, age: summary?.windowAgeMs ?? Number.NaN }
}

describe('registry.snapshot()', () => {
  it('shows the last periodic sum of a time window; breaker.snapshot() adds up anew', () => {
    succeed(5)
    expect(seen()).toEqual({ calls: 1, age: 0 })
    expect(breaker.snapshot().window.calls).toBe(5)
    registry.advance(99)
    succeed(1)
    expect(seen()).toEqual({ calls: 1, age: 99 })
    registry.advance(1)
    succeed(1)
    expect(seen()).toEqual({ calls: 7, age: 0 })
  })

  it('shows no sum of an earlier generation', () => {
    succeed(5)
    breaker.reset()
    expect(seen()).toEqual({ calls: 0, age: 0 })
  })

  it('shows what count and consecutive windows hold now', () => {
    const count = registry.breaker('count', { slidingWindow: { type: 'count', size: 10 } })
    const row = registry.breaker('row', { slidingWindow: { type: 'consecutive', failures: 9 } })
    for (const each of [count, row]) {
      for (let call = 0; call < 3; call++) each.recordFailure(each.tryAcquire())
    }
    const windows = registry.snapshot().breakers.map(({ window, windowAgeMs }) => {
      return [window.calls, window.failures, windowAgeMs]
    })
    expect(windows.slice(1)).toEqual([
      [3, 3, 0],
      [3, 3, 0],
    ])
  })

  it('counts threads and breakers against their limits', () => {
    registry.breaker('c')
    expect(registry.snapshot()).toMatchObject({
      now: 0,
      threads: 1,
      maxThreads: 2,
      maxBreakers: 256,
      damaged: 0,
      breakers: [{ name: 'b' }, { name: 'c' }],
    })
  })
})
