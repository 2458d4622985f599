/** Breakers within breakers, and trials made by `execute`. */
import { describe, expect, it, vi } from 'vitest'
import { CallTimeoutError, CircuitOpenError } from '../../src/index.ts'
import {
  deferred,
  expectSettled,
  FACES,
  make,
  makeBrittle,
  makeReady,
  rejectionOf,
  thrownBy,
} from './execute-support.ts'

const boom = new Error('boom')
const NEVER = new Promise<never>(() => {})

function fail(): Promise<never> {
  return Promise.reject(boom)
}

describe.each(FACES)('nested, outer %s', (_face, options) => {
  it("the inner one's refusal is ignored by the outer one", async () => {
    const { registry, breaker } = makeBrittle()
    const inner = registry.breaker('inner')
    inner.forceOpen()
    const error = await rejectionOf(breaker.execute(() => inner.execute(() => 'value'), options()))
    expect(error).toBeInstanceOf(CircuitOpenError)
    expect(error).toMatchObject({ breaker: 'inner', state: 'forced-open' })
    expectSettled(breaker, { ignored: 1 })
    expectSettled(inner, { refused: 1 })
    expect(breaker.state).toBe('closed')
  })

  it('even where classifyError calls everything a failure: it is not asked', async () => {
    const classifyError = vi.fn((): 'failure' => 'failure')
    const { registry, breaker } = makeBrittle({ classifyError })
    const inner = registry.breaker('inner')
    inner.forceOpen()
    await rejectionOf(breaker.execute(() => inner.execute(() => 'value'), options()))
    expect(classifyError).not.toHaveBeenCalled()
    expectSettled(breaker, { ignored: 1 })
  })

  it('the same breaker within itself: its own refusal is ignored, its failure counts', async () => {
    const { breaker } = makeBrittle()
    const error = await rejectionOf(
      breaker.execute(async () => {
        await breaker.execute(fail).catch(() => {})
        return breaker.execute(() => 'value')
      }, options()),
    )
    expect(error).toMatchObject({ breaker: breaker.name, state: 'open' })
    expectSettled(breaker, { failed: 1, refused: 1, late: 1 })
  })

  it('a failure and a timeout within are failures of both', async () => {
    const { registry, breaker } = make()
    const inner = registry.breaker('inner')
    expect(await rejectionOf(breaker.execute(() => inner.execute(fail), options()))).toBe(boom)
    const slow = breaker.execute(() => inner.execute(() => NEVER, { timeoutMs: 10 }), options())
    expect(await rejectionOf(slow)).toBeInstanceOf(CallTimeoutError)
    expectSettled(breaker, { failed: 2 })
    expectSettled(inner, { failed: 2 })
  })

  it("the outer one's signal, passed on, is the inner one's caller's", async () => {
    const { registry, breaker } = make()
    const inner = registry.breaker('inner')
    const call = breaker.execute(({ signal }) => inner.execute(() => NEVER, { signal }), {
      ...options(),
      timeoutMs: 10,
    })
    expect(await rejectionOf(call)).toBeInstanceOf(CallTimeoutError)
    expectSettled(breaker, { failed: 1 })
    expectSettled(inner, { ignored: 1 })
  })
})

it('executeSync: a refusal within is ignored, a failure counts', () => {
  const { registry, breaker } = make()
  const inner = registry.breaker('inner')
  const nested = (fn: () => unknown) => () => breaker.executeSync(() => inner.executeSync(fn))
  const failure = nested(() => {
    throw boom
  })
  expect(thrownBy(failure)).toBe(boom)
  inner.forceOpen()
  expect(thrownBy(failure)).toBeInstanceOf(CircuitOpenError)
  expectSettled(breaker, { failed: 1, ignored: 1 })
})

describe.each(FACES)('trials by execute %s', (_face, options) => {
  const ONE = { permittedNumberOfCallsInHalfOpenState: 1 }

  it('as many successes as are permitted close it', async () => {
    const { breaker } = makeReady()
    for (let trial = 1; trial <= 3; trial++) {
      expect(await breaker.execute(() => 'value', options())).toBe('value')
      expect(breaker.state).toBe(trial < 3 ? 'half-open' : 'closed')
    }
    expectSettled(breaker, { succeeded: 3 })
    expect(breaker.snapshot().transitions).toBe(3)
  })

  it('a failure opens it', async () => {
    const { breaker } = makeReady()
    expect(await rejectionOf(breaker.execute(fail, options()))).toBe(boom)
    expect(breaker.state).toBe('open')
    expectSettled(breaker, { failed: 1 })
  })

  it('a result that is a failure opens it', async () => {
    const { breaker } = makeReady({ isFailure: () => true })
    expect(await breaker.execute(() => 'value', options())).toBe('value')
    expect(breaker.state).toBe('open')
  })

  it('more than are permitted at a time are refused', async () => {
    const { breaker } = makeReady(ONE)
    const { promise, resolve } = deferred()
    const trial = breaker.execute<unknown>(() => promise, options())
    expect(breaker.state).toBe('half-open')
    const error = await rejectionOf(breaker.execute(() => 'value', options()))
    expect(error).toMatchObject({ state: 'half-open', retryAfterMs: 60_000 })
    resolve('value')
    expect(await trial).toBe('value')
    expect(breaker.state).toBe('closed')
    expectSettled(breaker, { succeeded: 1, refused: 1 })
  })

  it('an ignored error and a refusal within free their place', async () => {
    const { registry, breaker } = makeReady({ ...ONE, classifyError: () => 'ignored' })
    const inner = registry.breaker('inner')
    inner.forceOpen()
    await rejectionOf(breaker.execute(fail, options()))
    expect(breaker.snapshot().trials).toMatchObject({ inFlight: 0, succeeded: 0, failed: 0 })
    await rejectionOf(breaker.execute(() => inner.execute(() => 'value'), options()))
    expect(breaker.snapshot().trials).toMatchObject({ inFlight: 0, succeeded: 0, failed: 0 })
    await breaker.execute(() => 'value', options())
    expect(breaker.state).toBe('closed')
    expectSettled(breaker, { ignored: 2, succeeded: 1 })
  })

  it('one that outlives its lease has failed; what it comes to then is late', async () => {
    const { registry, breaker } = makeReady(ONE)
    const { promise, resolve } = deferred()
    const trial = breaker.execute<unknown>(() => promise, options())
    registry.advance(60_000)
    resolve('value')
    expect(await trial).toBe('value')
    expect(breaker.state).toBe('open')
    expectSettled(breaker, { late: 1 })
  })

  it('one that was overtaken by a command cannot undo it', async () => {
    const { breaker } = makeReady(ONE)
    const { promise, reject } = deferred()
    const trial = breaker.execute<unknown>(() => promise, options())
    breaker.reset()
    reject(boom)
    expect(await rejectionOf(trial)).toBe(boom)
    expect(breaker.state).toBe('closed')
    expectSettled(breaker, { late: 1 })
  })
})

it('an abort frees the place of a trial', async () => {
  const { breaker } = makeReady({ permittedNumberOfCallsInHalfOpenState: 1 })
  const controller = new AbortController()
  const trial = breaker.execute(() => NEVER, { signal: controller.signal })
  expect(breaker.canExecute()).toBe(false)
  controller.abort()
  expect(breaker.canExecute()).toBe(true)
  await rejectionOf(trial)
  expect(breaker.state).toBe('half-open')
  expectSettled(breaker, { ignored: 1 })
})

it('a timeout fails a trial', async () => {
  const { breaker } = makeReady()
  expect(await rejectionOf(breaker.execute(() => NEVER, { timeoutMs: 10 }))).toBeInstanceOf(
    CallTimeoutError,
  )
  expect(breaker.state).toBe('open')
  expectSettled(breaker, { failed: 1 })
})

it('trials by executeSync', () => {
  const { breaker } = makeReady({ permittedNumberOfCallsInHalfOpenState: 1 })
  expect(breaker.executeSync(() => 'value')).toBe('value')
  expect(breaker.state).toBe('closed')
  expectSettled(breaker, { succeeded: 1 })
})
