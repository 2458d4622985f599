/** Spec section 4: `tryExecute`, `executeSync` and `wrap`, the other faces of `execute`. */
import { describe, expect, it, vi } from 'vitest'
import { type CircuitBreaker, CircuitOpenError, InvalidOptionError } from '../../src/index.ts'
import {
  deferred,
  expectSettled,
  FACES,
  make,
  makeBrittle,
  makeOpen,
  rejectionOf,
  thrownBy,
} from './execute-support.ts'

const boom = new Error('boom')

function fail(): never {
  throw boom
}

describe.each(FACES)('tryExecute %s', (_face, options) => {
  it('a success', async () => {
    const { breaker } = make()
    expect(await breaker.tryExecute(() => 'value', options())).toEqual({ ok: true, value: 'value' })
    expectSettled(breaker, { succeeded: 1 })
  })

  it('a result that is a failure is still a value', async () => {
    const { breaker } = make({ isFailure: () => true })
    expect(await breaker.tryExecute(() => 'value', options())).toEqual({ ok: true, value: 'value' })
    expectSettled(breaker, { failed: 1 })
  })

  it('an error', async () => {
    const { breaker } = make()
    const result = await breaker.tryExecute(fail, options())
    expect(result).toEqual({ ok: false, refused: false, error: boom })
    expectSettled(breaker, { failed: 1 })
  })

  it('a refusal', async () => {
    const { breaker } = makeOpen()
    const result = await breaker.tryExecute(() => 'value', options())
    expect(result).toEqual({ ok: false, refused: true, error: expect.any(CircuitOpenError) })
    expectSettled(breaker, { refused: 1 })
  })

  it('a refusal of a breaker within: this one had let the call be made', async () => {
    const { registry, breaker } = make()
    const inner = registry.breaker('inner')
    inner.forceOpen()
    const result = await breaker.tryExecute(() => inner.execute(() => 'value'), options())
    expect(result).toEqual({ ok: false, refused: false, error: expect.any(CircuitOpenError) })
    expectSettled(breaker, { ignored: 1 })
  })

  it('of a tryExecute within: the value is its result', async () => {
    const { registry, breaker } = make()
    const inner = registry.breaker('inner')
    inner.forceOpen()
    const result = await breaker.tryExecute(() => inner.tryExecute(() => 'value'), options())
    expect(result).toMatchObject({ ok: true, value: { ok: false, refused: true } })
    expectSettled(breaker, { succeeded: 1 })
  })

  it('a fallback that answers, to an error and to a refusal', async () => {
    const { breaker } = makeBrittle()
    const fallback = (): string => 'stand-in'
    for (const _call of ['failed', 'refused']) {
      const result = await breaker.tryExecute<unknown>(fail, { ...options(), fallback })
      expect(result).toEqual({ ok: true, value: 'stand-in' })
    }
    expectSettled(breaker, { failed: 1, refused: 1 })
  })

  it('a fallback that fails, for an error and for a refusal', async () => {
    const { breaker } = makeBrittle()
    for (const refused of [false, true]) {
      const own = new Error('the fallback failed too')
      const result = await breaker.tryExecute(fail, {
        ...options(),
        fallback: () => {
          throw own
        },
      })
      expect(result).toEqual({ ok: false, refused, error: own })
      expect(own.cause).toEqual(refused ? expect.any(CircuitOpenError) : boom)
    }
    expectSettled(breaker, { failed: 1, refused: 1 })
  })
})

describe('tryExecute never rejects', () => {
  it('when aborted before', async () => {
    const { breaker } = makeOpen()
    const result = await breaker.tryExecute(() => 'value', { signal: AbortSignal.abort(boom) })
    expect(result).toEqual({ ok: false, refused: false, error: boom })
    expectSettled(breaker, {})
  })

  it('when undefined is thrown', async () => {
    const { breaker } = make()
    const result = await breaker.tryExecute(() => Promise.reject(undefined))
    expect(result).toEqual({ ok: false, refused: false, error: undefined })
  })

  it('when a timeout is over', async () => {
    const { breaker } = make()
    const result = await breaker.tryExecute(() => new Promise(() => {}), { timeoutMs: 10 })
    expect(result).toMatchObject({ ok: false, refused: false, error: { code: 'ERR_CALL_TIMEOUT' } })
    expectSettled(breaker, { failed: 1 })
  })
})

describe('executeSync', () => {
  it.each([undefined, null, 0, 'value', { some: 'value' }, () => 'function'])(
    'returns what the function returns (%#)',
    value => {
      const { breaker } = make()
      expect(breaker.executeSync<unknown>(() => value)).toBe(value)
      expectSettled(breaker, { succeeded: 1 })
    },
  )

  it.each([boom, undefined, null, 'text', Object.freeze({ frozen: true })])(
    'throws what the function throws (%#): a failure',
    thrown => {
      const { breaker } = make()
      const call = (): unknown =>
        breaker.executeSync(() => {
          throw thrown
        })
      expect(thrownBy(call)).toBe(thrown)
      expectSettled(breaker, { failed: 1 })
    },
  )

  it('refused: throws CircuitOpenError, does not call', () => {
    const { breaker } = makeOpen()
    const fn = vi.fn(() => 'value')
    expect(thrownBy(() => breaker.executeSync(fn))).toBeInstanceOf(CircuitOpenError)
    expect(fn).not.toHaveBeenCalled()
    expectSettled(breaker, { refused: 1 })
  })

  it('isFailure and classifyError hold', () => {
    const { breaker } = make({
      isFailure: result => result === 503,
      classifyError: () => 'ignored',
    })
    expect(breaker.executeSync(() => 503)).toBe(503)
    expect(thrownBy(() => breaker.executeSync(fail))).toBe(boom)
    expectSettled(breaker, { failed: 1, ignored: 1 })
  })

  it.each([
    ['a promise', () => Promise.resolve('value')],
    ['an async function', async () => 'value'],
    // biome-ignore lint/suspicious/noThenProperty: a thenable is what is tested.
    ['a thenable', () => ({ then: () => {} })],
    // biome-ignore lint/suspicious/noThenProperty: a thenable is what is tested.
    ['a function with a then', () => Object.assign(() => {}, { then: () => {} })],
  ])('refuses %s, and says what to use', (_, fn) => {
    const { breaker } = makeBrittle()
    const error = thrownBy(() => breaker.executeSync<unknown>(fn))
    expect(error).toBeInstanceOf(InvalidOptionError)
    expect(error).toMatchObject({ option: 'fn', message: expect.stringContaining('use execute') })
    expectSettled(breaker, { ignored: 1 })
    expect(breaker.state).toBe('closed')
  })

  it('a result whose then is no function is a result', () => {
    const { breaker } = make()
    // biome-ignore lint/suspicious/noThenProperty: nearly a thenable is what is tested.
    const value = { then: 'afterwards' }
    expect(breaker.executeSync(() => value)).toBe(value)
    expectSettled(breaker, { succeeded: 1 })
  })

  it('a result whose then cannot be read: settled once', () => {
    const { breaker } = make()
    const value = {
      // biome-ignore lint/suspicious/noThenProperty: nearly a thenable is what is tested.
      get then(): never {
        throw boom
      },
    }
    try {
      breaker.executeSync<unknown>(() => value)
    } catch {
      // Thrown or returned: the specification does not say. The permit is settled.
    }
    expect(breaker.snapshot().totals).toMatchObject({ admitted: 1, inFlight: 0, late: 0 })
  })

  it.each([undefined, null, 'fn', {}])('refuses a function that is none (%s)', fn => {
    const { breaker } = make()
    const error = thrownBy(() => breaker.executeSync(fn as never))
    expect(error).toMatchObject({ code: 'ERR_INVALID_OPTION', option: 'fn', value: fn })
    expectSettled(breaker, {})
  })
})

describe('wrap', () => {
  class Client {
    readonly base: string
    readonly get: (path: string, page: number) => Promise<string>
    constructor(breaker: CircuitBreaker, base: string) {
      this.base = base
      this.get = breaker.wrap(this.fetch)
    }
    fetch(this: Client, path: string, page: number): string {
      return `${this.base}${path}?page=${page}`
    }
  }

  it('keeps this and the arguments', async () => {
    const { breaker } = make()
    const client = new Client(breaker, 'http://host')
    expect(await client.get('/loans', 2)).toBe('http://host/loans?page=2')
    expectSettled(breaker, { succeeded: 1 })
  })

  it('passes on as many arguments as it is given', async () => {
    const { breaker } = make()
    const wrapped = breaker.wrap((...args: unknown[]) => args)
    expect(await wrapped()).toEqual([])
    expect(await wrapped(undefined, null, 3)).toEqual([undefined, null, 3])
  })

  it('rejects, never throws; counts failures; refuses', async () => {
    const { breaker } = makeBrittle()
    const fn = vi.fn(fail)
    const wrapped = breaker.wrap(fn)
    expect(await rejectionOf(wrapped())).toBe(boom)
    expect(await rejectionOf(wrapped())).toBeInstanceOf(CircuitOpenError)
    expect(fn).toHaveBeenCalledTimes(1)
    expectSettled(breaker, { failed: 1, refused: 1 })
  })

  it('can run several times at once', async () => {
    const { breaker } = make()
    const gates = [deferred(), deferred(), deferred()]
    const wrapped = breaker.wrap((index: number) => gates[index]?.promise)
    const calls = gates.map((_, index) => wrapped(index))
    expect(breaker.snapshot().totals.inFlight).toBe(3)
    for (const [index, gate] of gates.entries()) gate.resolve(`value ${index}`)
    expect(await Promise.all(calls)).toEqual(['value 0', 'value 1', 'value 2'])
    expectSettled(breaker, { succeeded: 3 })
  })

  it.each([undefined, null, 'fn', {}])('refuses a function that is none (%s)', fn => {
    const { breaker } = make()
    expect(thrownBy(() => breaker.wrap(fn as never))).toMatchObject({ code: 'ERR_INVALID_OPTION' })
  })
})
