import { describe, expect, it } from 'vitest'
import {
  attachRegistry,
  createRegistry,
  InvalidOptionError,
  type Registry,
} from '../../src/index.ts'

function registryOf(): Registry {
  return createRegistry({ keeper: false, clock: 'manual', maxThreads: 2 })
}

const RATES = {
  slidingWindow: { type: 'count', size: 20 },
  minimumNumberOfCalls: 10,
  failureRateThreshold: 0.8,
  waitDurationInOpenStateMs: 1000,
} as const

describe('configure', () => {
  it('changes thresholds for the next outcome, and keeps the window', () => {
    using registry = registryOf()
    const breaker = registry.breaker('b', RATES)
    for (let call = 0; call < 10; call++) breaker.recordSuccess(breaker.tryAcquire())
    for (let call = 0; call < 9; call++) breaker.recordFailure(breaker.tryAcquire())
    expect(breaker.state).toBe('closed')
    breaker.configure({ failureRateThreshold: 0.5 })
    expect([breaker.state, breaker.snapshot().window.calls]).toEqual(['closed', 19])
    expect(breaker.snapshot().generation).toBe(0)
    breaker.recordFailure(breaker.tryAcquire())
    expect(breaker.state).toBe('open')
  })

  it('is known to another thread by its next call', () => {
    using registry = registryOf()
    using other = attachRegistry(registry.handle)
    const breaker = registry.breaker('b', { ...RATES, minimumNumberOfCalls: 3 })
    const seenThere = other.breaker('b')
    for (let call = 0; call < 3; call++) seenThere.recordSuccess(seenThere.tryAcquire())
    breaker.configure({ slowCallDurationThresholdMs: 10, slowCallRateThreshold: 0.25 })
    seenThere.recordSuccess(seenThere.tryAcquire(), 11)
    expect(breaker.state).toBe('open')
  })

  it('judges a success that makes up a raised minimum', () => {
    using registry = registryOf()
    const breaker = registry.breaker('b', RATES)
    for (let call = 0; call < 9; call++) breaker.recordFailure(breaker.tryAcquire())
    breaker.configure({ minimumNumberOfCalls: 11 })
    breaker.recordFailure(breaker.tryAcquire())
    expect(breaker.state).toBe('closed')
    breaker.recordSuccess(breaker.tryAcquire())
    expect(breaker.state).toBe('open')
  })

  it('leaves a wait that has begun, and sets the next', () => {
    using registry = registryOf()
    const breaker = registry.breaker('b', { ...RATES, permittedNumberOfCallsInHalfOpenState: 1 })
    breaker.open()
    breaker.configure({ waitDurationInOpenStateMs: 10 })
    expect(breaker.retryAfterMs()).toBe(1000)
    registry.advance(999)
    expect(breaker.tryAcquire()).toBe(-1)
    registry.advance(1)
    breaker.recordFailure(breaker.tryAcquire())
    expect(breaker.retryAfterMs()).toBe(10)
    expect(registry.snapshot().damaged).toBe(0)
  })

  it('gives a half-open breaker other trials', () => {
    using registry = registryOf()
    const breaker = registry.breaker('b', { ...RATES, permittedNumberOfCallsInHalfOpenState: 2 })
    breaker.open()
    registry.advance(1000)
    const permits = [breaker.tryAcquire(), breaker.tryAcquire()]
    expect(breaker.tryAcquire()).toBe(-1)
    breaker.configure({ permittedNumberOfCallsInHalfOpenState: 4, trialTimeoutMs: 1 })
    permits.push(breaker.tryAcquire(), breaker.tryAcquire())
    expect(permits.every(permit => permit > 0)).toBe(true)
    for (const permit of permits) breaker.recordSuccess(permit)
    expect([breaker.state, registry.snapshot().damaged]).toEqual(['closed', 0])
  })

  it('takes no time of a call that began when nobody asked for it', async () => {
    using registry = registryOf()
    const breaker = registry.breaker('b', RATES)
    registry.advance(5000)
    await breaker.execute(() => breaker.configure({ slowCallDurationThresholdMs: 10 }))
    await breaker.execute(() => registry.advance(11))
    await breaker.execute(() => breaker.configure({ slowCallDurationThresholdMs: null }))
    const { window, durations } = breaker.snapshot()
    expect([window.calls, window.slowCalls, durations.count]).toEqual([3, 1, 1])
  })

  it('keeps what it was made with for those who make it again', () => {
    using registry = registryOf()
    const breaker = registry.breaker('b', RATES)
    breaker.configure({ failureRateThreshold: 0.1 })
    expect(registry.breaker('b', RATES)).toBe(breaker)
    using other = attachRegistry(registry.handle)
    expect(other.breaker('b', RATES).options.failureRateThreshold).toBe(0.1)
  })

  it('turns off what need not be set', () => {
    using registry = registryOf()
    const options = { slowCallDurationThresholdMs: 5, halfOpenFailureRateThreshold: 0.5 }
    const breaker = registry.breaker('b', options)
    breaker.configure({ slowCallDurationThresholdMs: null, halfOpenFailureRateThreshold: null })
    expect(Object.keys(breaker.options)).not.toContain('slowCallDurationThresholdMs')
    expect(Object.keys(breaker.options)).not.toContain('halfOpenFailureRateThreshold')
  })

  it('refuses what is no use, and changes nothing then', () => {
    using registry = registryOf()
    const breaker = registry.breaker('b', RATES)
    const bad = (options: object) => () => breaker.configure(options)
    expect(bad({ slidingWindow: { type: 'count', size: 21 } })).toThrow(/cannot change while/)
    expect(bad({ countHangingCalls: true })).toThrow(/cannot change while/)
    expect(bad({ timeoutMs: 5 })).toThrow(/options\.timeoutMs/)
    expect(bad({ failureRateThreshold: 2 })).toThrow(InvalidOptionError)
    expect(bad({ failureRateThreshold: 0.1, trialTimeoutMs: 0 })).toThrow(/trialTimeoutMs/)
    expect(bad({ failureRateThreshold: null })).toThrow(/failureRateThreshold/)
    expect(breaker.options.failureRateThreshold).toBe(0.8)
    breaker.configure({ slidingWindow: { type: 'count', size: 20 } } as object)
  })

  it('takes a thousand sets of options one after the other', () => {
    using registry = registryOf()
    const breaker = registry.breaker('b', RATES)
    for (let round = 1; round <= 1000; round++) {
      breaker.configure({ minimumNumberOfCalls: 1 + (round % 20) })
    }
    expect(breaker.options.minimumNumberOfCalls).toBe(1)
    breaker.recordFailure(breaker.tryAcquire())
    expect(breaker.state).toBe('open')
  })
})

describe('option sets', () => {
  const optionSets = { calm: { failureRateThreshold: 0.9 }, storm: { failureRateThreshold: 0.1 } }

  it('are known by name in every thread', () => {
    using registry = createRegistry({ keeper: false, optionSets })
    using other = attachRegistry(structuredClone(registry.handle))
    const breaker = other.breaker('b', { optionSet: 'calm', minimumNumberOfCalls: 7 })
    expect(breaker.options).toMatchObject({ failureRateThreshold: 0.9, minimumNumberOfCalls: 7 })
    breaker.configure({ optionSet: 'storm' })
    expect(breaker.options).toMatchObject({ failureRateThreshold: 0.1, minimumNumberOfCalls: 7 })
    expect(registry.keyed('k', { max: 2, optionSet: 'storm' }).breaker('a').options).toMatchObject({
      failureRateThreshold: 0.1,
    })
  })

  it('are refused where they are wrong or unknown', () => {
    const bad = (sets: unknown) => () =>
      createRegistry({ keeper: false, optionSets: sets as typeof optionSets })
    expect(bad({ a: { failureRateThreshold: 7 } })).toThrow(/optionSets\.a\.failureRateThreshold/)
    expect(bad({ a: { timeoutMs: 7 } })).toThrow(/optionSets\.a\.timeoutMs/)
    expect(bad([])).toThrow(/optionSets/)
    using registry = createRegistry({ keeper: false, optionSets })
    expect(() => registry.breaker('b', { optionSet: 'x' })).toThrow(/'calm', 'storm'; got "x"/)
    expect(() => registry.breaker('b').configure({ optionSet: 'x' })).toThrow(InvalidOptionError)
    const handle = { ...registry.handle, optionSets: { calm: [['x', 1]] } }
    expect(() => attachRegistry(handle as never)).toThrow(/option sets/)
  })
})
