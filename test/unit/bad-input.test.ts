/** Every option of a breaker, given what it cannot be: refused by name, and nothing is half-made. */
import { describe, expect, it } from 'vitest'
import { type BreakerOptions, createRegistry, InvalidOptionError } from '../../src/index.ts'
import { expectRefused, NOT_NUMBERS, NOT_OBJECTS } from './bad-input-support.ts'
import { thrownBy } from './execute-support.ts'

const TEN_YEARS_MS = 315_360_000_000
const ABOVE_1 = 1 + Number.EPSILON

interface Row {
  /** Its path below `options`. */
  readonly path: string
  readonly options: (value: unknown) => object
  readonly bad: readonly number[]
  readonly good: readonly number[]
  readonly limit: RegExp
}

function plain(path: string, bad: number[], good: number[], limit: RegExp): Row {
  return { path, options: value => ({ [path]: value }), bad, good, limit }
}

function within(
  outer: string,
  base: object,
  name: string,
  [bad, good, limit]: [number[], number[], RegExp],
): Row {
  const options = (value: unknown): object => ({ [outer]: { ...base, [name]: value } })
  return { path: `${outer}.${name}`, options, bad, good, limit }
}

const RATE: [number[], number[], RegExp] = [
  [0, -0, -0.5, ABOVE_1, 50, 100],
  [Number.MIN_VALUE, 0.5, 1],
  /greater than 0 and at most 1/,
]
const DURATION: [number[], number[], RegExp] = [
  [-1, -Number.MIN_VALUE, TEN_YEARS_MS + 1, Number.MAX_VALUE],
  [0, 0.5, TEN_YEARS_MS],
  /from 0 to 315360000000/,
]
const TIME = { type: 'time' }
const WAIT = { initialMs: 100, maxMs: 1000 }

const ROWS: Row[] = [
  plain('failureRateThreshold', ...RATE),
  plain('slowCallRateThreshold', ...RATE),
  plain('halfOpenFailureRateThreshold', ...RATE),
  plain('minimumNumberOfCalls', [0, -1, 0.5, 1.5, 1e6 + 1], [1, 1e6], /from 1 to 1000000/),
  plain('slowCallDurationThresholdMs', ...DURATION),
  plain('waitDurationInOpenStateMs', ...DURATION),
  plain('permittedNumberOfCallsInHalfOpenState', [0, -1, 1.5, 65], [1, 64], /from 1 to 64/),
  plain('trialTimeoutMs', [0, -1, TEN_YEARS_MS + 1], [0.001, TEN_YEARS_MS], /greater than 0/),
  plain('timeoutMs', [0, -0, -1, 2 ** 31], [0.5, 2 ** 31 - 1], /greater than 0.*2147483647/),
  within('slidingWindow', TIME, 'durationMs', [
    [0, -1],
    [10, 10.5, TEN_YEARS_MS],
    /greater than 0/,
  ]),
  within('slidingWindow', TIME, 'durationMs', [[9, 9.99], [10], /at least 1 ms a bucket \(10\)/]),
  within('slidingWindow', TIME, 'buckets', [[0, -1, 1.5, 1025], [1, 1024], /from 1 to 1024/]),
  within('slidingWindow', { type: 'count' }, 'size', [
    [0, -1, 1.5, 16_385],
    [1, 16_384],
    /from 1 to 16384/,
  ]),
  within('slidingWindow', { type: 'consecutive' }, 'failures', [
    [0, -1, 1.5, 4096],
    [1, 4095],
    /from 1 to 4095/,
  ]),
  within('waitDurationInOpenStateMs', {}, 'initialMs', DURATION),
  within('waitDurationInOpenStateMs', WAIT, 'multiplier', [
    [0, -2, 0.99, 1000.5],
    [1, 1.5, 1000],
    /from 1 to 1000/,
  ]),
  within('waitDurationInOpenStateMs', WAIT, 'jitter', [[-0.1, ABOVE_1], [0, 0.5, 1], /0 to 1/]),
  within('waitDurationInOpenStateMs', WAIT, 'maxMs', [[-1], [100, TEN_YEARS_MS], /from 0 to/]),
  within('waitDurationInOpenStateMs', WAIT, 'maxMs', [
    [0, 99],
    [100],
    /at least initialMs \(100\)/,
  ]),
]

const registry = createRegistry({ clock: 'manual', maxBreakers: 2048, maxThreads: 1 })
const asked = (options: unknown) => () => registry.breaker('new', options as BreakerOptions)

/** As `expectRefused`, and no trace of the breaker is left. */
function expectNothingMade(option: string, value: unknown, limit: RegExp, options: unknown): void {
  const before = registry.names()
  expectRefused(asked(options), { option, value, limit })
  expect(registry.names()).toEqual(before)
  expect(registry.get('new')).toBeUndefined()
}

describe.each(ROWS)('$path ($limit)', ({ path, options, bad, good, limit }) => {
  it.each(bad)('%d', value => {
    expectNothingMade(`options.${path}`, value, limit, options(value))
  })

  it.each(NOT_NUMBERS)('%s', (_, value) => {
    if (path === 'waitDurationInOpenStateMs' && typeof value === 'object') return
    const error = thrownBy(asked(options(value)))
    expect(error).toBeInstanceOf(InvalidOptionError)
    expect(error).toMatchObject({ option: `options.${path}`, value })
    expect(registry.get('new')).toBeUndefined()
  })

  it.each(good)('%d is one', value => {
    const name = `${path} ${value} ${limit}`
    registry.breaker(name, options(value))
    const again = registry.breaker(name, options(value))
    expect(again.snapshot()).toMatchObject({ name, state: 'closed', generation: 0 })
  })

  it('undefined counts as left out', () => {
    if (path.endsWith('initialMs')) return
    const name = `${path} ${limit}`
    expect(registry.breaker(name, options(undefined)).state).toBe('closed')
  })

  it("in a registry's defaults", () => {
    const [value] = bad
    const make = () => createRegistry({ defaults: options(value) })
    expectRefused(make, { option: `options.defaults.${path}`, value, limit })
  })
})

describe('options that are objects', () => {
  it.each(NOT_OBJECTS)('options: %s', (_, value) => {
    expectNothingMade('options', value, /an object/, value)
  })

  it.each(NOT_OBJECTS)('slidingWindow: %s', (_, value) => {
    const options = { slidingWindow: value }
    expectNothingMade('options.slidingWindow', value, /an object/, options)
  })

  it.each([null, [], [5], () => 5, Symbol('5')])('waitDurationInOpenStateMs: %s', value => {
    const options = { waitDurationInOpenStateMs: value }
    const error = thrownBy(asked(options))
    expect(error).toMatchObject({ option: 'options.waitDurationInOpenStateMs', value })
  })

  it.each([new Map(), new Date(5), new Number(5)])('a wait that is another object', value => {
    const error = thrownBy(asked({ waitDurationInOpenStateMs: value }))
    expect(error).toMatchObject({ option: 'options.waitDurationInOpenStateMs.initialMs' })
  })

  it.each([undefined, null, 'Time', 'times', '', 0, {}])('slidingWindow.type: %s', type => {
    const options = { slidingWindow: { type } }
    expectNothingMade('options.slidingWindow.type', type, /'time', 'count' or/, options)
  })

  it('a wait without initialMs', () => {
    const option = 'options.waitDurationInOpenStateMs.initialMs'
    const options = { waitDurationInOpenStateMs: { multiplier: 2 } }
    expectNothingMade(option, undefined, /milliseconds/, options)
  })
})

describe.each(['isFailure', 'classifyError'])('%s', name => {
  it.each([null, 'failure', 1, true, {}, [], Symbol('f')])('%s', value => {
    expectNothingMade(`options.${name}`, value, /a function/, { [name]: value })
  })
})

describe('unknown options are refused, not ignored', () => {
  const KEY = Symbol('key')
  const UNKNOWN: [string, object, unknown][] = [
    ['options.failureRateThreshhold', { failureRateThreshhold: 0.5 }, 0.5],
    ['options.name', { name: 'b' }, 'b'],
    ['options.fallback', { fallback: 1 }, 1],
    ['options.Symbol(key)', { [KEY]: 1 }, 1],
    ['options.0', { 0: 1 }, 1],
    ['options.undefined', { undefined: undefined }, undefined],
    ['options.constructor', { constructor: Object }, Object],
    ['options.__proto__', JSON.parse('{"__proto__":1}') as object, 1],
    ['options.hidden', Object.defineProperty({}, 'hidden', { value: 1 }), 1],
    ['options.slidingWindow.length', { slidingWindow: { type: 'count', length: 1 } }, 1],
    ['options.slidingWindow.size', { slidingWindow: { type: 'time', size: 5 } }, 5],
    ['options.slidingWindow.buckets', { slidingWindow: { type: 'count', buckets: 5 } }, 5],
    ['options.slidingWindow.size', { slidingWindow: { type: 'consecutive', size: 5 } }, 5],
    ['options.slidingWindow.failures', { slidingWindow: { type: 'count', failures: 5 } }, 5],
    [
      'options.waitDurationInOpenStateMs.factor',
      { waitDurationInOpenStateMs: { initialMs: 1, factor: 2 } },
      2,
    ],
  ]
  it.each(UNKNOWN)('%s', (option, options, value) => {
    expectNothingMade(option, value, /there is no such option \(there are: /, options)
  })

  it('also for a breaker that exists', () => {
    registry.breaker('exists')
    const again = () => registry.breaker('exists', { size: 1 } as BreakerOptions)
    expectRefused(again, { option: 'options.size', value: 1, limit: /no such option/ })
    const zero = () => registry.breaker('exists', { failureRateThreshold: 0 })
    expectRefused(zero, { option: 'options.failureRateThreshold', value: 0, limit: /at most 1/ })
  })

  it('inherited ones are no options', () => {
    const options = Object.create({ failureRateThreshold: 7, whatever: 1 }) as BreakerOptions
    expect(registry.breaker('inherits', options).state).toBe('closed')
  })
})

describe('options that answer back', () => {
  it('a getter that throws: its error, and nothing is made', () => {
    const boom = new Error('boom')
    const options = {
      get failureRateThreshold(): number {
        throw boom
      },
    }
    expect(thrownBy(asked(options))).toBe(boom)
    expect(registry.get('new')).toBeUndefined()
  })

  it('each is read once', () => {
    const reads: string[] = []
    const counted = <T extends object>(target: T): T =>
      new Proxy(target, {
        get: (object, key) => {
          reads.push(String(key))
          return Reflect.get(object, key)
        },
      })
    registry.breaker(
      'counted',
      counted({
        failureRateThreshold: 0.5,
        timeoutMs: 5,
        slidingWindow: counted({ type: 'time', durationMs: 1000, buckets: 5 } as const),
        waitDurationInOpenStateMs: counted({ initialMs: 5, maxMs: 10 }),
      }),
    )
    expect(reads.toSorted()).toEqual([...new Set(reads)].toSorted())
  })
})
