/** What errors of all makes say about when to come back, and that none of them breaks anything. */
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CircuitOpenError } from '../../src/errors.ts'
import { parseRetryAfter, retryAfterMsOf } from '../../src/retry/retry-after.ts'

const NOW_MS = Date.UTC(1994, 10, 6, 8, 49, 0)

describe('the value', () => {
  it.each<[string, number]>([
    ['0', 0],
    ['1', 1000],
    ['120', 120_000],
    ['007', 7000],
    [' 5\t', 5000],
    ['9'.repeat(400), Number.POSITIVE_INFINITY],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 37_000],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 37_000],
    ['Sun Nov  6 08:49:37 1994', 37_000],
    ['sun, 06 nov 1994 08:49:37 gmt', 37_000],
    ['Wed Nov 16 08:49:00 1994', 864_000_000],
    ['Sun, 06 Nov 1994 08:49:00 GMT', 0],
    ['Sun, 06 Nov 1994 08:48:59 GMT', 0],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['Tuesday, 01-Jan-30 00:00:00 GMT', Date.UTC(2030, 0, 1) - NOW_MS],
  ])('%j: %d ms', (value, ms) => {
    expect(parseRetryAfter(value, NOW_MS)).toBe(ms)
  })

  it.each([
    ...['', ' ', '-1', '+1', '1.5', '1e3', '0x10', '1 2', '5, 7', '5s', 'soon', 'NaN', 'Infinity'],
    ...['1995-01-01', '1995-01-01T00:00:00Z'],
    'Sun, 06 Nov 2094 08:49:37',
    'Sun, 06 Nov 2094 08:49:37 +0100',
    'Sun, 06 Foo 2094 08:49:37 GMT',
    'Sun, 66 Nov 2094 08:49:37 GMT',
    'Sun, 06 Nov 2094 88:49:37 GMT',
    'Sun, 06 Nov 2094 ::::8:37 GMT',
    'Sun, 6 Nov 2094 08:49:37 GMT',
    'Sun, 06 Nov 2094 08:49:37 GMT, 5',
  ])('%j says nothing', value => {
    expect(parseRetryAfter(value, NOW_MS)).toBe(0)
  })

  it('any whole number of seconds, any date in the three forms', () => {
    const lastMs = Date.UTC(2049, 11, 31, 23, 59, 59)
    const anySecond = fc.integer({ min: NOW_MS / 1000, max: lastMs / 1000 })
    fc.assert(
      fc.property(fc.nat(), anySecond, (seconds, atSecond) => {
        expect(parseRetryAfter(String(seconds), NOW_MS)).toBe(seconds * 1000)
        for (const form of formsOf(new Date(atSecond * 1000))) {
          expect(parseRetryAfter(form, NOW_MS)).toBe(atSecond * 1000 - NOW_MS)
        }
      }),
    )
  })

  it('any text: a number of milliseconds, at least 0', () => {
    const likely = fc.stringMatching(/^[A-Z][a-z]{2}, [ \d:A-Za-z+-]{0,24}( GMT)?$/)
    fc.assert(
      fc.property(fc.oneof(fc.string(), likely), text => {
        expect(parseRetryAfter(text, NOW_MS)).toBeGreaterThanOrEqual(0)
      }),
    )
  })
})

function formsOf(date: Date): string[] {
  const fixed = date.toUTCString()
  const [weekday = '', day = '', month = '', year = '', time = ''] = fixed.split(/,? /)
  const longName = date.toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' })
  return [
    fixed,
    `${longName}, ${day}-${month}-${year.slice(2)} ${time} GMT`,
    `${weekday} ${month} ${day.replace(/^0/, ' ')} ${time} ${year}`,
  ]
}

const seconds = { 'retry-after': '2' }

function incoming(): IncomingMessage {
  const message = new IncomingMessage(new Socket())
  message.headers = seconds
  return message
}

describe('where it stands', () => {
  it.each<[string, unknown, number]>([
    ['retryAfterMs', { retryAfterMs: 1500 }, 1500],
    ['retryAfterMs, not whole', { retryAfterMs: 0.5 }, 0.5],
    ['retryAfterMs without end', { retryAfterMs: Number.POSITIVE_INFINITY }, Infinity],
    ['Headers', { headers: new Headers(seconds) }, 2000],
    ['a thrown Response', new Response('', { status: 503, headers: seconds }), 2000],
    ['a Map', { headers: new Map(Object.entries(seconds)) }, 2000],
    ['a plain object', { headers: seconds }, 2000],
    ['in another case', { headers: { Date: 'x', 'Retry-After': '2' } }, 2000],
    ['in yet another', { headers: { 'RETRY-AFTER': '2' } }, 2000],
    [
      'an object without a prototype',
      { headers: Object.assign(Object.create(null), seconds) },
      2000,
    ],
    ['a header named get', { headers: { get: 'x', ...seconds } }, 2000],
    ['a number', { headers: { 'retry-after': 2 } }, 2000],
    ['of a response', { response: { headers: seconds } }, 2000],
    ['of an IncomingMessage', { response: incoming() }, 2000],
    ['of a cause', new Error('x', { cause: { headers: seconds } }), 2000],
    ["of a cause's response", { cause: { response: { headers: seconds } } }, 2000],
    ["a cause's own word", { cause: { retryAfterMs: 3 } }, 3],
    ['a cause of a cause', { cause: { cause: { cause: { cause: { retryAfterMs: 3 } } } } }, 3],
    ['the own word before headers', { retryAfterMs: 1, headers: seconds }, 1],
    [
      'headers before a response',
      { headers: seconds, response: { headers: { 'retry-after': 9 } } },
      2000,
    ],
    ['the error before its cause', { headers: seconds, cause: { retryAfterMs: 9 } }, 2000],
    ['headers where the own word is none', { retryAfterMs: -5, headers: seconds }, 2000],
  ])('%s', (_, error, ms) => {
    expect(retryAfterMsOf(error)).toBe(ms)
  })

  it("a refusal's wait counts where it is a cause", () => {
    const refusal = new CircuitOpenError('b', { state: 'open', retryAfterMs: 700 })
    expect(retryAfterMsOf(new Error('no stock', { cause: refusal }))).toBe(700)
  })

  describe('a date', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOW_MS }))
    afterEach(() => void vi.useRealTimers())

    it('is later than the time of day by the wait', () => {
      const headers = new Headers({ 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' })
      expect(retryAfterMsOf({ headers })).toBe(37_000)
      vi.setSystemTime(NOW_MS + 30_000)
      expect(retryAfterMsOf({ headers })).toBe(7000)
      vi.setSystemTime(NOW_MS + 60_000)
      expect(retryAfterMsOf({ headers })).toBe(0)
    })
  })
})

function throws(): never {
  throw new Error('hostile')
}

const trap = new Proxy({}, { get: throws, has: throws, ownKeys: throws, getPrototypeOf: throws })
const { proxy: revoked, revoke } = Proxy.revocable({}, {})
revoke()
const getters = Object.defineProperties(
  {},
  Object.fromEntries(
    ['retryAfterMs', 'headers', 'response', 'cause'].map(key => [key, { get: throws }]),
  ),
)
const ring: { cause?: unknown } = {}
ring.cause = ring

const enumerable = true

/** By name: a runner that prints some of these would break. */
const STRANGE: Record<string, unknown> = {
  undefined,
  null: null,
  'a number': 5,
  'an empty string': '',
  'a string': 'retry-after',
  'a bigint': 5n,
  'a symbol': Symbol('s'),
  'a function': throws,
  'an empty object': {},
  'an array': ['retry-after', '5'],
  'a date': new Date(Number.NaN),
  'a proxy that throws': trap,
  'a revoked proxy': revoked,
  'getters that throw': getters,
  'its own cause': ring,
  'get throws': { get: throws },
  'get answers later': { get: () => Promise.resolve('5') },
  'get answers with what throws': { get: () => ({ toString: throws }) },
  'several values': { 'retry-after': ['5', '7'] },
  'a value that throws': Object.defineProperty({}, 'retry-after', { get: throws, enumerable }),
}

describe('strange errors say nothing', () => {
  it.each(Object.keys(STRANGE))('%s', name => {
    const strange = STRANGE[name]
    expect(retryAfterMsOf(strange)).toBe(0)
    expect(retryAfterMsOf({ headers: strange })).toBe(0)
    expect(retryAfterMsOf({ response: strange })).toBe(0)
    expect(retryAfterMsOf({ response: { headers: strange } })).toBe(0)
    expect(retryAfterMsOf({ cause: strange })).toBe(0)
    expect(retryAfterMsOf({ headers: { get: () => strange } })).toBe(strange === 5 ? 5000 : 0)
  })

  it.each([Number.NaN, -1, -0, 0, Number.NEGATIVE_INFINITY, '5', 5n, null, {}, () => 5])(
    'retryAfterMs: %s',
    retryAfterMs => {
      expect(retryAfterMsOf({ retryAfterMs })).toBe(0)
    },
  )

  it('and what else they say is heard', () => {
    const error = Object.defineProperty({ response: { headers: seconds } }, 'headers', {
      get: throws,
    })
    expect(retryAfterMsOf(error)).toBe(2000)
  })

  it('a chain of causes is followed so far and no further', () => {
    let error: unknown = { retryAfterMs: 3 }
    for (let i = 0; i < 5; i++) error = { cause: error }
    expect(retryAfterMsOf(error)).toBe(0)
  })

  it('any value whatever', () => {
    const keys = fc.constantFrom(
      'retryAfterMs',
      'headers',
      'response',
      'cause',
      'retry-after',
      'get',
    )
    fc.assert(
      fc.property(fc.anything({ key: keys, withNullPrototype: true, withMap: true }), error => {
        expect(retryAfterMsOf(error)).toBeGreaterThanOrEqual(0)
      }),
    )
  })
})
