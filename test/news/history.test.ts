/** The flight recorder on one thread: what it holds, in which order, and where it ends. */
import { describe, expect, it } from 'vitest'
import { attachRegistry, createRegistry } from '../../src/make-registry.ts'
import { viewsOf } from '../../src/memory/atomics.ts'
import { HEADER, JOURNAL_ENTRIES } from '../../src/memory/layout.ts'

const make = () => createRegistry({ keeper: false, clock: 'manual', maxBreakers: 8, maxThreads: 2 })

describe('an entry', () => {
  it('says when, from where, by whom, why and at which counts', () => {
    const registry = make()
    const breaker = registry.breaker('b', {
      minimumNumberOfCalls: 4,
      failureRateThreshold: 0.5,
      waitDurationInOpenStateMs: 100,
      permittedNumberOfCallsInHalfOpenState: 2,
      halfOpenFailureRateThreshold: 0.5,
    })
    const calls = (...failed: boolean[]) => {
      for (const one of failed.map(fails => ({ permit: breaker.tryAcquire(), fails }))) {
        if (one.fails) breaker.recordFailure(one.permit)
        else breaker.recordSuccess(one.permit)
      }
    }
    registry.advance(10)
    calls(false, true, false, true)
    registry.advance(100)
    calls(true, false)
    registry.advance(200)
    calls(false, false)
    breaker.metricsOnly()
    breaker.forceOpen({ reason: 'a leak — 漏れ' })
    const counts = (calls: number, failures: number) => ({ calls, failures, slowCalls: 0 })
    const rates = (failureRate: number | null) => ({
      failureRate,
      slowCallRate: failureRate === null ? null : 0,
    })
    const common = { breaker: 'b', thread: 0 }
    expect(registry.history()).toEqual([
      {
        ...{ ...common, from: 'closed', to: 'open', generation: 1, at: 10 },
        ...{ reason: 'failure rate', counts: { ...counts(4, 2), ...rates(0.5) } },
      },
      {
        ...{ ...common, from: 'open', to: 'half-open', generation: 2, at: 110 },
        ...{ reason: 'wait over', counts: undefined },
      },
      {
        ...{ ...common, from: 'half-open', to: 'open', generation: 3, at: 110 },
        ...{ reason: 'trials failed', counts: { ...counts(2, 1), ...rates(0.5) } },
      },
      {
        ...{ ...common, from: 'open', to: 'half-open', generation: 4, at: 310 },
        ...{ reason: 'wait over', counts: undefined },
      },
      {
        ...{ ...common, from: 'half-open', to: 'closed', generation: 5, at: 310 },
        ...{ reason: 'trials succeeded', counts: { ...counts(2, 0), ...rates(0) } },
      },
      {
        ...{ ...common, from: 'closed', to: 'metrics-only', generation: 6, at: 310 },
        ...{ reason: 'by hand', counts: { ...counts(0, 0), ...rates(null) } },
      },
      {
        ...{ ...common, from: 'metrics-only', to: 'forced-open', generation: 7, at: 310 },
        ...{ reason: 'a leak — 漏れ', counts: { ...counts(0, 0), ...rates(null) } },
      },
    ])
    const made = breaker.snapshot().transitionCounts
    expect(made).toContainEqual({ from: 'open', to: 'half-open', count: 2 })
    expect(made.reduce((sum, { count }) => sum + count, 0)).toBe(7)
  })

  it.each([
    ['slow calls', { slowCallDurationThresholdMs: 10, minimumNumberOfCalls: 1 }, 'slow call rate'],
    ['a row', { slidingWindow: { type: 'consecutive', failures: 1 } }, 'failures in a row'],
    ['a count', { slidingWindow: { type: 'count', size: 1 } }, 'failure rate'],
  ] as const)('tells what opened it: %s', (_, options, reason) => {
    const registry = make()
    const breaker = registry.breaker('b', options)
    if (reason === 'slow call rate') breaker.recordSuccess(breaker.tryAcquire(), 11)
    else breaker.recordFailure(breaker.tryAcquire())
    expect(registry.history()).toMatchObject([{ to: 'open', reason }])
  })

  it('keeps the longest reason', () => {
    const registry = make()
    const reason = 'r'.repeat(128)
    registry.breaker('b').open({ reason })
    expect(registry.history()).toMatchObject([{ reason }])
  })
})

describe('the ring', () => {
  it('holds the last 1,024 transitions of all breakers, in order', () => {
    const registry = make()
    const breakers = ['a', 'b', 'c'].map(name => registry.breaker(name))
    for (let step = 0; step < 1_100; step++) {
      const breaker = breakers[step % 3]
      if (Math.floor(step / 3) % 2 === 0) breaker?.disable()
      else breaker?.reset()
      registry.advance(1)
    }
    const history = registry.history()
    expect(history).toHaveLength(JOURNAL_ENTRIES)
    history.forEach(({ breaker, at, generation }, index) => {
      const step = 1_100 - JOURNAL_ENTRIES + index
      expect({ breaker, at, generation }).toEqual({
        breaker: 'abc'[step % 3],
        at: step,
        generation: Math.floor(step / 3) + 1,
      })
    })
  })

  it('goes on where the numbers of its entries wrap', () => {
    const registry = make()
    const memory = viewsOf(registry.handle.buffer)
    // This thread begins anew, at the head that it finds.
    registry.close()
    memory[HEADER.JOURNAL_HEAD] = -3
    const attached = attachRegistry(registry.handle)
    const breaker = attached.breaker('b')
    const heard: number[] = []
    attached.on('stateChange', ({ generation }) => heard.push(generation))
    for (let step = 0; step < 6; step++) breaker.forceOpen()
    expect(memory[HEADER.JOURNAL_HEAD]).toBe(3)
    expect(attached.history().map(({ generation }) => generation)).toEqual([1, 2, 3, 4, 5, 6])
    return Promise.resolve().then(() => expect(heard).toEqual([1, 2, 3, 4, 5, 6]))
  })

  it('is empty in a new region, and a closed registry says so', () => {
    const registry = make()
    expect(registry.history()).toEqual([])
    registry.close()
    expect(() => registry.history()).toThrow(/this registry was closed/)
  })
})
