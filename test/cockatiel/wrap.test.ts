/** Breakers in the policies of cockatiel itself. */
import { getEventListeners } from 'node:events'
import {
  BulkheadRejectedError,
  bulkhead,
  ConstantBackoff,
  fallback,
  handleAll,
  handleWhen,
  isBrokenCircuitError,
  isBulkheadRejectedError,
  isTaskCancelledError,
  noop,
  retry,
  TimeoutStrategy,
  timeout,
  usePolicy,
  wrap,
} from 'cockatiel'
import { describe, expect, it } from 'vitest'
import { cockatielPolicy, type Part } from '../../src/cockatiel/cockatiel.ts'
import { isRefusal } from '../../src/errors.ts'
import { CircuitOpenError, InvalidOptionError } from '../../src/index.ts'
import { gateOf, make, turns } from './support.ts'

/** Fails so often, then answers 'done'. */
function flaky(failures: number): { call: () => Promise<string>; calls: () => number } {
  let calls = 0
  const call = async (): Promise<string> => {
    calls++
    if (calls <= failures) throw new Error(`failure ${calls}`)
    return 'done'
  }
  return { call, calls: () => calls }
}

function classifyError(error: unknown): 'failure' | 'ignored' {
  return isBulkheadRejectedError(error) ? 'ignored' : 'failure'
}

const backoff = new ConstantBackoff(0)
const retryAll = retry(handleAll, { maxAttempts: 4, backoff })
const retryFaults = retry(
  handleWhen(error => !isRefusal(error)),
  { maxAttempts: 4, backoff },
)

describe('retries around a breaker', () => {
  it('each attempt is a call that the breaker hears of', async () => {
    const { breaker } = make()
    const { call, calls } = flaky(2)
    expect(await wrap(retryFaults, cockatielPolicy(breaker)).execute(call)).toBe('done')
    expect(calls()).toBe(3)
    expect(breaker.snapshot().totals).toMatchObject({ failed: 2, succeeded: 1, inFlight: 0 })
  })

  it('the attempt number reaches the call through the policy', async () => {
    const { breaker } = make()
    const attempts: number[] = []
    await wrap(retryFaults, cockatielPolicy(breaker)).execute(({ attempt, signal }) => {
      attempts.push(attempt)
      expect(signal).toBeInstanceOf(AbortSignal)
      if (attempt < 2) throw new Error('not yet')
    })
    expect(attempts).toEqual([0, 1, 2])
  })

  it('a refusal ends them, where they are told to leave refusals out', async () => {
    const { breaker } = make()
    const { call, calls } = flaky(9)
    const guarded = wrap(retryFaults, cockatielPolicy(breaker))
    await expect(guarded.execute(call)).rejects.toThrow(CircuitOpenError)
    expect(calls()).toBe(3)
    expect(breaker.snapshot().totals).toMatchObject({ failed: 3, refused: 1, inFlight: 0 })
  })

  it('handleAll retries refusals, as it does those of cockatiel', async () => {
    const { breaker } = make()
    breaker.open()
    const guarded = wrap(retryAll, cockatielPolicy(breaker))
    await expect(guarded.execute(() => 1)).rejects.toThrow(CircuitOpenError)
    expect(breaker.snapshot().totals).toMatchObject({ admitted: 0, refused: 5 })
  })

  it('when its wait is over, a trial through the policies closes it', async () => {
    const { registry, breaker } = make()
    const guarded = wrap(retryFaults, cockatielPolicy(breaker))
    breaker.open()
    await expect(guarded.execute(() => 1)).rejects.toThrow(CircuitOpenError)
    registry.advance(1_000)
    expect(await guarded.execute(() => 1)).toBe(1)
    expect(breaker.state).toBe('closed')
  })
})

describe('fallbacks around a breaker', () => {
  it('answer a failure and a refusal', async () => {
    const { breaker } = make()
    const guarded = wrap(fallback(handleAll, 'cached'), retryFaults, cockatielPolicy(breaker))
    const { call, calls } = flaky(9)
    expect(await guarded.execute(call)).toBe('cached')
    expect(await guarded.execute(call)).toBe('cached')
    expect(calls()).toBe(3)
    expect(breaker.snapshot().totals).toMatchObject({ failed: 3, refused: 2, succeeded: 0 })
  })

  it('can be for refusals alone', async () => {
    const { breaker } = make()
    const guarded = wrap(fallback(handleWhen(isRefusal), 'cached'), cockatielPolicy(breaker))
    await expect(guarded.execute(() => Promise.reject(new Error('down')))).rejects.toThrow('down')
    breaker.open()
    expect(await guarded.execute(() => 'fresh')).toBe('cached')
  })

  it('those for isBrokenCircuitError know a refusal, which shows nothing of it', async () => {
    const { breaker } = make()
    const guarded = wrap(
      fallback(handleWhen(isBrokenCircuitError), 'cached'),
      cockatielPolicy(breaker),
    )
    await expect(guarded.execute(() => Promise.reject(new Error('down')))).rejects.toThrow('down')
    breaker.forceOpen()
    expect(await guarded.execute(() => 'fresh')).toBe('cached')
    const refusal = await breaker.execute(() => 1).catch((error: unknown) => error)
    expect(isBrokenCircuitError(refusal)).toBe(true)
    expect(isTaskCancelledError(refusal)).toBe(false)
    expect(Object.keys(Object(refusal))).not.toContain('isBrokenCircuitError')
  })
})

describe('other policies beside a breaker', () => {
  it('a time-out within it is a failure', async () => {
    const { breaker } = make()
    const guarded = wrap(cockatielPolicy(breaker), timeout(5, TimeoutStrategy.Aggressive))
    const late = guarded.execute(() => new Promise(() => {}))
    await expect(late).rejects.toThrow('timed out')
    expect(breaker.snapshot().totals).toMatchObject({ failed: 1, inFlight: 0 })
  })

  it('a time-out around it is the abort of a caller, which says nothing', async () => {
    const { breaker } = make()
    const guarded = wrap(timeout(5, TimeoutStrategy.Aggressive), cockatielPolicy(breaker))
    const signals: AbortSignal[] = []
    const late = guarded.execute(({ signal }) => {
      signals.push(signal)
      return new Promise(() => {})
    })
    await expect(late).rejects.toThrow('timed out')
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
    expect(breaker.snapshot().totals).toMatchObject({ failed: 0, ignored: 1, inFlight: 0 })
  })

  it.each([
    ['a failure', {}, { failed: 1, ignored: 0 }],
    ['ignored where it is classified so', { classifyError }, { failed: 0, ignored: 1 }],
  ])('a full bulkhead within it is %s', async (_, options, totals) => {
    const { breaker } = make(options)
    const gate = gateOf<void>()
    const guarded = wrap(cockatielPolicy(breaker), bulkhead(1))
    const first = guarded.execute(() => gate.promise)
    await expect(guarded.execute(() => {})).rejects.toThrow(BulkheadRejectedError)
    gate.resolve()
    await first
    expect(breaker.snapshot().totals).toMatchObject({ ...totals, succeeded: 1, inFlight: 0 })
  })

  it('one breaker within another: the refusal of the inner is ignored by the outer', async () => {
    const { registry, breaker } = make()
    const inner = registry.breaker('inner')
    inner.open()
    const guarded = wrap(cockatielPolicy(breaker), cockatielPolicy(inner))
    await expect(guarded.execute(() => 1)).rejects.toMatchObject({ breaker: 'inner' })
    expect(breaker.snapshot().totals).toMatchObject({ failed: 0, ignored: 1 })
  })

  it('it may be the only one, the first, the last, and the policy of a decorator', async () => {
    const { breaker } = make()
    const policy = cockatielPolicy(breaker)
    expect(await wrap(policy).execute(() => 1)).toBe(1)
    expect(await wrap(policy, noop, retryFaults).execute(() => 2)).toBe(2)
    expect(await wrap(noop, wrap(retryFaults, policy)).execute(() => 3)).toBe(3)
    const descriptor: PropertyDescriptor = { value: (by: number) => 2 * by }
    usePolicy(policy)({}, 'double', descriptor)
    expect(await descriptor.value(2)).toBe(4)
    expect(breaker.snapshot().totals.succeeded).toBe(4)
  })
})

describe('aborts', () => {
  const orders = {
    'the breaker first': (policy: ReturnType<typeof cockatielPolicy>) => wrap(policy, noop),
    'the breaker last': (policy: ReturnType<typeof cockatielPolicy>) =>
      wrap(fallback(handleWhen(isRefusal), 0), retryFaults, policy),
    'the breaker between': (policy: ReturnType<typeof cockatielPolicy>) =>
      wrap(retryFaults, policy, timeout(60_000, TimeoutStrategy.Cooperative)),
  }

  it.each(Object.entries(orders))('%s: before the call it is not made', async (_, wrapped) => {
    const { breaker } = make()
    const reason = new Error('gone')
    let calls = 0
    const call = wrapped(cockatielPolicy(breaker)).execute(() => calls++, AbortSignal.abort(reason))
    await expect(call).rejects.toBe(reason)
    expect(calls).toBe(0)
    expect(breaker.snapshot().totals).toMatchObject({ admitted: 0, refused: 0 })
  })

  it.each(Object.entries(orders))('%s: in the midst it ends the call', async (_, wrapped) => {
    const { breaker } = make()
    const controller = new AbortController()
    const begun = gateOf<AbortSignal>()
    const call = wrapped(cockatielPolicy(breaker)).execute(({ signal }) => {
      begun.resolve(signal)
      return new Promise(() => {})
    }, controller.signal)
    const signal = await begun.promise
    expect(signal.aborted).toBe(false)
    const reason = new Error('gone')
    controller.abort(reason)
    await expect(call).rejects.toBe(reason)
    expect(signal.aborted).toBe(true)
    expect(breaker.snapshot().totals).toMatchObject({ failed: 0, ignored: 1, inFlight: 0 })
  })

  it("the breaker's own time-out aborts the call's signal, and is retried", async () => {
    const { registry } = make()
    const breaker = registry.breaker('b', { timeoutMs: 5 })
    const signals: AbortSignal[] = []
    const call = wrap(retryFaults, cockatielPolicy(breaker)).execute(({ attempt, signal }) => {
      signals.push(signal)
      return attempt === 0 ? new Promise(() => {}) : attempt
    })
    expect(await call).toBe(1)
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false])
    expect(breaker.snapshot().totals).toMatchObject({ failed: 1, succeeded: 1 })
  })
})

describe('what is wrong', () => {
  it.each([[undefined], [null], [5], ['breaker'], [{}], [{ execute: 5 }]])(
    '%s is no part',
    part => {
      expect(() => cockatielPolicy(part as unknown as Part)).toThrow(InvalidOptionError)
    },
  )

  it('what is no function is refused before the breaker is asked', async () => {
    const { breaker } = make()
    const policy = cockatielPolicy(breaker)
    await expect(policy.execute(5 as never)).rejects.toThrow(InvalidOptionError)
    await expect(policy.execute(() => 1, {} as AbortSignal)).rejects.toThrow(InvalidOptionError)
    expect(breaker.snapshot().totals).toMatchObject({ admitted: 0, failed: 0 })
  })

  it('nothing is left unhandled, and no listener is left on a signal', async () => {
    const { breaker } = make({ slidingWindow: { type: 'consecutive', failures: 1_000 } })
    const noted: unknown[] = []
    const note = (error: unknown): number => noted.push(error)
    process.on('unhandledRejection', note)
    process.on('warning', note)
    const policy = cockatielPolicy(breaker)
    policy.onFailure(() => {})
    const guarded = wrap(retryFaults, policy)
    const controller = new AbortController()
    const gate = gateOf<void>()
    const start = (signal?: AbortSignal) =>
      Array.from({ length: 50 }, () => guarded.execute(() => gate.promise, signal))
    // cockatiel itself gives the second fifty a signal, the same for all.
    const calls = [...start(controller.signal), ...start()]
    await turns()
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(50)
    controller.abort()
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
    breaker.forceOpen()
    calls.push(guarded.execute(() => gate.promise))
    gate.reject(new Error('after half of them were given up'))
    const results = await Promise.allSettled(calls)
    await turns()
    process.off('unhandledRejection', note)
    process.off('warning', note)
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(101)
    expect(noted).toEqual([])
    const totals = { admitted: 100, ignored: 50, late: 50, refused: 51, inFlight: 0 }
    expect(breaker.snapshot().totals).toMatchObject(totals)
  })
})
