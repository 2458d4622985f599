/** Options that cannot be are refused before anything is called. */
import { describe, expect, it } from 'vitest'
import { InvalidOptionError } from '../../src/errors.ts'
import { DEFAULT_PLAN, type RetryOptions, readRetryOptions } from '../../src/retry/options.ts'
import { retry } from '../../src/retry/retry.ts'
import { failing, fakeBudget, rejectionOf } from './support.ts'

const { budget } = fakeBudget(0)
const { signal } = new AbortController()

describe('good ones', () => {
  it.each<[RetryOptions, object]>([
    [{}, DEFAULT_PLAN],
    [{ attempts: undefined, backoff: undefined, budget: undefined }, DEFAULT_PLAN],
    [{ signal: undefined, retryOn: undefined, maxRetryAfterMs: undefined }, DEFAULT_PLAN],
    [{ backoff: {} }, DEFAULT_PLAN],
    [{ backoff: { initialMs: undefined, maxMs: undefined, jitter: undefined } }, DEFAULT_PLAN],
    [
      { attempts: 100, maxRetryAfterMs: 0 },
      { attempts: 100, maxRetryAfterMs: 0 },
    ],
    [{ maxRetryAfterMs: 2 ** 31 - 1 }, { maxRetryAfterMs: 2 ** 31 - 1 }],
    [
      { signal, budget },
      { signal, budget },
    ],
    [
      { backoff: { initialMs: 20_000 } },
      { backoff: { initialMs: 20_000, multiplier: 2, maxMs: 20_000, jitter: 'full' } },
    ],
    [
      { backoff: { initialMs: 5, multiplier: 1, maxMs: 5, jitter: 'none' } },
      { backoff: { initialMs: 5, multiplier: 1, maxMs: 5, jitter: 'none' } },
    ],
  ])('%#', (options, plan) => {
    expect(readRetryOptions(options)).toMatchObject(plan)
  })

  it('stand here as documented', () => {
    expect(DEFAULT_PLAN).toEqual({
      attempts: 3,
      backoff: { initialMs: 100, multiplier: 2, maxMs: 10_000, jitter: 'full' },
      budget: undefined,
      signal: undefined,
      retryOn: undefined,
      maxRetryAfterMs: 60_000,
    })
  })

  it('what is inherited is not an option', () => {
    expect(readRetryOptions(Object.create({ attempts: 7 }))).toEqual(DEFAULT_PLAN)
  })
})

const NUMBERS = [Number.NaN, -1, Number.POSITIVE_INFINITY, '3', null, 3n, {}, true]
const TOO_LONG = 2 ** 31

const BAD: [string, unknown][] = [
  ...[null, 5, 'text', [], () => {}].map((bad): [string, unknown] => ['options', bad]),
  ...[...NUMBERS, 0, 1.5, 101].map((bad): [string, unknown] => [
    'options.attempts',
    { attempts: bad },
  ]),
  ...[...NUMBERS, TOO_LONG].map((bad): [string, unknown] => [
    'options.maxRetryAfterMs',
    { maxRetryAfterMs: bad },
  ]),
  ...[null, 5, 'full', []].map((bad): [string, unknown] => ['options.backoff', { backoff: bad }]),
  ...[...NUMBERS, TOO_LONG].map((bad): [string, unknown] => [
    'options.backoff.initialMs',
    { backoff: { initialMs: bad } },
  ]),
  ...[...NUMBERS, 0.5, 1001].map((bad): [string, unknown] => [
    'options.backoff.multiplier',
    { backoff: { multiplier: bad } },
  ]),
  ...[...NUMBERS, TOO_LONG, 99].map((bad): [string, unknown] => [
    'options.backoff.maxMs',
    { backoff: { maxMs: bad } },
  ]),
  ...[true, 'half', 0.5, null].map((bad): [string, unknown] => [
    'options.backoff.jitter',
    { backoff: { jitter: bad } },
  ]),
  ['options.backoff.jitterMs', { backoff: { jitterMs: 5 } }],
  ...[null, 5, {}, { recordCall() {} }, { recordCall: 1, tryRetry: 1 }].map(
    (bad): [string, unknown] => ['options.budget', { budget: bad }],
  ),
  ...[null, 5, {}, new AbortController()].map((bad): [string, unknown] => [
    'options.signal',
    { signal: bad },
  ]),
  ...[null, true, [Error]].map((bad): [string, unknown] => ['options.retryOn', { retryOn: bad }]),
  ['options.retries', { retries: 3 }],
  ['options.Symbol(s)', { [Symbol('s')]: 3 }],
]

describe('bad ones', () => {
  it.each(BAD)('%s: %o', async (option, options) => {
    const fn = failing()
    const error = await rejectionOf(retry(fn, options as RetryOptions))
    expect(error).toBeInstanceOf(InvalidOptionError)
    expect(error).toMatchObject({ option })
    expect(fn).not.toHaveBeenCalled()
  })

  it.each([undefined, null, 5, {}, Promise.resolve()])('fn: %o', async fn => {
    const error = await rejectionOf(retry(fn as never))
    expect(error).toBeInstanceOf(InvalidOptionError)
    expect(error).toMatchObject({ option: 'fn', value: fn })
  })
})
