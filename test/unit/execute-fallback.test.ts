/**
 * Spec section 4, `execute`: "`fallback` gets the error of any of these; its success does not make
 * the call a success; its own error is thrown with the first as `cause`."
 */
import { describe, expect, it, vi } from 'vitest'
import { type BreakerOptions, type CircuitBreaker, CircuitOpenError } from '../../src/index.ts'
import {
  deferred,
  expectSettled,
  make,
  makeBrittle,
  makeOpen,
  makeReady,
  rejectionOf,
} from './execute-support.ts'

const boom = new Error('boom')
const fault = new Error('fault of the predicate')
const NEVER = new Promise<never>(() => {})

function throwing(error: unknown): () => never {
  return () => {
    throw error
  }
}

interface Row {
  readonly what: string
  readonly options?: BreakerOptions
  readonly fn: () => unknown
  readonly timeoutMs?: number
  readonly gets: unknown
  readonly settled: Parameters<typeof expectSettled>[1]
}

const ROWS: Row[] = [
  { what: 'a thrown error', fn: throwing(boom), gets: boom, settled: { failed: 1 } },
  { what: 'a rejection', fn: () => Promise.reject(boom), gets: boom, settled: { failed: 1 } },
  { what: 'undefined', fn: throwing(undefined), gets: undefined, settled: { failed: 1 } },
  {
    what: 'an ignored error',
    options: { classifyError: () => 'ignored' },
    fn: throwing(boom),
    gets: boom,
    settled: { ignored: 1 },
  },
  {
    what: 'what isFailure threw',
    options: { isFailure: throwing(fault) },
    fn: () => 'value',
    gets: fault,
    settled: { failed: 1 },
  },
  {
    what: 'what classifyError threw',
    options: { classifyError: throwing(fault) },
    fn: throwing(boom),
    gets: fault,
    settled: { failed: 1 },
  },
  {
    what: 'a timeout',
    fn: () => NEVER,
    timeoutMs: 10,
    gets: expect.objectContaining({ code: 'ERR_CALL_TIMEOUT', timeoutMs: 10 }),
    settled: { failed: 1 },
  },
]

describe.each(ROWS)('of $what', ({ options, fn, timeoutMs, gets, settled }) => {
  const run = (breaker: CircuitBreaker, fallback: (error: unknown) => unknown): Promise<unknown> =>
    breaker.execute(fn, { timeoutMs, fallback })

  it.each([
    ['returns', () => 'stand-in'],
    ['resolves to', async () => 'stand-in'],
  ])('%s the answer, which does not make the call a success', async (_, answer) => {
    const { breaker } = make(options)
    const fallback = vi.fn(answer)
    expect(await run(breaker, fallback)).toBe('stand-in')
    expect(fallback.mock.calls).toEqual([[gets]])
    expectSettled(breaker, settled)
  })

  it.each([
    ['throws', (error: unknown) => throwing(error)()],
    ['rejects', (error: unknown) => Promise.reject(error)],
  ])('%s its own error, with the first as its cause', async (_, fail) => {
    const { breaker } = make(options)
    const own = new Error('the fallback failed too')
    expect(await rejectionOf(run(breaker, () => fail(own)))).toBe(own)
    expect(own).toHaveProperty('cause')
    expect(own.cause).toEqual(gets)
    expect(Object.keys(own)).not.toContain('cause')
    expectSettled(breaker, settled)
  })
})

describe('of a refusal', () => {
  it('gets CircuitOpenError; the function is not called', async () => {
    const { breaker } = makeOpen()
    const fn = vi.fn(() => 'value')
    const fallback = vi.fn(() => 'stand-in')
    expect(await breaker.execute(fn, { fallback })).toBe('stand-in')
    expect(fn).not.toHaveBeenCalled()
    expect(fallback.mock.calls).toEqual([[expect.any(CircuitOpenError)]])
    expectSettled(breaker, { refused: 1 })
  })

  it('its own error has the refusal as its cause', async () => {
    const { breaker } = makeOpen()
    const own = new Error('the fallback failed too')
    expect(await rejectionOf(breaker.execute(() => 'value', { fallback: throwing(own) }))).toBe(own)
    expect(own.cause).toBeInstanceOf(CircuitOpenError)
    expectSettled(breaker, { refused: 1 })
  })

  it('of another breaker, called within', async () => {
    const { registry, breaker } = make()
    const inner = registry.breaker('inner')
    inner.forceOpen()
    const fallback = vi.fn(() => 'stand-in')
    expect(await breaker.execute(() => inner.execute(() => 'value'), { fallback })).toBe('stand-in')
    expect(fallback.mock.calls).toEqual([[expect.objectContaining({ breaker: 'inner' })]])
    expectSettled(breaker, { ignored: 1 })
  })
})

describe('is not called', () => {
  const fallback = vi.fn(() => 'stand-in')

  it('for a success', async () => {
    const { breaker } = make()
    expect(await breaker.execute(async () => 'value', { fallback })).toBe('value')
    expect(fallback).not.toHaveBeenCalled()
    expectSettled(breaker, { succeeded: 1 })
  })

  it('for a result that is a failure: there is no error, and the result is returned', async () => {
    const { breaker } = make({ isFailure: () => true })
    expect(await breaker.execute(async () => 'value', { fallback })).toBe('value')
    expect(fallback).not.toHaveBeenCalled()
    expectSettled(breaker, { failed: 1 })
  })
})

describe('its own error', () => {
  const causeOf = async (own: unknown): Promise<unknown> => {
    const { breaker } = make()
    return rejectionOf(breaker.execute(throwing(boom), { fallback: throwing(own) }))
  }

  it('keeps the cause that it names itself', async () => {
    const own = new Error('the fallback failed too', { cause: 'another' })
    expect(await causeOf(own)).toBe(own)
    expect(own.cause).toBe('another')
  })

  it('thrown on: the first itself, which is no cause of itself', async () => {
    const { breaker } = make()
    const call = breaker.execute(throwing(boom), { fallback: error => throwing(error)() })
    expect(await rejectionOf(call)).toBe(boom)
    expect(boom).not.toHaveProperty('cause')
  })

  it.each([undefined, null, 'a string', 7, { an: 'object' }])('%s: thrown as it is', async own => {
    expect(await causeOf(own)).toBe(own)
  })

  it('frozen: thrown as it is', async () => {
    const own = Object.freeze(new Error('the fallback failed too'))
    expect(await causeOf(own)).toBe(own)
    expect(own.cause).toBeUndefined()
  })

  it('is a DOMException: has the cause too', async () => {
    const own = new DOMException('the fallback failed too', 'AbortError')
    expect(await causeOf(own)).toBe(own)
    expect(own).toHaveProperty('cause', boom)
  })

  it('is of an isolated kind: shared by two calls, keeps the first cause', async () => {
    const own = new Error('one error object for all')
    await causeOf(own)
    const { breaker } = make()
    await rejectionOf(breaker.execute(throwing(fault), { fallback: throwing(own) }))
    expect(own.cause).toBe(boom)
  })
})

describe('runs when the permit has been settled', () => {
  it.each([undefined, 10])('with timeoutMs %s', async timeoutMs => {
    const { breaker } = makeBrittle()
    const seen: unknown[] = []
    await breaker.execute(throwing(boom), {
      timeoutMs,
      fallback: () => seen.push(breaker.state, breaker.snapshot().totals.inFlight),
    })
    expect(seen).toEqual(['open', 0])
  })

  it('is not bound by the timeout of the call', async () => {
    const { breaker } = make()
    const { promise, resolve } = deferred()
    const call = breaker.execute<unknown>(() => NEVER, {
      timeoutMs: 10,
      fallback: async () => promise,
    })
    setTimeout(resolve, 20, 'stand-in')
    expect(await call).toBe('stand-in')
    expectSettled(breaker, { failed: 1 })
  })

  it('a trial that failed has failed, whatever the fallback says', async () => {
    const { breaker } = makeReady({ permittedNumberOfCallsInHalfOpenState: 1 })
    expect(await breaker.execute(throwing(boom), { fallback: () => 'stand-in' })).toBe('stand-in')
    expect(breaker.state).toBe('open')
  })

  it('may call the breaker itself', async () => {
    const { breaker } = make()
    const fallback = (): Promise<string> => breaker.execute(() => 'second try')
    expect(await breaker.execute(throwing(boom), { fallback })).toBe('second try')
    expectSettled(breaker, { failed: 1, succeeded: 1 })
  })
})

describe("the caller's abort", () => {
  it('reaches the fallback as the error of the call', async () => {
    const { breaker } = make()
    const controller = new AbortController()
    const fallback = vi.fn(() => 'stand-in')
    const call = breaker.execute(() => NEVER, { signal: controller.signal, fallback })
    controller.abort(boom)
    expect(await call).toBe('stand-in')
    expect(fallback.mock.calls).toEqual([[boom]])
    expectSettled(breaker, { ignored: 1 })
  })

  it('before the call: the same, without a permit', async () => {
    const { breaker } = make()
    const fallback = vi.fn(() => 'stand-in')
    const signal = AbortSignal.abort(boom)
    expect(await breaker.execute(() => NEVER, { signal, fallback })).toBe('stand-in')
    expect(fallback.mock.calls).toEqual([[boom]])
    expectSettled(breaker, {})
  })
})

it('an option that cannot be used does not reach the fallback: it is no outcome', async () => {
  const { breaker } = make()
  const fallback = vi.fn(() => 'stand-in')
  const error = await rejectionOf(breaker.execute(() => 'value', { timeoutMs: -1, fallback }))
  expect(error).toMatchObject({ code: 'ERR_INVALID_OPTION' })
  expect(fallback).not.toHaveBeenCalled()
})
