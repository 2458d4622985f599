/** What users of other bulkheads ran into (test/cases/cases.jsonl), step by step. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createRegistry } from '../../../src/index.ts'
import { readCases } from '../../cases/cases.ts'
import { fateOf, microtasks, REGISTRY } from './support.ts'

interface BulkheadCase {
  readonly id: string
  readonly title: string
  readonly config: {
    readonly bulkhead: { maxConcurrent: number; maxQueue: number; maxWaitMs?: number }
  }
  readonly steps: readonly {
    readonly t: number
    readonly do?: 'start' | 'end'
    readonly id?: string
    readonly expect?: 'queued'
    readonly outcome?: 'success' | 'cancelled'
    readonly expectBulkhead?: { inUse: number; queued: number }
  }[]
}

const CASES = readCases().filter(({ id }) => id.startsWith('BH-')) as unknown as BulkheadCase[]

// Only what is set afterwards is fake: timers, which move with the region's clock.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

it('there are two of them', () => {
  expect(CASES.map(({ id }) => id)).toEqual(['BH-01', 'BH-02'])
})

it.each(CASES)('$id $title', async ({ config: { bulkhead: config }, steps }) => {
  using registry = createRegistry(REGISTRY)
  const bulkhead = registry.bulkhead('b', {
    maxConcurrentCalls: config.maxConcurrent,
    maxQueuedCalls: config.maxQueue,
    maxWaitMs: config.maxWaitMs,
  })
  const calls = new Map<string, ReturnType<typeof start>>()
  const ran: string[] = []
  function start(id: string) {
    const caller = new AbortController()
    const call = { caller, end: () => {}, fate: {} as ReturnType<typeof fateOf> }
    const made = bulkhead.execute(
      () => {
        ran.push(id)
        return new Promise<void>(resolve => {
          call.end = resolve
        })
      },
      { signal: caller.signal },
    )
    call.fate = fateOf(made)
    return call
  }
  for (const step of steps) {
    while (registry.now() < step.t) {
      registry.advance(1)
      vi.advanceTimersByTime(1)
      await microtasks()
    }
    const id = step.id ?? ''
    if (step.do === 'start') calls.set(id, start(id))
    if (step.do === 'end' && step.outcome === 'success') calls.get(id)?.end()
    if (step.do === 'end' && step.outcome === 'cancelled') calls.get(id)?.caller.abort('given up')
    await microtasks()
    if (step.do === 'start') expect(ran.includes(id), id).toBe(step.expect !== 'queued')
    if (step.outcome === 'cancelled') {
      expect(calls.get(id)?.fate).toEqual({ error: 'given up' })
      expect(ran).not.toContain(id)
    }
    if (step.expectBulkhead !== undefined) {
      const { inFlight, queued } = bulkhead.snapshot()
      expect({ inUse: inFlight, queued }, `at ${step.t} ms`).toEqual(step.expectBulkhead)
    }
  }
})
