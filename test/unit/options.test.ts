/** Options as they hold: the defaults of spec 2.9, the order of precedence, later callers, room. */
import { describe, expect, it } from 'vitest'
import {
  attachRegistry,
  type BreakerOptions,
  createRegistry,
  OptionsMismatchError,
  RegistryFullError,
} from '../../src/index.ts'
import {
  applyShared,
  areSound,
  DEFAULT_NUMBERS,
  describeShared,
  readShared,
} from '../../src/options/shared.ts'
import { rejectionOf, thrownBy } from './execute-support.ts'

/** Spec 2.9, with the wait as it is written out. */
const DEFAULTS = {
  slidingWindow: { type: 'time', durationMs: 10_000, buckets: 10 },
  failureRateThreshold: 0.5,
  minimumNumberOfCalls: 20,
  slowCallRateThreshold: 1,
  waitDurationInOpenStateMs: 30_000,
  permittedNumberOfCallsInHalfOpenState: 3,
  trialTimeoutMs: 60_000,
  countHangingCalls: false,
} as const

const OTHERS: BreakerOptions = {
  slidingWindow: { type: 'time', durationMs: 5000, buckets: 50 },
  failureRateThreshold: 0.25,
  minimumNumberOfCalls: 10,
  slowCallDurationThresholdMs: 500,
  slowCallRateThreshold: 0.75,
  waitDurationInOpenStateMs: { initialMs: 100, multiplier: 3, maxMs: 5000, jitter: 0.5 },
  permittedNumberOfCallsInHalfOpenState: 5,
  halfOpenFailureRateThreshold: 0.4,
  trialTimeoutMs: 1000,
  countHangingCalls: true,
}

const make = (defaults?: BreakerOptions) =>
  createRegistry({ clock: 'manual', maxBreakers: 16, maxThreads: 2, defaults })

function mismatchOf(fn: () => unknown): OptionsMismatchError {
  const error = thrownBy(fn)
  if (error instanceof OptionsMismatchError) return error
  throw error
}

describe('defaults', () => {
  it('are those of the specification', () => {
    const registry = make()
    const breaker = registry.breaker('b')
    expect(registry.breaker('b', DEFAULTS)).toBe(breaker)
    expect(describeShared(DEFAULT_NUMBERS)).toEqual({
      ...DEFAULTS,
      slowCallDurationThresholdMs: 'off',
      halfOpenFailureRateThreshold: 'off',
      waitDurationInOpenStateMs: { initialMs: 30_000, multiplier: 1, maxMs: 30_000, jitter: 0 },
    })
  })

  it('of each kind of window, and of a wait', () => {
    const registry = make()
    const same = (name: string, left: BreakerOptions, written: BreakerOptions): void => {
      expect(registry.breaker(name, left)).toBe(registry.breaker(name, written))
    }
    const time = { type: 'time', durationMs: 10_000, buckets: 10 } as const
    same('time', { slidingWindow: { type: 'time' } }, { slidingWindow: time })
    same(
      'count',
      { slidingWindow: { type: 'count' } },
      { slidingWindow: { type: 'count', size: 100 } },
    )
    const row = { type: 'consecutive', failures: 5 } as const
    same('row', { slidingWindow: { type: 'consecutive' } }, { slidingWindow: row })
    const wait = { initialMs: 10, multiplier: 2, maxMs: 600_000, jitter: 0 }
    same(
      'wait',
      { waitDurationInOpenStateMs: { initialMs: 10 } },
      { waitDurationInOpenStateMs: wait },
    )
    const long = { initialMs: 700_000 }
    const longest = { ...long, maxMs: 700_000 }
    same('long', { waitDurationInOpenStateMs: long }, { waitDurationInOpenStateMs: longest })
    const exact = { initialMs: 10, multiplier: 1, maxMs: 10, jitter: 0 }
    same('exact', { waitDurationInOpenStateMs: 10 }, { waitDurationInOpenStateMs: exact })
  })

  it('hold: opens at 10 of 20, waits 30 s, takes 3 trials of 60 s, is never slow', () => {
    const registry = make()
    const breaker = registry.breaker('b')
    for (let call = 1; call <= 19; call++) {
      if (call % 2) breaker.recordFailure(breaker.tryAcquire(), 1e9)
      else breaker.recordSuccess(breaker.tryAcquire(), 1e9)
    }
    expect(breaker.snapshot().window).toMatchObject({
      failures: 10,
      failureRate: null,
      slowCalls: 0,
    })
    expect(breaker.state).toBe('closed')
    breaker.recordSuccess(breaker.tryAcquire(), 1e9)
    expect(breaker.snapshot()).toMatchObject({ state: 'open', retryAfterMs: 30_000 })
    registry.advance(30_000)
    const permits = [breaker.tryAcquire(), breaker.tryAcquire(), breaker.tryAcquire()]
    expect(new Set(permits).size).toBe(3)
    expect(breaker.tryAcquire()).toBe(-1)
    expect(breaker.snapshot()).toMatchObject({ state: 'half-open', retryAfterMs: 60_000 })
    for (const permit of permits) breaker.recordSuccess(permit)
    expect(breaker.state).toBe('closed')
  })
})

describe('precedence', () => {
  it("options over the registry's defaults over those of the specification", () => {
    const registry = make({ failureRateThreshold: 0.3, minimumNumberOfCalls: 7 })
    registry.breaker('b', { failureRateThreshold: 0.6 })
    const error = mismatchOf(() => registry.breaker('b', { ...OTHERS, trialTimeoutMs: 60_000 }))
    expect(error.existing).toMatchObject({
      failureRateThreshold: 0.6,
      minimumNumberOfCalls: 7,
      permittedNumberOfCallsInHalfOpenState: 3,
    })
    expect(error.existing).not.toHaveProperty('trialTimeoutMs')
  })

  it("the registry's defaults hold for every thread, here every registry, of the region", () => {
    const first = make(OTHERS)
    const second = attachRegistry(first.handle)
    second.breaker('b')
    expect(() => first.breaker('b', OTHERS)).not.toThrow()
    const error = mismatchOf(() => first.breaker('b', DEFAULTS))
    expect(Object.keys(error.existing).toSorted()).toEqual(Object.keys(DEFAULTS).toSorted())
  })

  it('explicit undefined is left out', () => {
    const registry = make(OTHERS)
    const nothing = Object.fromEntries(Object.keys(OTHERS).map(key => [key, undefined]))
    const breaker = registry.breaker('b', nothing)
    expect(registry.breaker('b', OTHERS)).toBe(breaker)
  })

  it("local ones: the breaker's over the registry's", async () => {
    const boom = new Error('boom')
    const registry = make({ isFailure: () => true, classifyError: () => 'ignored' })
    const given = registry.breaker('given', { isFailure: () => false })
    await given.execute(() => 'value')
    await rejectionOf(given.execute(() => Promise.reject(boom)))
    expect(given.snapshot().totals).toMatchObject({ succeeded: 1, failed: 0, ignored: 1 })
    const left = registry.breaker('left')
    await left.execute(() => 'value')
    expect(left.snapshot().totals).toMatchObject({ succeeded: 0, failed: 1 })
  })

  it('functions among the defaults stay with their registry, the timeout travels', async () => {
    const registry = make({ isFailure: () => true, timeoutMs: 10 })
    const attached = attachRegistry(registry.handle).breaker('b')
    await attached.execute(() => 'value')
    expect(attached.snapshot().totals).toMatchObject({ succeeded: 1 })
    const error = await rejectionOf(attached.execute(() => new Promise(() => {})))
    expect(error).toMatchObject({ code: 'ERR_CALL_TIMEOUT', timeoutMs: 10 })
  })
})

describe('later callers', () => {
  it('may leave options out, give the same, or some of them', () => {
    const registry = make()
    const breaker = registry.breaker('b', OTHERS)
    const second = attachRegistry(registry.handle)
    for (const options of [undefined, {}, OTHERS, { trialTimeoutMs: 1000 }]) {
      expect(registry.breaker('b', options)).toBe(breaker)
      expect(second.breaker('b', options).name).toBe('b')
    }
    expect(registry.names()).toEqual(['b'])
    expect(second.names()).toEqual(['b'])
  })

  it.each(Object.entries(OTHERS))('%s must be what it was made with', (key, value) => {
    const registry = make()
    const breaker = registry.breaker('b')
    const second = attachRegistry(registry.handle)
    for (const asker of [registry, second]) {
      const error = mismatchOf(() => asker.breaker('b', { [key]: value }))
      expect(error).toMatchObject({ code: 'ERR_OPTIONS_MISMATCH', breaker: 'b' })
      expect(error.requested).toEqual({ [key]: value })
      expect(Object.keys(error.existing)).toEqual([key])
      expect(error.message).toContain(JSON.stringify(error.existing))
      expect(error.message).toContain(JSON.stringify(error.requested))
      expect(error.message).toContain('give the same options everywhere, or leave them out')
    }
    expect(registry.names()).toEqual(['b'])
    expect(registry.get('b')).toBe(breaker)
  })

  it('local ones are compared with nothing', async () => {
    const registry = make()
    registry.breaker('b', { timeoutMs: 5, isFailure: () => true })
    const other = registry.breaker('b', { timeoutMs: 6, isFailure: () => false })
    await other.execute(() => 'value')
    expect(other.snapshot().totals).toMatchObject({ succeeded: 1 })
  })

  it('a mismatch changes no local option', async () => {
    const registry = make()
    const breaker = registry.breaker('b')
    mismatchOf(() => registry.breaker('b', { isFailure: () => true, trialTimeoutMs: 1 }))
    await registry.breaker('b').execute(() => 'value')
    expect(breaker.snapshot().totals).toMatchObject({ succeeded: 1, failed: 0 })
  })
})

describe('a full registry', () => {
  it('of names: says its limit and the remedy; those that exist stay', () => {
    const registry = createRegistry({ clock: 'manual', maxBreakers: 2, maxThreads: 2 })
    const first = registry.breaker('first')
    registry.breaker('second')
    for (let attempt = 0; attempt < 200; attempt++) {
      const error = thrownBy(() => registry.breaker(`third ${attempt}`))
      expect(error).toBeInstanceOf(RegistryFullError)
      expect(error).toMatchObject({ code: 'ERR_REGISTRY_FULL', limit: 2 })
      expect(error).toHaveProperty(
        'message',
        expect.stringMatching(/"third.*2 circuit breakers.*maxBreakers/),
      )
    }
    expect(registry.names()).toEqual(['first', 'second'])
    expect(registry.breaker('first')).toBe(first)
    expect(attachRegistry(registry.handle).breaker('second').state).toBe('closed')
  })

  it('of memory: the same; a smaller one still finds room, however often it was tried', () => {
    const registry = createRegistry({ clock: 'manual', maxBreakers: 2, maxThreads: 2 })
    const large = { slidingWindow: { type: 'count', size: 16_384 } } as const
    for (let attempt = 0; attempt < 200; attempt++) {
      const error = thrownBy(() => registry.breaker(`large ${attempt}`, large))
      expect(error).toBeInstanceOf(RegistryFullError)
      expect(error).toMatchObject({ code: 'ERR_REGISTRY_FULL', breaker: `large ${attempt}` })
      expect(error).toHaveProperty('limit', expect.any(Number))
      expect(error).toHaveProperty('message', expect.stringMatching(/need \d+ bytes.*maxBreakers/))
    }
    expect(registry.names()).toEqual([])
    registry.breaker('first').forceOpen()
    expect(registry.breaker('second').state).toBe('closed')
    expect(attachRegistry(registry.handle).names()).toEqual(['first', 'second'])
  })

  it('has room for maxBreakers with its defaults', () => {
    const registry = createRegistry({
      maxBreakers: 5,
      maxThreads: 1,
      defaults: { slidingWindow: { type: 'count', size: 16_384 } },
    })
    for (const name of ['a', 'b', 'c', 'd', 'e']) registry.breaker(name)
    expect(registry.names()).toHaveLength(5)
    registry.close()
  })
})

it('what is resolved is sound, frozen, and made of the base where nothing is given', () => {
  const numbers = applyShared(
    DEFAULT_NUMBERS,
    readShared('options', new Map(Object.entries(OTHERS))),
  )
  expect(areSound(numbers)).toBe(true)
  expect(Object.isFrozen(numbers)).toBe(true)
  expect(describeShared(numbers)).toEqual(OTHERS)
  expect(applyShared(numbers, readShared('options', new Map()))).toEqual(numbers)
})
