/** A bulkhead in one thread: permits, refusals, options, the async face. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  attachRegistry,
  BulkheadFullError,
  CallTimeoutError,
  createRegistry,
  InvalidOptionError,
  isRefusal,
  REFUSED,
} from '../../../src/index.ts'
import { fateOf, microtasks, REGISTRY } from './support.ts'

afterEach(() => void vi.restoreAllMocks())

const never = (): Promise<never> => new Promise(() => {})

describe('permits', () => {
  it('are as many as there are places, over all handles, and come back', () => {
    using registry = createRegistry(REGISTRY)
    using second = attachRegistry(registry.handle)
    const options = { maxConcurrentCalls: 3 }
    const here = registry.bulkhead('b', options)
    const there = second.bulkhead('b', options)
    const [a, b, c] = [here.tryAcquire(), there.tryAcquire(), here.tryAcquire()]
    expect(new Set([a, b, c]).size).toBe(3)
    expect([here.tryAcquire(), there.tryAcquire()]).toEqual([REFUSED, REFUSED])
    expect(here.snapshot()).toMatchObject({ inFlight: 3, queued: 0 })
    there.release(b)
    expect(here.snapshot().inFlight).toBe(2)
    const d = here.tryAcquire()
    expect(d).not.toBe(REFUSED)
    for (const permit of [a, c, d]) here.release(permit)
    expect(there.snapshot()).toEqual({
      name: 'b',
      maxConcurrentCalls: 3,
      inFlight: 0,
      queued: 0,
      totals: { admitted: 4, completed: 4, refused: 2, late: 0, abandoned: 0, inFlight: 0 },
    })
  })

  it('that were settled before, or made up, or are those of others, free nothing', () => {
    using registry = createRegistry(REGISTRY)
    using second = attachRegistry(registry.handle)
    const here = registry.bulkhead('b', { maxConcurrentCalls: 2 })
    const there = second.bulkhead('b')
    const old = here.tryAcquire()
    here.release(old)
    const held = here.tryAcquire()
    const others = there.tryAcquire()
    const wrong = [old, REFUSED, 0, 1, held + 1, held + 2, -held, 0.5, Number.NaN, 2 ** 53]
    for (const permit of [...wrong, Number.POSITIVE_INFINITY, undefined, 'x', {}]) {
      here.release(permit as number)
    }
    if (others !== held) here.release(others)
    expect(here.snapshot()).toMatchObject({
      inFlight: 2,
      totals: { admitted: 3, late: 15, completed: 1, inFlight: 2 },
    })
    expect(here.tryAcquire()).toBe(REFUSED)
    here.release(held)
    there.release(others)
    expect(here.snapshot()).toMatchObject({ inFlight: 0, totals: { completed: 3 } })
  })

  it('that are held when the registry closes keep their places until they are settled', () => {
    using registry = createRegistry(REGISTRY)
    const second = attachRegistry(registry.handle)
    const here = registry.bulkhead('b', { maxConcurrentCalls: 1 })
    const there = second.bulkhead('b')
    const permit = there.tryAcquire()
    second.close()
    expect(here.tryAcquire()).toBe(REFUSED)
    there.release(permit)
    const next = here.tryAcquire()
    expect(next).not.toBe(REFUSED)
    here.release(next)
    // The closed one goes on as a thread without a slot does.
    there.release(there.tryAcquire())
    expect(here.snapshot().totals).toMatchObject({ admitted: 3, completed: 3, inFlight: 0 })
  })

  it('of threads without a slot are like others', () => {
    using registry = createRegistry({ ...REGISTRY, maxThreads: 1 })
    const bulkhead = registry.bulkhead('b', { maxConcurrentCalls: 1 })
    bulkhead.release(bulkhead.tryAcquire())
    registry.close()
    const permit = bulkhead.tryAcquire()
    expect(bulkhead.tryAcquire()).toBe(REFUSED)
    bulkhead.release(permit)
    expect(bulkhead.snapshot().totals).toMatchObject({ admitted: 2, completed: 2, refused: 1 })
  })

  it('fill 4,096 places to the last one', () => {
    using registry = createRegistry({ ...REGISTRY, maxControls: 64 })
    const bulkhead = registry.bulkhead('b', { maxConcurrentCalls: 4096 })
    const permits = Array.from({ length: 4096 }, () => bulkhead.tryAcquire())
    expect(new Set(permits).size).toBe(4096)
    expect(bulkhead.tryAcquire()).toBe(REFUSED)
    for (const permit of permits) bulkhead.release(permit)
    expect(bulkhead.snapshot()).toMatchObject({ inFlight: 0, totals: { completed: 4096 } })
  })
})

describe('a permit', () => {
  it('never has more than 31 bits: claims are numbered anew', () => {
    using registry = createRegistry({ ...REGISTRY, maxControls: 64 })
    const bulkhead = registry.bulkhead('b', { maxConcurrentCalls: 4096 })
    const held = bulkhead.tryAcquire()
    let [least, most] = [held, held]
    for (let claim = 0; claim < 2 ** 20; claim++) {
      const permit = bulkhead.tryAcquire()
      least = Math.min(least, permit)
      most = Math.max(most, permit)
      bulkhead.release(permit)
    }
    expect(least).toBeGreaterThan(0)
    expect(most).toBeLessThan(2 ** 31)
    expect(most).toBeGreaterThan(2 ** 31 - 4096)
    bulkhead.release(held)
    expect(bulkhead.snapshot().totals).toMatchObject({ completed: 2 ** 20 + 1, late: 0 })
  })
})

describe('options', () => {
  it('are said back with their defaults, and are the same for all', () => {
    using registry = createRegistry(REGISTRY)
    const bulkhead = registry.bulkhead('b', { maxConcurrentCalls: 5 })
    expect(bulkhead.options).toEqual({ maxConcurrentCalls: 5, maxQueuedCalls: 0, maxWaitMs: 1000 })
    expect(registry.bulkhead('b')).toBe(bulkhead)
    expect(() => registry.bulkhead('b', { maxConcurrentCalls: 6 })).toThrow(
      'bulkhead "b" was made with {"maxConcurrentCalls":5} and is now asked for with ' +
        '{"maxConcurrentCalls":6}',
    )
  })

  it.each([
    [undefined, 'options.maxConcurrentCalls'],
    [{}, 'options.maxConcurrentCalls'],
    [{ maxConcurrentCalls: 0 }, 'options.maxConcurrentCalls'],
    [{ maxConcurrentCalls: 1.5 }, 'options.maxConcurrentCalls'],
    [{ maxConcurrentCalls: 4097 }, 'options.maxConcurrentCalls'],
    [{ maxConcurrentCalls: '5' }, 'options.maxConcurrentCalls'],
    [{ maxConcurrentCalls: 1, maxQueuedCalls: -1 }, 'options.maxQueuedCalls'],
    [{ maxConcurrentCalls: 1, maxQueuedCalls: Number.NaN }, 'options.maxQueuedCalls'],
    [{ maxConcurrentCalls: 1, maxWaitMs: 0 }, 'options.maxWaitMs'],
    [{ maxConcurrentCalls: 1, maxWaitMs: 2 ** 31 }, 'options.maxWaitMs'],
    [{ maxConcurrentCalls: 1, timeoutMs: 5 }, 'options.timeoutMs'],
  ])('%j is refused by name', (options, option) => {
    using registry = createRegistry(REGISTRY)
    let error: unknown
    try {
      registry.bulkhead('b', options as never)
    } catch (thrown) {
      error = thrown
    }
    expect(error).toBeInstanceOf(InvalidOptionError)
    expect((error as InvalidOptionError).option).toBe(option)
  })

  it.each([null, 7, { timeoutMs: 5 }, { signal: {} }])('acquire(%j) rejects', async options => {
    using registry = createRegistry(REGISTRY)
    const bulkhead = registry.bulkhead('b', { maxConcurrentCalls: 1 })
    await expect(bulkhead.acquire(options as never)).rejects.toBeInstanceOf(InvalidOptionError)
    expect(bulkhead.snapshot()).toMatchObject({ inFlight: 0, totals: { admitted: 0 } })
  })
})

describe.each([0, 5])('execute, with %d places to wait', maxQueuedCalls => {
  const options = { maxConcurrentCalls: 1, maxQueuedCalls }

  it('frees the place however the call ends', async () => {
    using registry = createRegistry(REGISTRY)
    const bulkhead = registry.bulkhead('b', options)
    const wrong = new Error('wrong')
    const fails = (): never => {
      throw wrong
    }
    expect(await bulkhead.execute(() => 1)).toBe(1)
    expect(await bulkhead.execute(async () => 2)).toBe(2)
    await expect(bulkhead.execute(fails)).rejects.toBe(wrong)
    await expect(bulkhead.execute(async () => fails())).rejects.toBe(wrong)
    await expect(bulkhead.execute(7 as never)).rejects.toBeInstanceOf(InvalidOptionError)
    await expect(bulkhead.execute(never, { timeoutMs: 1 })).rejects.toBeInstanceOf(CallTimeoutError)
    const caller = new AbortController()
    const aborted = bulkhead.execute(never, { signal: caller.signal })
    caller.abort(wrong)
    await expect(aborted).rejects.toBe(wrong)
    await expect(bulkhead.execute(never, { signal: caller.signal })).rejects.toBe(wrong)
    expect(bulkhead.snapshot()).toMatchObject({
      inFlight: 0,
      totals: { admitted: 6, completed: 6, refused: 0, late: 0 },
    })
  })

  it('answers by its fallback in place of any error', async () => {
    using registry = createRegistry(REGISTRY)
    const bulkhead = registry.bulkhead('b', options)
    const wrong = new Error('wrong')
    const fallback = (error: unknown) => ['instead of', error]
    const fails = (): never => {
      throw wrong
    }
    expect(await bulkhead.execute(fails, { fallback })).toEqual(['instead of', wrong])
    const signal = AbortSignal.abort(wrong)
    expect(await bulkhead.execute(never, { fallback, signal })).toEqual(['instead of', wrong])
    const second = new Error('second')
    const failing = bulkhead.execute(fails, { fallback: () => Promise.reject(second) })
    await expect(failing).rejects.toBe(second)
    expect(second.cause).toBe(wrong)
    expect(bulkhead.snapshot().inFlight).toBe(0)
  })

  it('passes arguments and `this` on, and says what happened', async () => {
    using registry = createRegistry(REGISTRY)
    const bulkhead = registry.bulkhead('b', options)
    const wrapped = bulkhead.wrap(async function (this: { base: number }, by: number) {
      return this.base + by
    })
    expect(await wrapped.call({ base: 1 }, 2)).toBe(3)
    expect(await bulkhead.tryExecute(() => 1)).toEqual({ ok: true, value: 1 })
    const error = new BulkheadFullError('another', 1)
    const failed = await bulkhead.tryExecute(() => Promise.reject(error))
    expect(failed).toEqual({ ok: false, refused: false, error })
    expect(() => bulkhead.wrap(7 as never)).toThrow(InvalidOptionError)
  })
})

describe('a refusal', () => {
  it('is one error and one promise for all', async () => {
    using registry = createRegistry(REGISTRY)
    const bulkhead = registry.bulkhead('b', { maxConcurrentCalls: 1 })
    const permit = bulkhead.tryAcquire()
    const refused = [bulkhead.execute(() => 1), bulkhead.execute(() => 1), bulkhead.acquire()]
    expect(new Set(refused).size).toBe(1)
    const thrown = await bulkhead.acquire().catch((reason: unknown) => reason)
    expect(thrown).toBeInstanceOf(BulkheadFullError)
    expect(thrown).toMatchObject({ bulkhead: 'b', maxConcurrentCalls: 1, waitedMs: 0 })
    expect(Reflect.set(thrown as object, 'waitedMs', 5)).toBe(false)
    expect(isRefusal(thrown)).toBe(true)
    expect(await bulkhead.tryExecute(() => 1)).toEqual({ ok: false, refused: true, error: thrown })
    const instead = await bulkhead.execute(() => false, { fallback: reason => reason === thrown })
    expect(instead).toBe(true)
    expect(bulkhead.snapshot().totals).toMatchObject({ admitted: 1, refused: 6 })
    bulkhead.release(permit)
  })

  it('of a nested breaker frees the place and is no failure of it', async () => {
    using registry = createRegistry(REGISTRY)
    const bulkhead = registry.bulkhead('b', { maxConcurrentCalls: 1 })
    const breaker = registry.breaker('b')
    breaker.forceOpen()
    const fate = fateOf(bulkhead.execute(() => breaker.execute(() => 1)))
    await microtasks()
    expect(isRefusal(fate.error)).toBe(true)
    expect(bulkhead.snapshot()).toMatchObject({ inFlight: 0, totals: { completed: 1 } })
  })
})
