/** A throttle as users meet it. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  attachRegistry,
  CallTimeoutError,
  createRegistry,
  InvalidOptionError,
  isRefusal,
  NoRegistryError,
  OptionsMismatchError,
  REFUSED,
  type Registry,
  ThrottledError,
  type ThrottleOptions,
} from '../../../src/index.ts'

const INTERVAL_MS = 100
const OPTIONS = { k: 2, windowMs: 10_000, minimumRequestsPerSecond: 0 }

let registry: Registry
beforeEach(() => {
  registry = createRegistry({ clock: 'manual', maxThreads: 2 })
})
afterEach(() => registry.close())

function make(more: ThrottleOptions = {}) {
  return registry.throttle('t', { ...OPTIONS, ...more })
}

type Throttle = ReturnType<typeof make>

/** One that refuses nearly every call: this many were rejected, and that is published. */
function overloaded(more: ThrottleOptions = {}, rejected = 100_000): Throttle {
  const throttle = make(more)
  for (let call = 0; call < rejected; call++) throttle.recordRejected(0)
  registry.advance(INTERVAL_MS)
  throttle.recordRejected(0)
  return throttle
}

const refused = new Error('503')
const reject = () => Promise.reject(refused)

describe('options', () => {
  it('has the defaults of the book', () => {
    expect(registry.throttle('t').options).toEqual({
      k: 2,
      windowMs: 120_000,
      minimumRequestsPerSecond: 1,
      maxRejectionProbability: 1,
    })
  })

  it.each([
    ['k', 0.9],
    ['k', Number.NaN],
    ['k', 1_001],
    ['k', '2'],
    ['windowMs', 9],
    ['windowMs', Number.POSITIVE_INFINITY],
    ['minimumRequestsPerSecond', -1],
    ['minimumRequestsPerSecond', Number.NaN],
    ['maxRejectionProbability', 0],
    ['maxRejectionProbability', 1.1],
    ['isFailure', true],
    ['classifyError', 'failure'],
    ['timeoutMs', 100],
    ['threshold', 1],
  ])('refuses %s: %s', (option, value) => {
    const options = { [option]: value } as ThrottleOptions
    expect(() => registry.throttle('t', options)).toThrow(InvalidOptionError)
    expect(() => registry.throttle('t', options)).toThrow(option)
  })

  it('refuses bad names and other options for the same name', () => {
    expect(() => registry.throttle('')).toThrow(InvalidOptionError)
    make()
    expect(() => make({ k: 3 })).toThrow(OptionsMismatchError)
    expect(registry.throttle('t').options.windowMs).toBe(10_000)
  })

  it('is one throttle for all registries of a region, apart from a breaker of its name', () => {
    const throttle = make()
    registry.breaker('t')
    const other = attachRegistry(registry.handle)
    other.throttle('t', OPTIONS).recordAccepted(0)
    expect(throttle.snapshot().window.accepts).toBe(1)
    other.close()
  })
})

describe('decisions', () => {
  it('admits a burst of which no outcome is known', () => {
    const throttle = make()
    for (let call = 0; call < 1_000; call++) expect(throttle.tryAcquire()).toBe(0)
    expect(throttle.snapshot()).toMatchObject({
      rejectionProbability: 0,
      window: { requests: 0, accepts: 0, refused: 0 },
      totals: { admitted: 1_000, inFlight: 1_000 },
    })
  })

  it('refuses with the published probability, and counts what it refuses', () => {
    const throttle = overloaded({ maxRejectionProbability: 0.25 })
    const calls = 20_000
    let refusals = 0
    for (let call = 0; call < calls; call++) if (throttle.tryAcquire() === REFUSED) refusals++
    // Standard deviation: 61.
    expect(Math.abs(refusals - calls / 4)).toBeLessThan(400)
    const { window, totals } = throttle.snapshot()
    expect(window).toEqual({ requests: 100_001 + refusals, accepts: 0, refused: refusals })
    expect(totals).toMatchObject({ refused: refusals, admitted: calls - refusals })
  })

  it('counts no ignored outcome, and nothing for what is no permit', () => {
    const throttle = make()
    throttle.release(throttle.tryAcquire())
    for (const permit of [REFUSED, 1, Number.NaN]) {
      throttle.recordAccepted(permit)
      throttle.recordRejected(permit)
      throttle.release(permit)
    }
    const { window, totals } = throttle.snapshot()
    expect(window).toEqual({ requests: 0, accepts: 0, refused: 0 })
    expect(totals).toEqual({
      admitted: 1,
      accepted: 0,
      rejected: 0,
      ignored: 1,
      refused: 0,
      abandoned: 0,
      inFlight: 0,
    })
  })

  it('is published by the first outcome after each 100 ms, and computed anew when asked', () => {
    const throttle = make()
    throttle.recordAccepted(0)
    for (let call = 0; call < 1_000; call++) throttle.recordRejected(0)
    expect(throttle.rejectionProbability).toBe((1_001 - 2) / 1_002)
    registry.advance(INTERVAL_MS - 1)
    throttle.recordRejected(0)
    for (let call = 0; call < 1_000; call++) expect(throttle.tryAcquire()).toBe(0)
    registry.advance(1)
    throttle.recordRejected(0)
    let refusals = 0
    for (let call = 0; call < 1_000; call++) if (throttle.tryAcquire() < 0) refusals++
    expect(refusals).toBeGreaterThan(900)
  })

  it('refuses nobody by a probability of before a pause', () => {
    const throttle = overloaded()
    registry.advance(20_000)
    for (let call = 0; call < 1_000; call++) expect(throttle.tryAcquire()).toBe(0)
  })
})

describe('execute', () => {
  it('gives the result, and counts it as accepted', async () => {
    const throttle = make()
    await expect(throttle.execute(async () => 7)).resolves.toBe(7)
    await expect(throttle.wrap(async (one: number) => one + 1)(7)).resolves.toBe(8)
    expect(throttle.snapshot().window).toEqual({ requests: 2, accepts: 2, refused: 0 })
  })

  it('counts failures as rejected, by isFailure and classifyError of this handle', async () => {
    // By the formula alone, one rejected call of one refuses half of the next.
    const busy = { minimumRequestsPerSecond: 1 }
    const throttle = make(busy)
    const classifyError = (error: unknown) => (error === refused ? 'ignored' : 'failure')
    const other = make({ ...busy, classifyError, isFailure: result => result === 503 })
    await expect(throttle.execute(reject)).rejects.toBe(refused)
    await expect(other.execute(reject)).rejects.toBe(refused)
    await expect(other.execute(async () => 503)).resolves.toBe(503)
    await expect(throttle.execute(async () => 503)).resolves.toBe(503)
    expect(throttle.snapshot().totals).toMatchObject({ accepted: 1, rejected: 2, ignored: 1 })
  })

  it('ignores the caller who gives up, and what other parts refuse', async () => {
    const throttle = make()
    const breaker = registry.breaker('b')
    breaker.forceOpen()
    await expect(throttle.execute(() => breaker.execute(async () => 1))).rejects.toSatisfy(
      isRefusal,
    )
    const controller = new AbortController()
    const waiting = throttle.execute(() => new Promise(() => {}), { signal: controller.signal })
    controller.abort(refused)
    await expect(waiting).rejects.toBe(refused)
    expect(throttle.snapshot().totals).toMatchObject({ ignored: 2, rejected: 0, inFlight: 0 })
  })

  it('counts a call that takes too long as rejected, by its own limit only', async () => {
    const impatient = createRegistry({ clock: 'manual', defaults: { timeoutMs: 1 } })
    const throttle = impatient.throttle('t')
    const slow = () => new Promise(resolve => setTimeout(resolve, 20, 'done'))
    await expect(throttle.execute(slow)).resolves.toBe('done')
    await expect(throttle.execute(slow, { timeoutMs: 1 })).rejects.toThrow(CallTimeoutError)
    expect(throttle.snapshot().totals).toMatchObject({ accepted: 1, rejected: 1 })
    impatient.close()
  })

  it('rejects with one error for all, which says the probability when read', async () => {
    const throttle = overloaded()
    const fn = vi.fn(async () => 1)
    const errorOf = () => throttle.execute(fn).catch((error: unknown) => error)
    const errors = (await Promise.all(Array.from({ length: 50 }, errorOf))).filter(isRefusal)
    const [error] = errors
    expect(errors.length).toBeGreaterThan(45)
    expect(new Set(errors).size).toBe(1)
    expect(fn).toHaveBeenCalledTimes(50 - errors.length)
    if (!(error instanceof ThrottledError)) throw new Error('another error')
    expect(Reflect.set(error, 'throttle', 'other')).toBe(false)
    expect(error).toMatchObject({ code: 'ERR_THROTTLED', throttle: 't' })
    expect(error.rejectionProbability).toBeGreaterThan(0.999)
    registry.advance(20_000)
    throttle.recordAccepted(0)
    expect(error.rejectionProbability).toBe(0)
  })

  it('tryExecute says who refused; a fallback is given the error', async () => {
    const throttle = overloaded()
    const results = await Promise.all(
      Array.from({ length: 20 }, () => throttle.tryExecute(async () => 1)),
    )
    expect(results.filter(result => !result.ok && result.refused).length).toBeGreaterThan(15)
    const fallback = vi.fn(() => 'from a cache')
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => throttle.execute(async () => 'fresh', { fallback })),
    )
    expect(answers.filter(answer => answer === 'from a cache').length).toBeGreaterThan(15)
    expect(fallback).toHaveBeenCalledWith(expect.any(ThrottledError))
  })
})

it('goes on after its registry was closed, in the shard that such threads share', () => {
  const other = attachRegistry(registry.handle)
  const throttle = make()
  const permits = [throttle.tryAcquire(), throttle.tryAcquire()]
  registry.close()
  expect(() => registry.throttle('t')).toThrow(NoRegistryError)
  for (const permit of permits) throttle.recordAccepted(permit)
  throttle.recordRejected(throttle.tryAcquire())
  const seen = other.throttle('t').snapshot()
  expect(seen.window).toEqual({ requests: 3, accepts: 2, refused: 0 })
  expect(seen.totals).toMatchObject({ admitted: 3, accepted: 2, rejected: 1, inFlight: 0 })
  other.close()
})
