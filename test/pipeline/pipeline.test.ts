/** Pipelines: who is asked, in which order, and what each part hears of an attempt. */
import { describe, expect, it } from 'vitest'
import { CircuitOpenError, createRegistry, isRefusal, type Registry } from '../../src/index.ts'
import { ALL, failing, fine, make } from './support.ts'

/** What every part says has become of the calls. */
function totalsOf(registry: Registry, name: string) {
  const { throttle, bulkhead, breaker } = registry.pipeline(name, ALL).snapshot()
  return {
    throttle: throttle?.totals,
    bulkhead: bulkhead?.totals,
    breaker: breaker?.totals,
    taken: bulkhead?.inFlight,
  }
}

describe('one verdict for all parts', () => {
  it('a success', async () => {
    const registry = make()
    const pipeline = registry.pipeline('p', ALL)
    expect(await pipeline.execute(fine)).toBe('fine')
    const { throttle, bulkhead, breaker, taken } = totalsOf(registry, 'p')
    expect(throttle).toMatchObject({ admitted: 1, accepted: 1, rejected: 0, inFlight: 0 })
    expect(bulkhead).toMatchObject({ admitted: 1, completed: 1, inFlight: 0 })
    expect(breaker).toMatchObject({ admitted: 1, succeeded: 1, failed: 0, inFlight: 0 })
    expect(taken).toBe(0)
  })

  it('a failure, thrown at once or later, or said by isFailure', async () => {
    const registry = make()
    const pipeline = registry.pipeline('p', { ...ALL, isFailure: answer => answer === 'bad' })
    await expect(pipeline.execute(failing)).rejects.toThrow('down')
    const throwing = (): never => {
      throw new Error('at once')
    }
    await expect(pipeline.execute(throwing)).rejects.toThrow('at once')
    expect(await pipeline.execute(async () => 'bad')).toBe('bad')
    const { throttle, bulkhead, breaker, taken } = totalsOf(registry, 'p')
    expect(throttle).toMatchObject({ admitted: 3, rejected: 3, inFlight: 0 })
    expect(bulkhead).toMatchObject({ admitted: 3, inFlight: 0 })
    expect(breaker).toMatchObject({ admitted: 3, failed: 3, inFlight: 0 })
    expect(taken).toBe(0)
    expect(pipeline.breaker?.state).toBe('open')
  })

  it("the caller's abort is none, whatever the parts are", async () => {
    const registry = make()
    const pipeline = registry.pipeline('p', ALL)
    const controller = new AbortController()
    const reason = new Error('enough')
    const call = pipeline.execute(() => new Promise(() => {}), { signal: controller.signal })
    controller.abort(reason)
    await expect(call).rejects.toBe(reason)
    const { throttle, bulkhead, breaker, taken } = totalsOf(registry, 'p')
    expect(throttle).toMatchObject({ admitted: 1, ignored: 1, rejected: 0, inFlight: 0 })
    expect(bulkhead).toMatchObject({ admitted: 1, inFlight: 0 })
    expect(breaker).toMatchObject({ admitted: 1, ignored: 1, failed: 0 })
    expect(taken).toBe(0)
    const late = { signal: AbortSignal.abort(reason) }
    await expect(pipeline.execute(fine, late)).rejects.toBe(reason)
    expect(totalsOf(registry, 'p').throttle?.admitted).toBe(1)
  })

  it('a timeout is a failure of each', async () => {
    const registry = make()
    const pipeline = registry.pipeline('p', { ...ALL, timeoutMs: 5 })
    const hangs = () => new Promise<never>(() => {})
    await expect(pipeline.execute(hangs)).rejects.toMatchObject({
      code: 'ERR_CALL_TIMEOUT',
      message: 'call through pipeline "p" took longer than 5 ms',
    })
    const { throttle, breaker, taken } = totalsOf(registry, 'p')
    expect(throttle?.rejected).toBe(1)
    expect(breaker?.failed).toBe(1)
    expect(taken).toBe(0)
    const { throttle: _, ...others } = ALL
    const byBreaker = registry.pipeline('q', { ...others, breaker: { timeoutMs: 5 } })
    await expect(byBreaker.execute(hangs)).rejects.toMatchObject({ timeoutMs: 5 })
  })
})

describe('a refusal', () => {
  it('by the breaker gives the place back and is no verdict for the throttle', async () => {
    const registry = make()
    const pipeline = registry.pipeline('p', ALL)
    pipeline.breaker?.forceOpen({ reason: 'maintenance' })
    const error = await pipeline.execute(fine).catch(caught => caught)
    expect(error).toBeInstanceOf(CircuitOpenError)
    const { throttle, bulkhead, breaker, taken } = totalsOf(registry, 'p')
    expect(throttle).toMatchObject({ admitted: 1, ignored: 1, accepted: 0, rejected: 0 })
    expect(bulkhead).toMatchObject({ admitted: 1, inFlight: 0 })
    expect(breaker).toMatchObject({ admitted: 0, refused: 1 })
    expect(taken).toBe(0)
  })

  it('by the bulkhead does not reach the breaker', async () => {
    const registry = make()
    const pipeline = registry.pipeline('p', ALL)
    const ends: (() => void)[] = []
    const waits = () => new Promise<string>(resolve => ends.push(() => resolve('done')))
    const calls = [pipeline.execute(waits), pipeline.execute(waits)]
    const refused = await pipeline.tryExecute(fine)
    expect(refused).toMatchObject({
      ok: false,
      refused: true,
      error: { code: 'ERR_BULKHEAD_FULL' },
    })
    const { throttle, bulkhead, breaker } = totalsOf(registry, 'p')
    expect(throttle).toMatchObject({ admitted: 3, ignored: 1, inFlight: 2 })
    expect(bulkhead).toMatchObject({ refused: 1, inFlight: 2 })
    expect(breaker?.admitted).toBe(2)
    for (const end of ends) end()
    expect(await Promise.all(calls)).toEqual(['done', 'done'])
    expect(await pipeline.execute(fine)).toBe('fine')
  })

  it('by the throttle takes no place', async () => {
    const registry = make()
    const breaker = { slidingWindow: { type: 'consecutive', failures: 4000 } } as const
    const pipeline = registry.pipeline('p', { ...ALL, breaker })
    for (let call = 0; call < 40; call++) {
      await pipeline.tryExecute(failing)
      registry.advance(1)
    }
    registry.advance(100)
    const results = []
    for (let call = 0; call < 200; call++) results.push(await pipeline.tryExecute(failing))
    const refused = results.filter(result => !result.ok && result.refused)
    expect(refused.length).toBeGreaterThan(100)
    expect(refused.every(result => !result.ok && isRefusal(result.error))).toBe(true)
    const { throttle, bulkhead, breaker: open } = pipeline.snapshot()
    expect(throttle?.totals.refused).toBeGreaterThanOrEqual(refused.length)
    expect(bulkhead?.totals.admitted).toBe(throttle?.totals.admitted)
    expect(open?.totals.admitted).toBe(throttle?.totals.admitted)
  })
})

describe('a queue', () => {
  it('is waited in before the breaker is asked', async () => {
    const registry = make()
    const bulkhead = { maxConcurrentCalls: 1, maxQueuedCalls: 1, maxWaitMs: 1000 }
    const pipeline = registry.pipeline('p', { ...ALL, bulkhead })
    let end = (_: string): void => {}
    const first = pipeline.execute(() => new Promise<string>(resolve => (end = resolve)))
    const second = pipeline.execute(fine)
    const third = await pipeline.tryExecute(fine)
    expect(third).toMatchObject({ ok: false, refused: true, error: { code: 'ERR_BULKHEAD_FULL' } })
    expect(pipeline.breaker?.snapshot().totals.admitted).toBe(1)
    end('first')
    expect(await Promise.all([first, second])).toEqual(['first', 'fine'])
    expect(pipeline.snapshot().bulkhead).toMatchObject({ inFlight: 0, queued: 0 })
  })

  it('whose caller gives up just as it is let in makes no call', async () => {
    const registry = make()
    const bulkhead = { maxConcurrentCalls: 1, maxQueuedCalls: 1, maxWaitMs: 1000 }
    const pipeline = registry.pipeline('p', { ...ALL, bulkhead })
    const place = pipeline.bulkhead?.tryAcquire() ?? -1
    const controller = new AbortController()
    let calls = 0
    const waiting = pipeline.execute(async () => calls++, { signal: controller.signal })
    pipeline.bulkhead?.release(place)
    controller.abort(new Error('gone'))
    await expect(waiting).rejects.toThrow('gone')
    expect(calls).toBe(0)
    const { throttle, bulkhead: seen, breaker } = pipeline.snapshot()
    expect(throttle?.totals).toMatchObject({ admitted: 1, ignored: 1, inFlight: 0 })
    expect(seen).toMatchObject({ inFlight: 0, queued: 0 })
    expect(breaker?.totals).toMatchObject({ admitted: 0, refused: 0 })
  })

  it('that is left gives nothing away', async () => {
    const registry = createRegistry({ keeper: false, maxBreakers: 2, maxThreads: 2 })
    const bulkhead = { maxConcurrentCalls: 1, maxQueuedCalls: 2, maxWaitMs: 300 }
    const pipeline = registry.pipeline('p', { ...ALL, bulkhead })
    let end = (): void => {}
    const first = pipeline.execute(() => new Promise<void>(resolve => (end = resolve)))
    const controller = new AbortController()
    const aborted = pipeline.tryExecute(fine, { signal: controller.signal })
    const tooLong = pipeline.tryExecute(fine)
    controller.abort(new Error('gone'))
    expect(await aborted).toMatchObject({ ok: false, refused: false })
    expect(await tooLong).toMatchObject({ ok: false, refused: true })
    end()
    await first
    const { throttle, bulkhead: seen } = pipeline.snapshot()
    expect(throttle?.totals).toMatchObject({ admitted: 3, accepted: 1, ignored: 2, inFlight: 0 })
    expect(seen).toMatchObject({ inFlight: 0, queued: 0 })
    registry.close()
  })
})

describe('retries', () => {
  const retry = { attempts: 5, backoff: { initialMs: 0 } }

  it('are attempts that every part hears of, within the budget', async () => {
    const registry = make()
    const budget = { ratio: 1, minimumPerSecond: 0.2 }
    const pipeline = registry.pipeline('p', {
      throttle: {},
      breaker: {},
      retry: { ...retry, budget },
    })
    let calls = 0
    const failsTwice = async (): Promise<string> => {
      calls++
      if (calls < 3) throw new Error('again')
      return `call ${calls}`
    }
    expect(await pipeline.execute(failsTwice)).toBe('call 3')
    const { throttle, breaker, retryBudget } = pipeline.snapshot()
    expect(throttle?.totals).toMatchObject({ accepted: 1, rejected: 2 })
    expect(breaker?.totals).toMatchObject({ succeeded: 1, failed: 2 })
    expect(retryBudget?.totals).toEqual({ calls: 1, retries: 2, refused: 0 })
    // Three are allowed for one call; this one makes a fourth.
    await expect(pipeline.execute(failing)).rejects.toThrow('down')
    expect(pipeline.snapshot().retryBudget?.totals).toEqual({ calls: 2, retries: 4, refused: 1 })
  })

  it('end at the first refusal', async () => {
    const registry = make()
    const breaker = { slidingWindow: { type: 'consecutive', failures: 2 } } as const
    const pipeline = registry.pipeline('p', { breaker, retry })
    await expect(pipeline.execute(failing)).rejects.toBeInstanceOf(CircuitOpenError)
    expect(pipeline.breaker?.snapshot().totals).toMatchObject({ failed: 2, refused: 1 })
  })

  it('come before the fallback, which answers once', async () => {
    const registry = make()
    const pipeline = registry.pipeline('p', { breaker: {}, retry })
    const answers: unknown[] = []
    const fallback = (error: unknown): string => {
      answers.push(error)
      return 'instead'
    }
    expect(await pipeline.execute(failing, { fallback })).toBe('instead')
    expect(answers).toHaveLength(1)
    expect(pipeline.breaker?.snapshot().totals.failed).toBe(5)
  })
})
