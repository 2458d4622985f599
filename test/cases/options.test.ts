/**
 * CV-01: zero is a value, not "use the default". A zero is honoured or refused, never replaced;
 * nor are NaN, negative numbers, Infinity, a string or null.
 */
import { describe, expect, it } from 'vitest'
import { createRegistry } from '../../src/index.ts'
import { optionsOf, readCases } from './cases.ts'

const registry = createRegistry({ clock: 'manual' })
const [cv01] = readCases().filter(({ id }) => id === 'CV-01')
const steps = cv01?.steps ?? []
const REFUSED = expect.objectContaining({ code: 'ERR_INVALID_OPTION' })

it('CV-01: every step of the case has a test here', () => {
  expect(steps.map(step => step.do)).toEqual(['construct', 'construct', 'construct'])
  expect(steps.map(step => step.expectError ?? false)).toEqual([true, false, false])
})

it('CV-01: a window of size 0 is refused', () => {
  expect(() => registry.breaker('size', optionsOf(steps[0]?.config ?? {}))).toThrow(REFUSED)
})

it('CV-01: a threshold of 0 is refused', () => {
  expect(() => registry.breaker('rate', optionsOf(steps[1]?.config ?? {}))).toThrow(REFUSED)
})

it('CV-01: a wait of 0 is honoured: the call after the trip is a trial at once', () => {
  const breaker = registry.breaker('wait', optionsOf(steps[2]?.config ?? {}))
  for (let left = 2; left > 0; left -= 1) breaker.recordFailure(breaker.tryAcquire())
  expect(breaker.state).toBe('open')
  expect(breaker.retryAfterMs()).toBe(0)
  expect(breaker.tryAcquire()).not.toBe(-1)
  expect(breaker.state).toBe('half-open')
})

describe('CV-01: what is no number is refused, and nothing is half made', () => {
  const numbers = [
    'failureRateThreshold',
    'minimumNumberOfCalls',
    'slowCallDurationThresholdMs',
    'slowCallRateThreshold',
    'waitDurationInOpenStateMs',
    'permittedNumberOfCallsInHalfOpenState',
    'halfOpenFailureRateThreshold',
    'trialTimeoutMs',
    'timeoutMs',
  ]
  const values = [Number.NaN, -1, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, '10', null]
  it.each(numbers)('%s', option => {
    for (const value of values) {
      expect(() => registry.breaker(option, { [option]: value })).toThrow(REFUSED)
    }
    expect(registry.get(option)).toBeUndefined()
  })
  it.each([
    ['time', 'durationMs'],
    ['time', 'buckets'],
    ['count', 'size'],
    ['consecutive', 'failures'],
  ])('slidingWindow: %s, %s', (type, field) => {
    for (const value of [0, ...values]) {
      const slidingWindow = { type, [field]: value }
      expect(() => registry.breaker(type, { slidingWindow } as never)).toThrow(REFUSED)
    }
    expect(registry.get(type)).toBeUndefined()
  })
})
