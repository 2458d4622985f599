/** Retry budgets against a list of everything that happened. */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { attachRegistry, createRegistry, type Registry } from '../../../src/index.ts'

function manual(): Registry {
  return createRegistry({ clock: 'manual', maxBreakers: 1, maxThreads: 2, maxControls: 4 })
}

interface Event {
  readonly kind: 'call' | 'retry'
  readonly at: number
}

/** The window in force at `now`: this second of the region's clock and the nine before it. */
function heldBy(events: readonly Event[], kind: Event['kind'], now: number): number {
  const second = Math.floor(now / 1000)
  return events.filter(event => {
    const age = second - Math.floor(event.at / 1000)
    return event.kind === kind && age < 10
  }).length
}

const STEPS = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.constant('call' as const) },
    { weight: 3, arbitrary: fc.constant('retry' as const) },
    { weight: 2, arbitrary: fc.integer({ min: 1, max: 4000 }) },
  ),
  { maxLength: 120 },
)

describe('a budget', () => {
  it('allows what the ratio of the window allows, through any number of handles', () => {
    const options = fc.record({
      ratio: fc.constantFrom(0, 0.1, 0.2, 0.5, 1, 3),
      minimumPerSecond: fc.constantFrom(0, 0.1, 0.25, 1, 3),
    })
    fc.assert(
      fc.property(options, STEPS, ({ ratio, minimumPerSecond }, steps) => {
        const registry = manual()
        const others = attachRegistry(registry.handle)
        const handles = [registry, others].map(each =>
          each.retryBudget('b', { ratio, minimumPerSecond }),
        )
        const events: Event[] = []
        let calls = 0
        for (const [index, step] of steps.entries()) {
          const budget = handles[index % handles.length]
          const at = registry.now()
          if (typeof step === 'number') registry.advance(step)
          else if (step === 'call') {
            budget?.recordCall()
            events.push({ kind: 'call', at })
            calls++
          } else {
            const allowed = Math.floor(minimumPerSecond * 10 + ratio * heldBy(events, 'call', at))
            const expected = heldBy(events, 'retry', at) < allowed
            expect(budget?.tryRetry(), `step ${index}`).toBe(expected)
            if (expected) events.push({ kind: 'retry', at })
          }
        }
        const { window, totals } = registry.retryBudget('b').snapshot()
        const now = registry.now()
        expect(window.calls).toBe(heldBy(events, 'call', now))
        expect(window.retries).toBe(heldBy(events, 'retry', now))
        expect(totals.calls).toBe(calls)
        expect(totals.retries).toBe(events.length - calls)
        others.close()
        registry.close()
      }),
      { numRuns: 300 },
    )
  })

  it('has the defaults of its documentation, and says them', () => {
    const registry = manual()
    const budget = registry.retryBudget('b')
    expect(budget.options).toEqual({ ratio: 0.2, minimumPerSecond: 3 })
    const allowed = Array.from({ length: 40 }, () => budget.tryRetry()).filter(Boolean)
    expect(allowed).toHaveLength(30)
    expect(budget.snapshot().totals).toEqual({ calls: 0, retries: 30, refused: 10 })
    registry.close()
  })

  it('goes on where the registry was closed, in the shard that all share', () => {
    const registry = manual()
    const budget = registry.retryBudget('b', { ratio: 1, minimumPerSecond: 0 })
    budget.recordCall()
    registry.close()
    budget.recordCall()
    expect([budget.tryRetry(), budget.tryRetry(), budget.tryRetry()]).toEqual([true, true, false])
    expect(budget.snapshot().window).toEqual({ calls: 2, retries: 2, allowed: 2 })
  })

  it('refuses options that make no sense, naming them', () => {
    const registry = manual()
    const wrong = [{ ratio: -1 }, { ratio: Number.NaN }, { minimumPerSecond: 'x' }, { rate: 1 }]
    for (const options of wrong) {
      expect(() => registry.retryBudget('b', options as never)).toThrow(/options\.(ratio|m|rate)/)
    }
    expect(() => registry.retryBudget('', {})).toThrow(/name must be/)
    registry.retryBudget('b', { ratio: 0.5 })
    expect(() => registry.retryBudget('b', { ratio: 0.6 })).toThrow(
      'retry budget "b" was made with {"ratio":0.5} and is now asked for with {"ratio":0.6}',
    )
    expect(registry.retryBudget('b', { ratio: 0.5 })).toBe(registry.retryBudget('b'))
    registry.close()
  })
})
