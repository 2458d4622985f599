/** Calls of one thread that wait: their order, their limits, and how they leave. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  attachRegistry,
  type Bulkhead,
  BulkheadFullError,
  createRegistry,
  isRefusal,
  REFUSED,
  type Registry,
} from '../../../src/index.ts'
import { until } from '../../threads/crew.ts'
import { fateOf, microtasks, REGISTRY } from './support.ts'

const OPTIONS = { maxConcurrentCalls: 1, maxQueuedCalls: 3, maxWaitMs: 100 }

let registry: Registry
let bulkhead: Bulkhead
let permit: number
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  registry = createRegistry(REGISTRY)
  bulkhead = registry.bulkhead('b', OPTIONS)
  permit = bulkhead.tryAcquire()
})
afterEach(() => {
  registry.close()
  vi.useRealTimers()
})

async function pass(ms: number): Promise<void> {
  for (let step = 0; step < ms; step++) {
    registry.advance(1)
    vi.advanceTimersByTime(1)
    await microtasks()
  }
}

describe('calls that wait', () => {
  it('are let in first come, first served, at once when a call of their thread ends', async () => {
    const order: string[] = []
    const ends: (() => void)[] = []
    for (const name of ['first', 'second', 'third']) {
      bulkhead.execute(() => {
        order.push(name)
        return new Promise<void>(resolve => ends.push(resolve))
      })
    }
    expect(bulkhead.snapshot()).toMatchObject({ inFlight: 1, queued: 3 })
    bulkhead.release(permit)
    for (const expected of [['first'], ['first', 'second'], ['first', 'second', 'third']]) {
      expect(bulkhead.snapshot().inFlight).toBe(1)
      await microtasks()
      expect(order).toEqual(expected)
      ends.at(-1)?.()
      await microtasks()
    }
    expect(bulkhead.snapshot()).toMatchObject({
      inFlight: 0,
      queued: 0,
      totals: { admitted: 4, completed: 4, refused: 0 },
    })
  })

  it('are as many as the queue has places, over all handles', async () => {
    using second = attachRegistry(registry.handle)
    const there = second.bulkhead('b')
    const fates = [bulkhead.acquire(), there.acquire(), bulkhead.acquire()].map(fateOf)
    const [one, two] = [bulkhead.acquire(), there.acquire()].map(fateOf)
    await microtasks()
    expect(fates).toEqual([{}, {}, {}])
    expect(one?.error).toBeInstanceOf(BulkheadFullError)
    expect(two?.error).toMatchObject({ waitedMs: 0 })
    expect(there.snapshot()).toMatchObject({ inFlight: 1, queued: 3, totals: { refused: 2 } })
    await pass(101)
    expect(there.snapshot()).toMatchObject({ inFlight: 1, queued: 0, totals: { refused: 5 } })
  })

  it('are not overtaken by calls of their thread that do not wait', async () => {
    const waiting = fateOf(bulkhead.acquire())
    expect(bulkhead.tryAcquire()).toBe(REFUSED)
    bulkhead.release(permit)
    expect(bulkhead.tryAcquire()).toBe(REFUSED)
    await microtasks()
    bulkhead.release(waiting.value as number)
    const next = bulkhead.tryAcquire()
    expect(next).not.toBe(REFUSED)
  })

  it('are refused when their time is over, each with how long it waited', async () => {
    const first = fateOf(bulkhead.acquire())
    await pass(40)
    const second = fateOf(bulkhead.tryExecute(() => 1))
    await pass(59)
    expect(first).toEqual({})
    await pass(6)
    expect(first.error).toBeInstanceOf(BulkheadFullError)
    expect(isRefusal(first.error)).toBe(true)
    expect((first.error as BulkheadFullError).waitedMs).toBeGreaterThanOrEqual(100)
    expect(second).toEqual({})
    expect(bulkhead.snapshot().queued).toBe(1)
    await pass(40)
    expect(second.value).toMatchObject({ ok: false, refused: true })
    expect(bulkhead.snapshot()).toMatchObject({ inFlight: 1, queued: 0, totals: { refused: 2 } })
    // None of them swallowed the place.
    bulkhead.release(permit)
    expect(bulkhead.tryAcquire()).not.toBe(REFUSED)
  })

  it('that are overdue when a place is freed are refused and the next is let in', async () => {
    const overdue = fateOf(bulkhead.acquire())
    registry.advance(60)
    const inTime = fateOf(bulkhead.acquire())
    registry.advance(60)
    bulkhead.release(permit)
    await microtasks()
    expect(overdue.error).toMatchObject({ waitedMs: 120 })
    expect(inTime.value).toBeGreaterThan(0)
  })

  it('leave at once when their signal aborts, with its reason', async () => {
    const callers = [0, 1, 2].map(() => new AbortController())
    const fates = callers.map(({ signal }) => fateOf(bulkhead.acquire({ signal })))
    callers[0]?.abort('given up')
    expect(bulkhead.snapshot().queued).toBe(2)
    await microtasks()
    expect(fates[0]).toEqual({ error: 'given up' })
    bulkhead.release(permit)
    await microtasks()
    expect(fates[1]?.value).toBeGreaterThan(0)
    callers[1]?.abort()
    callers[2]?.abort('too')
    await microtasks()
    expect(fates[2]).toEqual({ error: 'too' })
    expect(bulkhead.snapshot()).toMatchObject({
      inFlight: 1,
      queued: 0,
      totals: { refused: 0, admitted: 2 },
    })
  })

  it('give the place back whose caller gave up while it was on its way to them', async () => {
    const caller = new AbortController()
    const made = vi.fn()
    const fate = fateOf(bulkhead.execute(made, { signal: caller.signal }))
    bulkhead.release(permit)
    caller.abort('given up')
    await microtasks()
    expect(fate).toEqual({ error: 'given up' })
    expect(made).not.toHaveBeenCalled()
    expect(bulkhead.snapshot()).toMatchObject({ inFlight: 0, totals: { completed: 2 } })
  })

  it('tell a call that was given up from one that was refused', async () => {
    const caller = new AbortController()
    const fate = fateOf(bulkhead.tryExecute(() => 1, { signal: caller.signal }))
    caller.abort('given up')
    await microtasks()
    expect(fate.value).toEqual({ ok: false, refused: false, error: 'given up' })
  })

  it('are answered by their fallback when they waited in vain', async () => {
    const fate = fateOf(bulkhead.execute(() => 1, { fallback: () => 2 }))
    await pass(105)
    expect(fate).toEqual({ value: 2 })
  })

  it('go on waiting when the registry is closed', async () => {
    using other = attachRegistry(registry.handle)
    const fate = fateOf(bulkhead.execute(() => 1))
    const inVain = fateOf(bulkhead.acquire())
    registry.close()
    bulkhead.release(permit)
    await microtasks()
    expect(fate).toEqual({ value: 1 })
    expect(inVain.value).toBeGreaterThan(0)
    bulkhead.release(inVain.value as number)
    const there = other.bulkhead('b')
    expect(there.snapshot()).toMatchObject({ inFlight: 0, queued: 0, totals: { completed: 3 } })
    expect(() => registry.bulkhead('b')).toThrow('closed')
  })

  it('leave neither listeners nor timers behind', async () => {
    const caller = new AbortController()
    const removed = vi.spyOn(caller.signal, 'removeEventListener')
    const fate = fateOf(bulkhead.acquire({ signal: caller.signal }))
    expect(vi.getTimerCount()).toBe(1)
    bulkhead.release(permit)
    await microtasks()
    expect(fate.value).toBeGreaterThan(0)
    expect(removed).toHaveBeenCalledTimes(1)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('a place that another handle frees', () => {
  it('is found within 5 ms without being told', async () => {
    using second = attachRegistry(registry.handle)
    const there = second.bulkhead('b')
    const fate = fateOf(there.acquire())
    bulkhead.release(permit)
    await pass(5)
    expect(fate.value).toBeGreaterThan(0)
  })

  it('is told of', async () => {
    using second = attachRegistry(registry.handle)
    const there = second.bulkhead('b')
    const fate = fateOf(there.acquire())
    bulkhead.release(permit)
    // Timers stand still.
    await until(() => fate.value !== undefined)
  })
})
