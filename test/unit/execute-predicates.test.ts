/**
 * Spec section 4, `execute`: "A throwing predicate: the outcome is a failure and the predicate's
 * error reaches the caller."
 */
import { describe, expect, it, vi } from 'vitest'
import { type BreakerOptions, CircuitOpenError, InvalidOptionError } from '../../src/index.ts'
import {
  expectSettled,
  FACES,
  make,
  makeBrittle,
  makeReady,
  rejectionOf,
  thrownBy,
} from './execute-support.ts'

const boom = new Error('boom')
const fault = new Error('fault of the predicate')

function throwing(error: unknown): () => never {
  return () => {
    throw error
  }
}

describe.each(FACES)('execute %s', (_face, options) => {
  it('isFailure throws', async () => {
    const { breaker } = makeBrittle({ isFailure: throwing(fault) })
    expect(await rejectionOf(breaker.execute(() => 'value', options()))).toBe(fault)
    expectSettled(breaker, { failed: 1 })
    expect(breaker.state).toBe('open')
  })

  it('classifyError throws', async () => {
    const { breaker } = makeBrittle({ classifyError: throwing(fault) })
    const call = breaker.execute(() => Promise.reject(boom), options())
    expect(await rejectionOf(call)).toBe(fault)
    expectSettled(breaker, { failed: 1 })
    expect(breaker.state).toBe('open')
  })

  it('isFailure throws: its error is not classified', async () => {
    const classifyError = vi.fn((): 'ignored' => 'ignored')
    const { breaker } = make({ isFailure: throwing(fault), classifyError })
    expect(await rejectionOf(breaker.execute(() => 'value', options()))).toBe(fault)
    expect(classifyError).not.toHaveBeenCalled()
    expectSettled(breaker, { failed: 1 })
  })

  it('isFailure throws a refusal of a breaker: a failure all the same', async () => {
    const refusal = new CircuitOpenError('another', { state: 'open', retryAfterMs: 1 })
    const { breaker } = make({ isFailure: throwing(refusal) })
    expect(await rejectionOf(breaker.execute(() => 'value', options()))).toBe(refusal)
    expectSettled(breaker, { failed: 1 })
  })

  it.each([undefined, null, 'a string', 0])('predicates that throw %s', async thrown => {
    const { breaker } = make({ isFailure: throwing(thrown), classifyError: throwing(thrown) })
    expect(await rejectionOf(breaker.execute(() => 'value', options()))).toBe(thrown)
    const call = breaker.execute(() => Promise.reject(boom), options())
    expect(await rejectionOf(call)).toBe(thrown)
    expectSettled(breaker, { failed: 2 })
  })

  const NONSENSE = ['success', '', 'Failure', true, false, 0, 1, {}, [], Promise.resolve('ignored')]
  it.each(NONSENSE)('classifyError answers nonsense (%#)', async verdict => {
    const { breaker } = make({ classifyError: () => verdict as never })
    const error = await rejectionOf(breaker.execute(() => Promise.reject(boom), options()))
    expect(error).toBeInstanceOf(InvalidOptionError)
    expect(error).toMatchObject({
      option: expect.stringContaining('classifyError'),
      value: verdict,
      message: expect.stringMatching(/classifyError.*'failure' or 'ignored'/),
    })
    expectSettled(breaker, { failed: 1 })
  })

  it('classifyError that forgets an answer means the default: a failure', async () => {
    const { breaker } = make({ classifyError: () => undefined as never })
    expect(await rejectionOf(breaker.execute(() => Promise.reject(boom), options()))).toBe(boom)
    expectSettled(breaker, { failed: 1 })
  })

  it.each([
    [1, { failed: 1 }],
    ['yes', { failed: 1 }],
    [0, { succeeded: 1 }],
    ['', { succeeded: 1 }],
    [null, { succeeded: 1 }],
    [undefined, { succeeded: 1 }],
  ])('isFailure that answers %s', async (answer, settled) => {
    const { breaker } = make({ isFailure: () => answer as never })
    expect(await breaker.execute(() => 'value', options())).toBe('value')
    expectSettled(breaker, settled)
  })
})

describe('predicates that use the breaker', () => {
  it('isFailure that resets it makes the outcome late', async () => {
    const { breaker } = make({
      isFailure: () => {
        breaker.reset()
        return true
      },
    })
    expect(await breaker.execute(() => 'value')).toBe('value')
    expectSettled(breaker, { late: 1 })
  })

  it('isFailure that makes a call of its own through it', async () => {
    const isFailure = (result: unknown): boolean =>
      result === 'outer' && breaker.executeSync(() => 'inner') === 'outer'
    const { breaker } = make({ isFailure })
    expect(await breaker.execute(() => 'outer')).toBe('outer')
    expectSettled(breaker, { succeeded: 2 })
  })
})

describe('executeSync', () => {
  const CASES: [string, BreakerOptions, () => unknown][] = [
    ['isFailure throws', { isFailure: throwing(fault) }, () => 'value'],
    ['classifyError throws', { classifyError: throwing(fault) }, throwing(boom)],
  ]
  it.each(CASES)('%s', (_, options, fn) => {
    const { breaker } = makeBrittle(options)
    expect(thrownBy(() => breaker.executeSync(fn))).toBe(fault)
    expectSettled(breaker, { failed: 1 })
    expect(breaker.state).toBe('open')
  })

  it('classifyError answers nonsense', () => {
    const { breaker } = make({ classifyError: () => 'maybe' as never })
    expect(thrownBy(() => breaker.executeSync(throwing(boom)))).toBeInstanceOf(InvalidOptionError)
    expectSettled(breaker, { failed: 1 })
  })
})

it('a trial whose predicate throws has failed', async () => {
  const { breaker } = makeReady({ isFailure: throwing(fault) })
  expect(await rejectionOf(breaker.execute(() => 'value'))).toBe(fault)
  expect(breaker.state).toBe('open')
  expectSettled(breaker, { failed: 1 })
})

it("the predicate's error is the last counted one", async () => {
  const { breaker } = makeBrittle({ classifyError: throwing(fault) })
  await rejectionOf(breaker.execute(throwing(boom)))
  const refusal = await rejectionOf(breaker.execute(() => 'value'))
  expect(refusal).toMatchObject({ code: 'ERR_CIRCUIT_OPEN', lastError: fault })
})
