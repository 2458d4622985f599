/** Spec section 4, errors: classes, codes, extras; told apart across copies of the package. */
import { beforeAll, describe, expect, it } from 'vitest'
import {
  attachRegistry,
  BulkheadFullError,
  BusbarError,
  CallTimeoutError,
  CircuitOpenError,
  createRegistry,
  InvalidOptionError,
  isRefusal,
  NoRegistryError,
  OptionsMismatchError,
  RegionError,
  RegistryFullError,
  ThrottledError,
} from '../../src/index.ts'
import { expectSettled, make, makeBrittle, makeOpen, rejectionOf } from './execute-support.ts'

const boom = new Error('boom')

async function refusalOf(breaker: ReturnType<typeof make>['breaker']): Promise<CircuitOpenError> {
  const error = await rejectionOf(breaker.execute(() => 'value'))
  if (error instanceof CircuitOpenError) return error
  throw new Error(`not refused: ${String(error)}`)
}

describe('the classes', () => {
  const ERRORS: [string, BusbarError, object][] = [
    [
      'CircuitOpenError',
      new CircuitOpenError('b', { state: 'open', retryAfterMs: 7 }),
      { code: 'ERR_CIRCUIT_OPEN', breaker: 'b', state: 'open', retryAfterMs: 7 },
    ],
    [
      'ThrottledError',
      new ThrottledError('t', () => 0.25),
      { code: 'ERR_THROTTLED', throttle: 't', rejectionProbability: 0.25 },
    ],
    [
      'BulkheadFullError',
      new BulkheadFullError('k', 10, 7),
      { code: 'ERR_BULKHEAD_FULL', bulkhead: 'k', maxConcurrentCalls: 10, waitedMs: 7 },
    ],
    [
      'CallTimeoutError',
      new CallTimeoutError('circuit breaker', 'b', 20),
      { code: 'ERR_CALL_TIMEOUT', breaker: 'b', timeoutMs: 20 },
    ],
    [
      'CallTimeoutError',
      new CallTimeoutError('bulkhead', 'k', 20),
      { code: 'ERR_CALL_TIMEOUT', timeoutMs: 20 },
    ],
    [
      'InvalidOptionError',
      new InvalidOptionError('size', -1, 'at least 1'),
      { code: 'ERR_INVALID_OPTION', option: 'size', value: -1 },
    ],
    [
      'OptionsMismatchError',
      new OptionsMismatchError('it', { a: 1 }, { a: 2 }, 'b'),
      { code: 'ERR_OPTIONS_MISMATCH', breaker: 'b', existing: { a: 1 }, requested: { a: 2 } },
    ],
    [
      'RegistryFullError',
      new RegistryFullError('circuit breaker', 'b', 'full', 3),
      { code: 'ERR_REGISTRY_FULL', breaker: 'b', limit: 3 },
    ],
    ['RegionError', new RegionError('broken'), { code: 'ERR_REGION' }],
    ['NoRegistryError', new NoRegistryError('none'), { code: 'ERR_NO_REGISTRY' }],
  ]
  it.each(ERRORS)('%s', (name, error, extra) => {
    expect(error).toBeInstanceOf(BusbarError)
    expect(error).toBeInstanceOf(Error)
    expect(error.name).toBe(name)
    expect(error).toMatchObject(extra)
    expect(BusbarError.is(error)).toBe(true)
    expect('breaker' in error).toBe('breaker' in extra)
  })

  it('three of them are refusals', () => {
    const refusals = ERRORS.filter(([, error]) => isRefusal(error)).map(([name]) => name)
    expect(refusals).toEqual(['CircuitOpenError', 'ThrottledError', 'BulkheadFullError'])
    for (const value of [boom, null, undefined, { code: 'ERR_THROTTLED' }]) {
      expect(isRefusal(value)).toBe(false)
    }
  })

  it('what is not one of them is not', () => {
    const like = { name: 'CircuitOpenError', code: 'ERR_CIRCUIT_OPEN' }
    for (const value of [boom, like, null, undefined, 'ERR_CIRCUIT_OPEN', 1, Symbol.iterator]) {
      expect(BusbarError.is(value)).toBe(false)
    }
  })
})

describe('across copies of the package', () => {
  type Package = typeof import('../../src/index.ts')
  const copies: Package[] = []
  beforeAll(async () => {
    const built = new URL('../../dist/index.js', import.meta.url).href
    for (const copy of ['one', 'two']) copies.push((await import(`${built}?${copy}`)) as Package)
    // The query makes a copy of index.js only, so that its errors.js is one: copy that as well.
    const errors = new URL('../../dist/errors.js', import.meta.url).href
    copies.push((await import(`${errors}?three`)) as Package)
  })

  it('an error of each is one to every other; classes are not shared', () => {
    const [one, , three] = copies
    if (one === undefined || three === undefined) throw new Error('not loaded')
    expect(three.CircuitOpenError).not.toBe(one.CircuitOpenError)
    expect(one.CircuitOpenError).not.toBe(CircuitOpenError)
    for (const maker of copies) {
      const error = new maker.CircuitOpenError('b', { state: 'open', retryAfterMs: 7 })
      expect(BusbarError.is(error)).toBe(true)
      for (const asker of copies) expect(asker.BusbarError.is(error)).toBe(true)
    }
    expect(new three.CallTimeoutError('circuit breaker', 'b', 1)).not.toBeInstanceOf(
      one.CallTimeoutError,
    )
  })

  it("another copy's refusal is ignored", async () => {
    const other = copies[0]
    if (other === undefined) throw new Error('not loaded')
    const { breaker } = makeBrittle()
    const theirs = other.createRegistry({ clock: 'manual', maxBreakers: 1 }).breaker('theirs')
    theirs.forceOpen()
    const refusal = await rejectionOf(breaker.execute(() => theirs.execute(() => 'value')))
    expect(refusal).toMatchObject({ code: 'ERR_CIRCUIT_OPEN', breaker: 'theirs' })
    expect(refusal).not.toBeInstanceOf(CircuitOpenError)
    expectSettled(breaker, { ignored: 1 })
  })

  it('two copies share one region, and this thread has one slot in it', async () => {
    const other = copies[0]
    if (other === undefined) throw new Error('not loaded')
    const { registry, breaker } = makeBrittle()
    const theirs = other.attachRegistry(registry.handle)
    breaker.open({ reason: 'drill' })
    expect(theirs.get(breaker.name)?.state).toBe('open')
    expect(theirs.snapshot().threads).toBe(1)
    theirs.close()
    expect(registry.snapshot().threads).toBe(1)
  })
})

describe('CircuitOpenError', () => {
  it('has no stack frames, and leaves the limit as it was', async () => {
    const limit = Error.stackTraceLimit
    const { breaker } = makeOpen()
    const refusal = await refusalOf(breaker)
    expect(refusal.stack).not.toMatch(/\n\s+at /)
    expect(refusal.stack).toContain(refusal.message)
    expect(Error.stackTraceLimit).toBe(limit)
    expect(() => breaker.executeSync(() => 'value')).toThrow(CircuitOpenError)
    expect(Error.stackTraceLimit).toBe(limit)
    expect(new Error('another').stack).toMatch(/\n\s+at /)
  })

  it('says when to try again', async () => {
    const { registry, breaker } = makeOpen()
    expect(await refusalOf(breaker)).toMatchObject({ state: 'open', retryAfterMs: 1000 })
    registry.advance(999.5)
    const refusal = await refusalOf(breaker)
    expect(refusal.retryAfterMs).toBe(0.5)
    expect(refusal.message).toBe('circuit breaker "dependency" is open')
    registry.advance(0.5)
    expect(await breaker.execute(() => 'value')).toBe('value')
  })

  it('of a breaker forced open: never, or when its time is over', async () => {
    const { registry, breaker } = make()
    breaker.forceOpen()
    const refusal = await refusalOf(breaker)
    expect(refusal).toMatchObject({ state: 'forced-open', retryAfterMs: Number.POSITIVE_INFINITY })
    expect(refusal.message).toBe('circuit breaker "dependency" is forced-open')
    breaker.forceOpen({ ttlMs: 500 })
    registry.advance(100)
    expect(await refusalOf(breaker)).toMatchObject({ state: 'forced-open', retryAfterMs: 400 })
  })

  it('of a half-open one: when the first lease is over', async () => {
    const { registry, breaker } = makeOpen({
      permittedNumberOfCallsInHalfOpenState: 2,
      trialTimeoutMs: 300,
    })
    registry.advance(1000)
    breaker.tryAcquire()
    registry.advance(100)
    breaker.tryAcquire()
    registry.advance(50)
    expect(await refusalOf(breaker)).toMatchObject({ state: 'half-open', retryAfterMs: 150 })
  })

  it('gives the reason that a person gave, and only that', async () => {
    const { breaker } = makeBrittle()
    breaker.open({ reason: 'wartungsmäßig 🔧' })
    const refusal = await refusalOf(breaker)
    expect(refusal.reason).toBe('wartungsmäßig 🔧')
    expect(refusal.message).toContain('wartungsmäßig 🔧')
    breaker.reset()
    breaker.open()
    expect(await refusalOf(breaker)).not.toHaveProperty('reason')
    breaker.forceOpen({ reason: 'drill' })
    expect(await refusalOf(breaker)).toMatchObject({ state: 'forced-open', reason: 'drill' })
    breaker.reset()
    await breaker.execute(() => Promise.reject(boom)).catch(() => {})
    expect(await refusalOf(breaker)).not.toHaveProperty('reason')
  })

  it('every thread, here every registry, sees the reason', async () => {
    const { registry, breaker } = make()
    const other = attachRegistry(registry.handle)
    breaker.forceOpen({ reason: 'drill' })
    const theirs = other.get(breaker.name)
    if (theirs === undefined) throw new Error('not found')
    expect((await refusalOf(theirs)).reason).toBe('drill')
  })

  it('gives the last error counted in this thread, the latest one', async () => {
    const { breaker } = make({ slidingWindow: { type: 'consecutive', failures: 2 } })
    const latest = new Error('latest')
    await rejectionOf(breaker.execute(() => Promise.reject(boom)))
    await rejectionOf(breaker.execute(() => Promise.reject(latest)))
    expect((await refusalOf(breaker)).lastError).toBe(latest)
  })

  it('has no last error where there is none', async () => {
    expect(await refusalOf(makeOpen().breaker)).not.toHaveProperty('lastError')
  })

  it('gives a timeout as the last error', async () => {
    const { breaker } = makeBrittle()
    const timeout = await rejectionOf(
      breaker.execute(() => new Promise(() => {}), { timeoutMs: 10 }),
    )
    expect((await refusalOf(breaker)).lastError).toBe(timeout)
  })
})

describe('messages', () => {
  const VALUES: [unknown, string][] = [
    [Number.NaN, 'NaN'],
    [-1, '-1'],
    [Number.POSITIVE_INFINITY, 'Infinity'],
    ['ten', '"ten"'],
    [null, 'null'],
    [undefined, 'undefined'],
    [10n, '10n'],
    [true, 'true'],
    [Symbol('s'), 'Symbol(s)'],
    [{ a: 1 }, 'an object'],
    [[1], 'an array'],
    [() => 1, 'a function'],
    ['x'.repeat(1000), `"${'x'.repeat(60)}"`],
  ]
  it.each(VALUES)('name any value, shortly (%#)', (value, text) => {
    const error = new InvalidOptionError('size', value, 'a number')
    expect(error.message).toBe(`size must be a number; got ${text}`)
    expect(error.value).toBe(value)
  })

  it('name the breaker of a mismatch and both sets', () => {
    const registry = createRegistry({ clock: 'manual' })
    registry.breaker('b', { failureRateThreshold: 0.3 })
    expect(() => registry.breaker('b', { failureRateThreshold: 0.4 })).toThrow(/"b".*0\.3.*0\.4/)
  })
})
