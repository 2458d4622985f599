/** What pipelines are made of: parts by their names, by their options, or none. */
import { describe, expect, it } from 'vitest'
import type { CircuitBreaker, PipelineOptions } from '../../src/index.ts'
import { ALL, failing, fine, make } from './support.ts'

describe('parts', () => {
  it('have the name of the pipeline, and are those of everybody', () => {
    const registry = make()
    const pipeline = registry.pipeline('search', { ...ALL, retry: { budget: {} } })
    expect(pipeline.throttle).toBe(registry.throttle('search'))
    expect(pipeline.bulkhead).toBe(registry.bulkhead('search'))
    expect(pipeline.breaker).toBe(registry.breaker('search'))
    expect(pipeline.retryBudget).toBe(registry.retryBudget('search'))
    const names = [pipeline.throttle, pipeline.bulkhead, pipeline.retryBudget].map(
      part => part?.name,
    )
    expect(names).toEqual(['search', 'search', 'search'])
  })

  it('may be others that exist, or none at all', async () => {
    const registry = make()
    const breaker: CircuitBreaker = registry.breaker('shared')
    expect(registry.pipeline('p', { breaker }).breaker).toBe(breaker)
    const bare = registry.pipeline('bare', {})
    expect(await bare.execute(fine)).toBe('fine')
    expect(bare.snapshot()).toEqual({ name: 'bare' })
    await expect(bare.execute(failing)).rejects.toThrow('down')
  })

  it('wrap passes this and arguments on', async () => {
    const registry = make()
    const adder = {
      base: 2,
      add: registry.pipeline('p', ALL).wrap(async function (this: { base: number }, more: number) {
        return this.base + more
      }),
    }
    expect(await adder.add(3)).toBe(5)
  })

  it('are judged by the functions of the pipeline, else of its breaker', async () => {
    const registry = make()
    const classifyError = (): 'ignored' => 'ignored'
    const byBreaker = registry.pipeline('a', { ...ALL, breaker: { classifyError } })
    await byBreaker.tryExecute(failing)
    expect(byBreaker.snapshot().throttle?.totals.ignored).toBe(1)
    const own = registry.pipeline('b', {
      ...ALL,
      breaker: { classifyError },
      classifyError: () => 'failure',
    })
    await own.tryExecute(failing)
    expect(own.snapshot().breaker?.totals.failed).toBe(1)
  })

  it('that make no sense are refused, and nothing is called', async () => {
    const registry = make()
    const wrong: [unknown, RegExp][] = [
      [{ breakers: {} }, /options\.breakers must be left out/],
      [{ breaker: 5 }, /options\.breaker must be a breaker or the options of one; got 5/],
      [{ throttle: { k: 0 } }, /options\.k must be/],
      [{ bulkhead: {} }, /maxConcurrentCalls must be given/],
      [{ retry: { attempts: 0 } }, /attempts must be/],
      [{ retry: { signal: 1 } }, /options\.retry\.signal must be left out/],
      [{ timeoutMs: -1 }, /options\.timeoutMs must be/],
      [{ isFailure: true }, /options\.isFailure must be a function/],
      [null, /options must be an object/],
    ]
    for (const [options, message] of wrong) {
      expect(() => registry.pipeline('w', options as PipelineOptions)).toThrow(message)
    }
    const pipeline = registry.pipeline('p', ALL)
    await expect(pipeline.execute(5 as never)).rejects.toThrow(/fn must be a function/)
    await expect(pipeline.execute(fine, { timeout: 5 } as never)).rejects.toThrow(/left out/)
    expect(pipeline.snapshot().throttle?.totals.admitted).toBe(0)
    registry.close()
    expect(() => registry.pipeline('p', {})).toThrow(/closed/)
  })
})
