/** Whatever a function returns or throws, its permit is settled exactly once (spec section 4). */
import { describe, expect, it } from 'vitest'
import { BusbarError } from '../../src/index.ts'
import {
  expectSettled,
  FACES,
  isSettled,
  make,
  nextMacrotask,
  rejectionOf,
} from './execute-support.ts'

const boom = new Error('boom')

type OnValue = (value: string) => void
type OnError = (error: unknown) => void

function thenable(then: (onValue: OnValue, onError: OnError) => void): PromiseLike<string> {
  return { then } as PromiseLike<string>
}

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

/** Looks like an error of busbar's until it is asked which. */
function trickster(): object {
  return new Proxy(
    {},
    {
      has: () => true,
      get: () => {
        throw boom
      },
    },
  )
}

describe.each(FACES)('execute %s', (_face, options) => {
  it('a thenable that calls back at once', async () => {
    const { breaker } = make()
    const fn = (): PromiseLike<string> => thenable(onValue => onValue('value'))
    expect(await breaker.execute<unknown>(fn, options())).toBe('value')
    expectSettled(breaker, { succeeded: 1 })
  })

  it('a thenable that calls back later', async () => {
    const { breaker } = make()
    const fn = (): PromiseLike<string> => thenable(onValue => setImmediate(onValue, 'value'))
    expect(await breaker.execute<unknown>(fn, options())).toBe('value')
    expectSettled(breaker, { succeeded: 1 })
  })

  it('a thenable that rejects', async () => {
    const { breaker } = make()
    const fn = (): PromiseLike<string> => thenable((_, onError) => onError(boom))
    expect(await rejectionOf(breaker.execute<unknown>(fn, options()))).toBe(boom)
    expectSettled(breaker, { failed: 1 })
  })

  it('a thenable that throws in then', async () => {
    const { breaker } = make()
    const fn = (): PromiseLike<string> =>
      thenable(() => {
        throw boom
      })
    expect(await rejectionOf(breaker.execute<unknown>(fn, options()))).toBe(boom)
    expectSettled(breaker, { failed: 1 })
  })

  it('an object whose then cannot be read', async () => {
    const { breaker } = make()
    const fn = (): unknown => ({
      // biome-ignore lint/suspicious/noThenProperty: a thenable is what is tested.
      get then() {
        throw boom
      },
    })
    expect(await rejectionOf(breaker.execute(fn, options()))).toBe(boom)
    expectSettled(breaker, { failed: 1 })
  })

  it('a thenable that calls both, more than once, and throws: the first counts', async () => {
    const { breaker } = make()
    const fn = (): PromiseLike<string> =>
      thenable((onValue, onError) => {
        onValue('first')
        onError(boom)
        onValue('second')
        throw boom
      })
    expect(await breaker.execute<unknown>(fn, options())).toBe('first')
    const reversed = (): PromiseLike<string> =>
      thenable((onValue, onError) => {
        onError(boom)
        onValue('second')
      })
    expect(await rejectionOf(breaker.execute<unknown>(reversed, options()))).toBe(boom)
    await nextMacrotask()
    expectSettled(breaker, { succeeded: 1, failed: 1 })
  })

  it('a thenable within a thenable', async () => {
    const { breaker } = make()
    const inner = thenable(onValue => onValue('value'))
    const fn = (): PromiseLike<string> => thenable(onValue => onValue(inner as never))
    expect(await breaker.execute<unknown>(fn, options())).toBe('value')
    expectSettled(breaker, { succeeded: 1 })
  })

  const THROWN: [string, unknown][] = [
    ['undefined', undefined],
    ['null', null],
    ['a string', 'broken'],
    ['a number', 0],
    ['a bigint', 1n],
    ['a symbol', Symbol('broken')],
    ['a function', () => {}],
    ['a frozen object', Object.freeze({ message: 'broken' })],
    ['a frozen error', Object.freeze(new Error('broken'))],
    ['an object without prototype', Object.create(null)],
    ['something with the code of a refusal', { code: 'ERR_CIRCUIT_OPEN' }],
  ]
  it.each(THROWN)('a function that throws %s: a failure, passed on as it is', async (_, thrown) => {
    const { breaker } = make()
    const fail = (): never => {
      throw thrown
    }
    expect(await rejectionOf(breaker.execute(fail, options()))).toBe(thrown)
    expect(await rejectionOf(breaker.execute(async () => fail(), options()))).toBe(thrown)
    expectSettled(breaker, { failed: 2 })
  })

  it.each([
    ['a revoked proxy', revokedProxy],
    ['a proxy that throws', trickster],
  ])('a function that throws %s', async (_, hostile) => {
    const { breaker } = make()
    const thrown = hostile()
    const call = breaker.execute(() => Promise.reject(thrown), options())
    const settled = isSettled(call)
    call.catch(() => {})
    expect(await settled).toBe(true)
    expect(breaker.snapshot().totals).toMatchObject({ admitted: 1, failed: 1, inFlight: 0 })
    // Not by `toBe`, which would read it in order to print it.
    const same = await call.then(
      () => false,
      (error: unknown) => error === thrown,
    )
    expect(same).toBe(true)
  })
})

describe('BusbarError.is', () => {
  it('answers, whatever it is asked about', () => {
    const values = [undefined, null, 0, 'text', Symbol('s'), {}, [], () => {}, new Error('e')]
    for (const value of values) expect(BusbarError.is(value)).toBe(false)
    expect(BusbarError.is(Object.create(null))).toBe(false)
    expect(BusbarError.is(revokedProxy())).toBe(false)
  })
})
