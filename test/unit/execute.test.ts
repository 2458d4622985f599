/** Spec section 4, `execute`: refusals, errors, results, and what is passed on unchanged. */
import { describe, expect, it, vi } from 'vitest'
import {
  type BreakerOptions,
  BusbarError,
  CircuitOpenError,
  InvalidOptionError,
} from '../../src/index.ts'
import {
  DEPENDENCY,
  deferred,
  expectSettled,
  FACES,
  make,
  makeBrittle,
  makeOpen,
  rejectionOf,
} from './execute-support.ts'

const boom = new Error('boom')

describe.each(FACES)('execute %s', (_face, options) => {
  it('calls the function once and resolves to what it returns', async () => {
    const { breaker } = make()
    const value = { some: 'value' }
    const fn = vi.fn(() => value)
    expect(await breaker.execute(fn, options())).toBe(value)
    expect(fn).toHaveBeenCalledTimes(1)
    expectSettled(breaker, { succeeded: 1 })
  })

  it('resolves to what the function resolves to', async () => {
    const { breaker } = make()
    const value = { some: 'value' }
    expect(await breaker.execute(async () => value, options())).toBe(value)
    expectSettled(breaker, { succeeded: 1 })
  })

  it.each([undefined, null, 0, '', false, Number.NaN])('resolves to %s', async value => {
    const { breaker } = make()
    expect(await breaker.execute(() => value, options())).toBe(value)
    expect(await breaker.execute(async () => value, options())).toBe(value)
    expectSettled(breaker, { succeeded: 2 })
  })

  it('refused: rejects with CircuitOpenError and does not call the function', async () => {
    const { breaker } = makeOpen()
    const fn = vi.fn(() => 'value')
    const error = await rejectionOf(breaker.execute(fn, options()))
    expect(error).toBeInstanceOf(CircuitOpenError)
    expect(error).toMatchObject({ code: 'ERR_CIRCUIT_OPEN', breaker: DEPENDENCY, state: 'open' })
    expect(fn).not.toHaveBeenCalled()
    expectSettled(breaker, { refused: 1 })
  })

  it('throws: a failure, and the very error is passed on', async () => {
    const { breaker } = make()
    const throwing = breaker.execute(() => {
      throw boom
    }, options())
    expect(await rejectionOf(throwing)).toBe(boom)
    expectSettled(breaker, { failed: 1 })
    expect(breaker.snapshot().window).toMatchObject({ calls: 1, failures: 1 })
  })

  it('rejects: a failure, and the very error is passed on', async () => {
    const { breaker } = make()
    expect(await rejectionOf(breaker.execute(() => Promise.reject(boom), options()))).toBe(boom)
    expectSettled(breaker, { failed: 1 })
    expect(breaker.snapshot().window).toMatchObject({ calls: 1, failures: 1 })
  })

  it('rejects, never throws, whatever the function does', () => {
    const { breaker } = makeBrittle()
    const promise = breaker.execute(() => {
      throw boom
    }, options())
    expect(promise).toBeInstanceOf(Promise)
    return expect(promise).rejects.toBe(boom)
  })

  it('a result that isFailure calls one: counted as a failure, still returned', async () => {
    const { breaker } = make({ isFailure: result => result === 503 })
    expect(await breaker.execute<unknown>(() => 503, options())).toBe(503)
    expectSettled(breaker, { failed: 1 })
    expect(await breaker.execute<unknown>(async () => 200, options())).toBe(200)
    expectSettled(breaker, { failed: 1, succeeded: 1 })
  })

  it('such results open the breaker', async () => {
    const { breaker } = makeBrittle({ isFailure: result => result === 503 })
    expect(await breaker.execute<unknown>(async () => 503, options())).toBe(503)
    expect(breaker.state).toBe('open')
  })

  it("classifyError 'ignored': no failure, the very error is passed on", async () => {
    const { breaker } = makeBrittle({
      classifyError: error => (error === boom ? 'ignored' : 'failure'),
    })
    expect(await rejectionOf(breaker.execute(() => Promise.reject(boom), options()))).toBe(boom)
    expectSettled(breaker, { ignored: 1 })
    expect(breaker.state).toBe('closed')
    expect(breaker.snapshot().window.calls).toBe(0)
  })

  it("classifyError 'failure': a failure, the very error is passed on", async () => {
    const { breaker } = makeBrittle({ classifyError: () => 'failure' })
    expect(await rejectionOf(breaker.execute(() => Promise.reject(boom), options()))).toBe(boom)
    expectSettled(breaker, { failed: 1 })
    expect(breaker.state).toBe('open')
  })

  it('is in flight until the function has settled', async () => {
    const { breaker } = make()
    const { promise, resolve } = deferred()
    const call = breaker.execute<unknown>(() => promise, options())
    expect(breaker.snapshot().totals).toMatchObject({ admitted: 1, inFlight: 1 })
    resolve('value')
    expect(await call).toBe('value')
    expectSettled(breaker, { succeeded: 1 })
  })

  it('settles late, once, when a command came in between', async () => {
    const { breaker } = make()
    const { promise, resolve } = deferred()
    const call = breaker.execute<unknown>(() => promise, options())
    breaker.reset()
    resolve('value')
    expect(await call).toBe('value')
    expectSettled(breaker, { late: 1 })
  })

  it('asks each predicate once for each call', async () => {
    const isFailure = vi.fn(() => false)
    const classifyError = vi.fn((): 'ignored' => 'ignored')
    const { breaker } = make({ isFailure, classifyError })
    await breaker.execute(() => 'value', options())
    expect(isFailure.mock.calls).toEqual([['value']])
    expect(classifyError).not.toHaveBeenCalled()
    await rejectionOf(breaker.execute(() => Promise.reject(boom), options()))
    expect(classifyError.mock.calls).toEqual([[boom]])
    expect(isFailure).toHaveBeenCalledTimes(1)
    expectSettled(breaker, { succeeded: 1, ignored: 1 })
  })
})

describe('what execute is given', () => {
  const NOT_FUNCTIONS = [undefined, null, 1, 'fn', {}, [], Symbol('fn'), Promise.resolve()]
  it.each(NOT_FUNCTIONS)(
    'refuses a function that is none (%#) before it asks for a permit',
    async fn => {
      const { breaker } = make()
      const error = await rejectionOf(breaker.execute(fn as never))
      expect(error).toBeInstanceOf(InvalidOptionError)
      expect(error).toMatchObject({ option: 'fn', value: fn })
      expectSettled(breaker, {})
    },
  )

  it('takes explicit undefined for left out', async () => {
    const { breaker } = make()
    const options = { signal: undefined, timeoutMs: undefined, fallback: undefined }
    expect(await breaker.execute(() => 'value', options)).toBe('value')
    expectSettled(breaker, { succeeded: 1 })
  })

  it('measures the call where a slow threshold is set', async () => {
    const { registry, breaker } = make({ slowCallDurationThresholdMs: 100 })
    const call = async (ms: number): Promise<void> => {
      const { promise, resolve } = deferred()
      const done = breaker.execute(() => promise)
      registry.advance(ms)
      resolve('value')
      await done
    }
    await call(100)
    expect(breaker.snapshot().totals.slow).toBe(0)
    await call(101)
    expect(breaker.snapshot().totals).toMatchObject({ slow: 1, succeeded: 2, inFlight: 0 })
  })

  it('local options of one handle are not those of another', async () => {
    const { registry, breaker } = make()
    const strict = registry.breaker(DEPENDENCY, { isFailure: result => result === 503 })
    await breaker.execute(() => 503)
    expectSettled(breaker, { succeeded: 1 })
    await strict.execute(() => 503)
    expectSettled(breaker, { succeeded: 1, failed: 1 })
  })
})

describe('counts only what is a failure as the last error', () => {
  const lastErrorOf = async (options: BreakerOptions, error: unknown): Promise<unknown> => {
    const { breaker } = make(options)
    await rejectionOf(breaker.execute(() => Promise.reject(error)))
    breaker.forceOpen()
    const refusal = await rejectionOf(breaker.execute(() => 'value'))
    if (!(refusal instanceof CircuitOpenError)) throw new Error('was not refused')
    return refusal.lastError
  }

  it('a failure', async () => expect(await lastErrorOf({}, boom)).toBe(boom))

  it('not an ignored one', async () => {
    expect(await lastErrorOf({ classifyError: () => 'ignored' }, boom)).toBeUndefined()
  })

  it('not a late one', async () => {
    const { breaker } = make()
    const { promise, reject } = deferred()
    const call = breaker.execute(() => promise)
    breaker.forceOpen()
    reject(boom)
    expect(await rejectionOf(call)).toBe(boom)
    expectSettled(breaker, { late: 1 })
    const refusal = await rejectionOf(breaker.execute(() => 'value'))
    expect(BusbarError.is(refusal)).toBe(true)
    expect(refusal).not.toHaveProperty('lastError')
  })
})
