/** Names, commands, the clock, and the options of one call: what they refuse, and how. */
import { describe, expect, it, vi } from 'vitest'
import {
  attachRegistry,
  createRegistry,
  InvalidOptionError,
  type RegistryOptions,
} from '../../src/index.ts'
import { expectRefused, type Named, NOT_NUMBERS, NOT_OBJECTS } from './bad-input-support.ts'
import { expectSettled, make, rejectionOf, thrownBy } from './execute-support.ts'

const TEN_YEARS_MS = 315_360_000_000

describe('names', () => {
  const registry = createRegistry({ clock: 'manual', maxBreakers: 64, maxThreads: 2 })
  const BAD: [string, unknown, RegExp][] = [
    ['empty', '', /at least one character/],
    ['undefined', undefined, /a string/],
    ['null', null, /a string/],
    ['a number', 5, /a string/],
    ['a symbol', Symbol('name'), /a string/],
    ['an object', { toString: () => 'name' }, /a string/],
    ['a string object', new String('name'), /a string/],
    ['an array', ['name'], /a string/],
    ['256 letters', 'x'.repeat(256), /at most 255 bytes of UTF-8, not 256/],
    ['128 letters of two bytes', 'é'.repeat(128), /at most 255 bytes of UTF-8, not 256/],
    ['64 letters of four bytes', '🔌'.repeat(64), /at most 255 bytes of UTF-8, not 256/],
    ['a lone high surrogate', 'name \ud83d', /well-formed/],
    ['a lone low surrogate', '\udd0c name', /well-formed/],
  ]
  it.each(BAD)('%s', (_, value, limit) => {
    const before = registry.names()
    const make = () => registry.breaker(value as string)
    expectRefused(make, { option: 'name', value, limit })
    expect(registry.names()).toEqual(before)
    expect(registry.get(value as string)).toBeUndefined()
  })

  const GOOD = [
    'x',
    ' ',
    '0',
    'x'.repeat(255),
    `${'é'.repeat(127)}x`,
    `${'🔌'.repeat(63)}xyz`,
    '__proto__',
    'constructor',
    'hasOwnProperty',
    'nul \0 within',
    '\ufeffbegins with a byte order mark',
    'line\nbreak',
    'e\u0301 is not \u00e9',
    'é is not e\u0301',
  ]
  it('any other string names one breaker, the same for every registry', () => {
    for (const name of GOOD) expect(registry.breaker(name).name).toBe(name)
    const other = attachRegistry(registry.handle)
    expect(other.names()).toEqual(GOOD)
    for (const name of GOOD) {
      registry.breaker(name).forceOpen()
      expect(other.get(name)?.state).toBe('forced-open')
      other.breaker(name).reset()
    }
    other.close()
  })

  it('nothing that an object has is a breaker', () => {
    const fresh = createRegistry({ clock: 'manual', maxBreakers: 1, maxThreads: 1 })
    expect(fresh.names()).toEqual([])
    for (const name of ['__proto__', 'constructor', 'toString']) {
      expect(fresh.get(name)).toBeUndefined()
    }
  })
})

describe('options of a registry', () => {
  const making = (options: unknown) => () => createRegistry(options as RegistryOptions)
  const WHOLE: [string, number[], RegExp][] = [
    ['maxBreakers', [0, -1, 1.5, 65_537], /from 1 to 65536/],
    ['maxThreads', [0, -1, 1.5, 1024], /from 1 to 1023/],
  ]
  describe.each(WHOLE)('%s', (name, bad, limit) => {
    it.each(bad)('%d', value => {
      expectRefused(making({ [name]: value }), { option: `options.${name}`, value, limit })
    })
    it.each(NOT_NUMBERS)('%s', (_, value) => {
      expectRefused(making({ [name]: value }), { option: `options.${name}`, value, limit })
    })
  })

  it('more than one buffer can hold', () => {
    const options = { maxBreakers: 65_536, maxThreads: 1023 }
    const limit = /small enough for one shared buffer \(\d+ bytes/
    expectRefused(making(options), { option: 'options.maxBreakers', value: 65_536, limit })
  })

  it.each(['Manual', 'fast', '', 0, null, true, {}])('clock: %s', value => {
    const limit = /'monotonic' or 'manual'/
    expectRefused(making({ clock: value }), { option: 'options.clock', value, limit })
  })

  it.each([0, 1, '', 'on', null, 5n, Symbol('s')])('keeper: %s', value => {
    const limit = /an object/
    expectRefused(making({ keeper: value }), { option: 'options.keeper', value, limit })
  })

  it.each([0, -1, 0.5, 1001, Number.NaN, '5', null])('keeper.tickMs: %s', tickMs => {
    const refusal = { option: 'options.keeper.tickMs', value: tickMs, limit: /from 1 to 1000/ }
    expectRefused(making({ keeper: { tickMs } }), refusal)
  })

  it('unknown options of a keeper', () => {
    const refusal = { option: 'options.keeper.intervalMs', value: 5, limit: /no such option/ }
    expectRefused(making({ keeper: { intervalMs: 5 } }), refusal)
  })

  it.each([true, {}, { tickMs: 5 }])('a keeper of a manual clock: %o', keeper => {
    const limit = /false where the clock is 'manual'/
    expectRefused(making({ clock: 'manual', keeper }), {
      option: 'options.keeper',
      value: keeper,
      limit,
    })
  })

  it('a manual clock may say that it has no keeper', () => {
    const registry = createRegistry({ clock: 'manual', keeper: false, maxBreakers: 1 })
    expect(registry.snapshot().keeper).toBe('none')
    registry.close()
  })

  it.each(NOT_OBJECTS)('options: %s', (_, value) => {
    expectRefused(making(value), { option: 'options', value, limit: /an object/ })
  })

  it.each(NOT_OBJECTS)('defaults: %s', (_, value) => {
    const limit = /an object/
    expectRefused(making({ defaults: value }), { option: 'options.defaults', value, limit })
  })

  it.each([['maxBreaker'], ['breakers'], ['failureRateThreshold']])('unknown: %s', name => {
    const limit =
      /no such option \(there are: maxBreakers, maxControls, maxThreads, keeper, kernel, clock, defaults/
    expectRefused(making({ [name]: 1 }), { option: `options.${name}`, value: 1, limit })
  })

  it('unknown defaults', () => {
    const refusal = { option: 'options.defaults.size', value: 1, limit: /no such option/ }
    expectRefused(making({ defaults: { size: 1 } }), refusal)
  })

  it('the smallest works', () => {
    const registry = createRegistry({ maxBreakers: 1, maxThreads: 1 })
    expect(registry.breaker('only').executeSync(() => 'value')).toBe('value')
    registry.close()
  })
})

describe('advance', () => {
  it('of a monotonic clock', () => {
    const registry = createRegistry({ maxBreakers: 1 })
    const limit = /'manual' for advance\(\)/
    expectRefused(() => registry.advance(1), { option: 'clock', value: 'monotonic', limit })
    registry.close()
  })

  const bad: Named[] = [
    ...NOT_NUMBERS,
    ['-1', -1],
    ['too much', TEN_YEARS_MS + 1],
    ['undefined', undefined],
  ]
  it.each(bad)('by %s', (_, value) => {
    const { registry } = make()
    registry.advance(5)
    const limit = /from 0 to 315360000000/
    const advance = () => registry.advance(value as number)
    expectRefused(advance, { option: 'advance(ms)', value, limit })
    expect(registry.now()).toBe(5)
  })

  it('by what it can', () => {
    const { registry } = make()
    for (const ms of [0, -0, 0.001, 1.5, TEN_YEARS_MS]) registry.advance(ms)
    expect(registry.now()).toBe(TEN_YEARS_MS + 1.501)
  })
})

describe('commands', () => {
  const expectUnmoved = (options: unknown, option: string, limit: RegExp): void => {
    const { breaker } = make()
    const before = breaker.snapshot()
    for (const name of ['open', 'forceOpen'] as const) {
      const error = thrownBy(() => breaker[name](options as { reason: string }))
      expect(error).toBeInstanceOf(InvalidOptionError)
      expect(error).toMatchObject({ option: `${name}${option}` })
      expect(error).toHaveProperty('message', expect.stringMatching(limit))
    }
    expect(breaker.snapshot()).toEqual(before)
  }

  const REASONS: [string, unknown, RegExp][] = [
    ['129 letters', 'x'.repeat(129), /at most 128 bytes of UTF-8, not 129/],
    ['65 letters of two bytes', 'é'.repeat(65), /at most 128 bytes of UTF-8, not 130/],
    ['a lone surrogate', '\ud83d', /well-formed/],
    ['null', null, /string/],
    ['a number', 5, /string/],
    ['an error', new Error('reason'), /string/],
    ['a symbol', Symbol('reason'), /string/],
  ]
  it.each(REASONS)('reason: %s', (_, reason, limit) => expectUnmoved({ reason }, '.reason', limit))

  it.each(NOT_OBJECTS)('options: %s', (_, options) => expectUnmoved(options, '', /an object/))

  it('unknown options', () => expectUnmoved({ because: 1 }, '.because', /there is no such option/))

  const TTLS: Named[] = [...NOT_NUMBERS, ['0', 0], ['-1', -1], ['too much', TEN_YEARS_MS + 1]]
  it.each(TTLS)('ttlMs: %s', (_, value) => {
    const { breaker } = make()
    const force = () => breaker.forceOpen({ ttlMs: value as number, reason: 'drill' })
    expectRefused(force, { option: 'forceOpen.ttlMs', value, limit: /greater than 0/ })
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', transitions: 0 })
  })

  it('open has no ttlMs', () => {
    const { breaker } = make()
    const open = () => breaker.open({ ttlMs: 5 } as object)
    expectRefused(open, { option: 'open.ttlMs', value: 5, limit: /there are: reason/ })
    expect(breaker.state).toBe('closed')
  })

  it.each(['', 'x', 'x'.repeat(128), 'é'.repeat(64), '🔌'.repeat(32), 'nul \0', '\ufeff'])(
    'reason: %j is one',
    async reason => {
      const { breaker } = make()
      breaker.forceOpen({ reason, ttlMs: undefined })
      const refusal = await rejectionOf(breaker.execute(() => 'value'))
      expect(refusal).toMatchObject({ code: 'ERR_CIRCUIT_OPEN', reason })
    },
  )
})

describe('options of a call', () => {
  const expectNoCall = async (options: unknown, option: string, limit: RegExp): Promise<void> => {
    const { breaker } = make()
    const fn = vi.fn(() => 'value')
    const error = await rejectionOf(breaker.execute(fn, options as object))
    expect(error).toBeInstanceOf(InvalidOptionError)
    expect(error).toMatchObject({ option })
    expect(error).toHaveProperty('message', expect.stringMatching(limit))
    expect(fn).not.toHaveBeenCalled()
    expectSettled(breaker, {})
  }

  it.each(NOT_OBJECTS)('options: %s', (_, value) => expectNoCall(value, 'options', /an object/))

  const TIMEOUTS: Named[] = [...NOT_NUMBERS, ['0', 0], ['-1', -1], ['2^31', 2 ** 31]]
  it.each(TIMEOUTS)('timeoutMs: %s', (_, timeoutMs) =>
    expectNoCall({ timeoutMs }, 'options.timeoutMs', /greater than 0 and at most 2147483647/),
  )

  const SIGNALS = [null, 'abort', {}, { aborted: true }, new AbortController(), new EventTarget()]
  it.each(SIGNALS)('signal: %s', signal =>
    expectNoCall({ signal }, 'options.signal', /an AbortSignal/),
  )

  it.each([null, 'stand-in', {}, true])('fallback: %s', fallback =>
    expectNoCall({ fallback }, 'options.fallback', /a function/),
  )

  it.each([['timeout'], ['Signal'], ['isFailure']])('unknown: %s', name =>
    expectNoCall({ [name]: 1 }, `options.${name}`, /no such option \(there are: signal,/),
  )

  it('symbols and what is not enumerable are no options', async () => {
    const { breaker } = make()
    const options = Object.defineProperty({ [Symbol('key')]: 1 }, 'hidden', { value: 1 })
    expect(await breaker.execute(() => 'value', options)).toBe('value')
  })

  it('inherited ones are no options', async () => {
    const { breaker } = make()
    const options = Object.create({ timeoutMs: -1, whatever: 1 }) as object
    expect(await breaker.execute(() => 'value', options)).toBe('value')
  })
})
