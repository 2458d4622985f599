/** What watches a process from outside sees the attempts of pipelines as calls of their breaker. */
import { tracingChannel } from 'node:diagnostics_channel'
import { expect, it } from 'vitest'
import { createRegistry, type ExecuteTrace } from '../../src/index.ts'

it('each attempt is a trace of its breaker, with what it counted as', async () => {
  const registry = createRegistry({ clock: 'manual', maxBreakers: 2, maxThreads: 2 })
  const pipeline = registry.pipeline('p', {
    throttle: {},
    bulkhead: { maxConcurrentCalls: 2 },
    breaker: { slidingWindow: { type: 'consecutive', failures: 2 } },
    retry: { attempts: 3, backoff: { initialMs: 0 } },
  })
  const traces: ExecuteTrace[] = []
  const channel = tracingChannel<ExecuteTrace>('busbar:execute')
  const subscriber = { asyncEnd: (trace: ExecuteTrace) => traces.push(trace) }
  channel.subscribe(subscriber as never)
  try {
    await expect(pipeline.execute(() => Promise.reject(new Error('down')))).rejects.toThrow('open')
    pipeline.breaker?.reset()
    expect(await pipeline.execute(async () => 'fine')).toBe('fine')
  } finally {
    channel.unsubscribe(subscriber as never)
  }
  const seen = traces.map(({ breaker, outcome }) => [breaker, outcome])
  expect(seen).toEqual([
    ['p', 'failure'],
    ['p', 'failure'],
    ['p', 'refused'],
    ['p', 'success'],
  ])
  const { throttle, bulkhead } = pipeline.snapshot()
  expect(throttle?.totals).toMatchObject({ admitted: 4, rejected: 2, ignored: 1, accepted: 1 })
  expect(bulkhead).toMatchObject({ inFlight: 0 })
})

it('what the breaker is not asked about is no trace, and nobody need handle it', async () => {
  const registry = createRegistry({ clock: 'manual', maxBreakers: 2, maxThreads: 2 })
  const pipeline = registry.pipeline('p', { bulkhead: { maxConcurrentCalls: 1 }, breaker: {} })
  pipeline.bulkhead?.tryAcquire()
  const unhandled: unknown[] = []
  const onUnhandled = (error: unknown): number => unhandled.push(error)
  process.on('unhandledRejection', onUnhandled)
  const traces: unknown[] = []
  const channel = tracingChannel<ExecuteTrace>('busbar:execute')
  const subscriber = { start: (trace: unknown) => traces.push(trace) }
  channel.subscribe(subscriber as never)
  try {
    pipeline.execute(async () => 'never')
    await new Promise(resolve => setImmediate(resolve))
  } finally {
    channel.unsubscribe(subscriber as never)
    process.off('unhandledRejection', onUnhandled)
  }
  expect([traces, unhandled]).toEqual([[], []])
  expect(pipeline.bulkhead?.snapshot().totals.refused).toBe(1)
})
