/** One error and one promise for each state that refuses: the same for all callers of a thread. */
import { inspect } from 'node:util'
import { Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type CircuitBreaker, CircuitOpenError } from '../../src/index.ts'
import { deferred, makeBrittle, makeOpen, rejectionOf, thrownBy } from './execute-support.ts'

const boom = new Error('boom')

async function refusalOf(breaker: CircuitBreaker): Promise<CircuitOpenError> {
  const error = await rejectionOf(breaker.execute(() => 'value'))
  if (error instanceof CircuitOpenError) return error
  throw new Error(`not refused: ${String(error)}`)
}

async function failOnce(breaker: CircuitBreaker, error = boom): Promise<void> {
  expect(await rejectionOf(breaker.execute(() => Promise.reject(error)))).toBe(error)
}

describe('refusals of one state', () => {
  it('are the same error and the same promise', async () => {
    const { breaker } = makeOpen()
    const promise = breaker.execute(() => 'value')
    const error = await rejectionOf(promise)
    for (let call = 0; call < 10; call++) {
      expect(breaker.execute(() => call)).toBe(promise)
      expect(await refusalOf(breaker)).toBe(error)
    }
    expect(breaker.snapshot().totals.refused).toBe(21)
  })

  it('whichever face they meet', async () => {
    const { registry, breaker } = makeOpen()
    const error = await refusalOf(breaker)
    expect(thrownBy(() => breaker.executeSync(() => 'value'))).toBe(error)
    expect(await breaker.tryExecute(() => 'value')).toEqual({ ok: false, refused: true, error })
    expect(await breaker.execute(() => 'value', { fallback: given => given })).toBe(error)
    expect(await rejectionOf(breaker.wrap(() => 'value')())).toBe(error)
    const options = { signal: new AbortController().signal, timeoutMs: 10 }
    expect(await rejectionOf(breaker.execute(() => 'value', options))).toBe(error)
    // Handles with options of their own, and those that are got again.
    const local = registry.breaker(breaker.name, { timeoutMs: 5, isFailure: () => true })
    expect(local).not.toBe(breaker)
    expect(local.execute(() => 'value')).toBe(breaker.execute(() => 'value'))
    expect(registry.get(breaker.name)?.execute(() => 'value')).toBe(local.execute(() => 'value'))
  })

  it('of two breakers are two', async () => {
    const { registry, breaker } = makeOpen()
    const other = registry.breaker('other')
    other.open()
    expect(await refusalOf(other)).not.toBe(await refusalOf(breaker))
    expect(await refusalOf(other)).toMatchObject({ breaker: 'other' })
  })
})

describe('another error and another promise', () => {
  /** What `change` makes of a breaker that refuses: both of its refusals. */
  async function around(breaker: CircuitBreaker, change: () => unknown) {
    const promises = [breaker.execute(() => 'value')]
    await change()
    promises.push(breaker.execute(() => 'value'))
    const [before, after] = await Promise.all(promises.map(promise => rejectionOf(promise)))
    expect(promises[1]).not.toBe(promises[0])
    expect(after).not.toBe(before)
    return [before, after] as CircuitOpenError[]
  }

  it('at the next opening', async () => {
    const { registry, breaker } = makeOpen()
    const errors = await around(breaker, async () => {
      registry.advance(1000)
      await failOnce(breaker)
    })
    expect(errors).toMatchObject([{ state: 'open' }, { state: 'open', lastError: boom }])
  })

  it('in half-open, and in the opening after it', async () => {
    const { registry, breaker } = makeOpen({ permittedNumberOfCallsInHalfOpenState: 1 })
    let trial = 0
    const [, halfOpen] = await around(breaker, () => {
      registry.advance(1000)
      trial = breaker.tryAcquire()
    })
    expect(halfOpen).toMatchObject({ state: 'half-open', retryAfterMs: 60_000 })
    expect(await refusalOf(breaker)).toBe(halfOpen)
    await around(breaker, () => breaker.recordFailure(trial))
  })

  it('after a command, with its reason', async () => {
    const { breaker } = makeOpen()
    const [open, forced] = await around(breaker, () => breaker.forceOpen({ reason: 'drill' }))
    expect(open).not.toHaveProperty('reason')
    expect(forced).toMatchObject({ state: 'forced-open', reason: 'drill' })
    // What they said stays said.
    breaker.reset()
    expect([open?.state, forced?.state, forced?.reason]).toEqual(['open', 'forced-open', 'drill'])
  })

  it('when the last error counted is another one', async () => {
    // A failed trial keeps its place, and the state goes on until both have an outcome.
    const { registry, breaker } = makeBrittle({
      permittedNumberOfCallsInHalfOpenState: 2,
      halfOpenFailureRateThreshold: 1,
    })
    await failOnce(breaker)
    registry.advance(1000)
    breaker.tryAcquire()
    const trial = deferred()
    const call = breaker.execute(() => trial.promise)
    const latest = new Error('latest')
    const errors = await around(breaker, () => {
      trial.reject(latest)
      return rejectionOf(call)
    })
    expect(errors).toMatchObject([
      { state: 'half-open', lastError: boom },
      { state: 'half-open', lastError: latest },
    ])
  })

  it('in another thread', async () => {
    const { registry, breaker } = makeBrittle()
    await failOnce(breaker)
    const mine = await refusalOf(breaker)
    const worker = new Worker(new URL('refusals/worker.mjs', import.meta.url), {
      workerData: { handle: registry.handle, name: breaker.name },
    })
    onTestFinished(async () => {
      await worker.terminate()
    })
    const theirs = await new Promise(resolve => worker.once('message', resolve))
    // It has counted no error, and gets its own promise all the time.
    expect(theirs).toEqual({ same: true, state: 'open', retryAfterMs: 1000, hasLastError: false })
    expect(mine).toMatchObject({ state: 'open', retryAfterMs: 1000, lastError: boom })
    expect(await refusalOf(breaker)).toBe(mine)
  })
})

describe('what many hold', () => {
  it('says the same to all: an assignment throws and changes nothing', async () => {
    const { breaker } = makeOpen()
    const error = await refusalOf(breaker)
    const mutable = error as unknown as Record<string, unknown>
    const before = JSON.stringify(error)
    for (const key of ['message', 'stack', 'name', 'code', 'breaker', 'state', 'retryAfterMs']) {
      expect(() => {
        mutable[key] = 'changed'
      }, key).toThrow(TypeError)
      expect(() => Object.defineProperty(error, key, { value: 'changed' }), key).toThrow(TypeError)
      expect(Reflect.deleteProperty(error, key), key).toBe(false)
    }
    expect(await refusalOf(breaker)).toBe(error)
    expect(error).toBeInstanceOf(CircuitOpenError)
    expect(JSON.stringify(error)).toBe(before)
  })

  it('takes the mark that a logger puts on an error while it looks at it', async () => {
    const { breaker } = makeOpen()
    const error = (await refusalOf(breaker)) as object
    const mark = Symbol('seen')
    expect(Reflect.set(error, mark, true)).toBe(true)
    expect(Reflect.deleteProperty(error, mark)).toBe(true)
  })

  it('a fallback that throws it again, or with it as a cause, leaves it alone', async () => {
    const { breaker } = makeOpen()
    const error = await refusalOf(breaker)
    const again = breaker.execute(() => 'value', {
      fallback: given => {
        throw given
      },
    })
    expect(await rejectionOf(again)).toBe(error)
    const other = await rejectionOf(
      breaker.execute(() => 'value', {
        fallback: () => {
          throw boom
        },
      }),
    )
    expect(other).toBe(boom)
    expect(boom.cause).toBe(error)
    expect(error).not.toHaveProperty('cause')
    const { breaker: second } = makeOpen()
    const fallback = (): Promise<unknown> => second.execute(() => 'value')
    const theirs = await rejectionOf(breaker.execute<unknown>(() => 'value', { fallback }))
    expect(theirs).toBe(await refusalOf(second))
    expect(theirs).not.toHaveProperty('cause')
  })

  it('says how long to wait at the moment when it is read', async () => {
    const { registry, breaker } = makeOpen()
    const error = await refusalOf(breaker)
    for (const left of [1000, 999.5, 400, 0.125, 0]) {
      registry.advance(error.retryAfterMs - left)
      expect(error.retryAfterMs).toBe(left)
      expect(breaker.canExecute()).toBe(left === 0)
    }
    breaker.recordSuccess(breaker.tryAcquire())
    expect([breaker.state, error.state, error.retryAfterMs]).toEqual(['half-open', 'open', 0])
    breaker.forceOpen()
    expect(error.retryAfterMs).toBe(Number.POSITIVE_INFINITY)
    breaker.reset()
    expect(error.retryAfterMs).toBe(0)
  })

  it('shows all that it says to people and programs', async () => {
    const { registry, breaker } = makeBrittle()
    breaker.forceOpen({ reason: 'drill', ttlMs: 500 })
    const error = await refusalOf(breaker)
    registry.advance(100)
    const said = {
      code: 'ERR_CIRCUIT_OPEN',
      name: 'CircuitOpenError',
      breaker: 'dependency',
      state: 'forced-open',
      reason: 'drill',
      retryAfterMs: 400,
    }
    expect(JSON.parse(JSON.stringify(error))).toEqual(said)
    expect({ ...error }).toEqual(said)
    const text = inspect(error)
    expect(text).toMatch(/^\[CircuitOpenError: circuit breaker "dependency" is forced-open: drill/)
    for (const key of Object.keys(said).filter(key => key !== 'name')) expect(text).toContain(key)
    expect(structuredClone(error)).toMatchObject({ message: error.message })
  })
})
