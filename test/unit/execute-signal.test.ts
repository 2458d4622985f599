/** Spec section 4, ExecuteOptions.signal: "the caller's; its abort is 'ignored', never a failure". */
import { getEventListeners } from 'node:events'
import { describe, expect, it, vi } from 'vitest'
import { type Call, CallTimeoutError, CircuitOpenError } from '../../src/index.ts'
import {
  deferred,
  expectSettled,
  isSettled,
  make,
  makeBrittle,
  makeOpen,
  nextMacrotask,
  rejectionOf,
} from './execute-support.ts'

const NEVER = new Promise<never>(() => {})
const boom = new Error('boom')
const REASONS = [new Error('changed my mind'), 'a string', null, 0, Object.freeze({ frozen: true })]

function listeners(signal: AbortSignal): number {
  return getEventListeners(signal, 'abort').length
}

describe('aborted before', () => {
  it.each(REASONS)('rejects with the reason (%#), calls nothing, takes no permit', async reason => {
    const { breaker } = make()
    const signal = AbortSignal.abort(reason)
    const fn = vi.fn(() => 'value')
    expect(await rejectionOf(breaker.execute(fn, { signal }))).toBe(reason)
    expect(fn).not.toHaveBeenCalled()
    expect(listeners(signal)).toBe(0)
    expectSettled(breaker, {})
  })

  it('does not begin the trials of a breaker whose wait is over', async () => {
    const { registry, breaker } = makeOpen()
    registry.advance(1000)
    const signal = AbortSignal.abort()
    await rejectionOf(breaker.execute(() => 'value', { signal }))
    expect(breaker.state).toBe('open')
  })

  it('counts no refusal of an open one', async () => {
    const { breaker } = makeOpen()
    const signal = AbortSignal.abort()
    const error = await rejectionOf(breaker.execute(() => 'value', { signal }))
    expect(error).toBe(signal.reason)
    expectSettled(breaker, {})
  })
})

describe('aborted during', () => {
  it.each(REASONS)('rejects with the reason (%#) at once; ignored', async reason => {
    const { breaker } = makeBrittle()
    const controller = new AbortController()
    const { signal } = controller
    const call = breaker.execute(() => NEVER, { signal })
    call.catch(() => {})
    expect(listeners(signal)).toBe(1)
    expect(await isSettled(call)).toBe(false)
    controller.abort(reason)
    expectSettled(breaker, { ignored: 1 })
    expect(listeners(signal)).toBe(0)
    expect(await rejectionOf(call)).toBe(reason)
    expect(breaker.state).toBe('closed')
    expect(breaker.snapshot().window.calls).toBe(0)
  })

  it("aborts the call's own signal with the same reason", async () => {
    const { breaker } = make()
    const controller = new AbortController()
    const held: AbortSignal[] = []
    const call = breaker.execute(
      ({ signal }) => {
        held.push(signal)
        return NEVER
      },
      { signal: controller.signal },
    )
    expect(held[0]?.aborted).toBe(false)
    controller.abort(boom)
    expect(held[0]?.aborted).toBe(true)
    expect(held[0]?.reason).toBe(boom)
    expect(await rejectionOf(call)).toBe(boom)
  })

  it('never reaches classifyError', async () => {
    const classifyError = vi.fn((): 'failure' => 'failure')
    const { breaker } = make({ classifyError })
    const controller = new AbortController()
    const call = breaker.execute(
      ({ signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      { signal: controller.signal },
    )
    controller.abort()
    expect(await rejectionOf(call)).toBe(controller.signal.reason)
    await nextMacrotask()
    expect(classifyError).not.toHaveBeenCalled()
    expectSettled(breaker, { ignored: 1 })
  })

  it.each(['resolves', 'rejects'] as const)('what the function does later: %s', async later => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    const isFailure = vi.fn(() => true)
    const { breaker } = make({ isFailure })
    const controller = new AbortController()
    const { promise, resolve, reject } = deferred()
    const call = breaker.execute(() => promise, { signal: controller.signal })
    controller.abort(boom)
    expect(await rejectionOf(call)).toBe(boom)
    if (later === 'resolves') resolve('late')
    else reject(new Error('late'))
    await nextMacrotask()
    expect(isFailure).not.toHaveBeenCalled()
    expect(unhandled).not.toHaveBeenCalled()
    expectSettled(breaker, { ignored: 1 })
    process.off('unhandledRejection', unhandled)
  })

  it('by the function itself, before it returns', async () => {
    const { breaker } = make()
    const controller = new AbortController()
    const { signal } = controller
    const call = breaker.execute(
      () => {
        controller.abort(boom)
        throw new Error('thrown after the abort')
      },
      { signal },
    )
    expect(await rejectionOf(call)).toBe(boom)
    expect(listeners(signal)).toBe(0)
    expectSettled(breaker, { ignored: 1 })
  })

  it('ends the timer too', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { breaker } = make()
    const controller = new AbortController()
    const call = breaker.execute(() => NEVER, { signal: controller.signal, timeoutMs: 20 })
    expect(vi.getTimerCount()).toBe(1)
    controller.abort(boom)
    expect(vi.getTimerCount()).toBe(0)
    expect(await rejectionOf(call)).toBe(boom)
    expectSettled(breaker, { ignored: 1 })
    vi.useRealTimers()
  })

  it('a failing function whose signal was aborted behind our back is ignored as well', async () => {
    const { breaker } = make()
    const controller = new AbortController()
    const { signal } = controller
    signal.addEventListener('abort', event => event.stopImmediatePropagation())
    const { promise, reject } = deferred()
    const call = breaker.execute(() => promise, { signal })
    controller.abort(boom)
    reject(signal.reason)
    expect(await rejectionOf(call)).toBe(boom)
    expect(listeners(signal)).toBe(1)
    expectSettled(breaker, { ignored: 1 })
  })

  it('a signal with a time limit of the caller is ignored too, unlike timeoutMs', async () => {
    const { breaker } = make()
    const error = await rejectionOf(
      breaker.execute(() => NEVER, { signal: AbortSignal.timeout(10) }),
    )
    expect(error).toMatchObject({ name: 'TimeoutError' })
    expect(error).not.toBeInstanceOf(CallTimeoutError)
    expectSettled(breaker, { ignored: 1 })
  })
})

describe('aborted after', () => {
  it.each([
    ['resolved', async () => 'value', { succeeded: 1 }],
    ['rejected', () => Promise.reject(boom), { failed: 1 }],
  ])('nothing changes for a call that has %s', async (_, fn, settled) => {
    const { breaker } = make()
    const controller = new AbortController()
    const { signal } = controller
    const held: Call[] = []
    await breaker
      .execute(
        call => {
          held.push(call)
          return fn()
        },
        { signal },
      )
      .catch(() => {})
    expect(listeners(signal)).toBe(0)
    const before = breaker.snapshot()
    controller.abort()
    await nextMacrotask()
    expect(breaker.snapshot()).toEqual(before)
    expect(held[0]?.signal.aborted).toBe(false)
    expectSettled(breaker, settled)
  })
})

describe('listeners', () => {
  it('one for each call in flight, none afterwards, on a signal of many calls', async () => {
    const { breaker } = make()
    const { signal } = new AbortController()
    for (let call = 0; call < 50; call++) {
      const { promise, resolve } = deferred()
      const running = breaker.execute(() => promise, { signal })
      expect(listeners(signal)).toBe(1)
      resolve('value')
      await running
      expect(listeners(signal)).toBe(0)
    }
    expectSettled(breaker, { succeeded: 50 })
  })

  it.each([
    ['throws', () => Promise.reject(boom)],
    [
      'throws at once',
      () => {
        throw boom
      },
    ],
  ])('none after a function that %s', async (_, fn) => {
    const { breaker } = make({
      classifyError: () => {
        throw boom
      },
    })
    const { signal } = new AbortController()
    await rejectionOf(breaker.execute(fn, { signal }))
    expect(listeners(signal)).toBe(0)
  })

  it('none after an isFailure that throws', async () => {
    const { breaker } = make({
      isFailure: () => {
        throw boom
      },
    })
    const { signal } = new AbortController()
    await rejectionOf(breaker.execute(() => 'value', { signal }))
    expect(listeners(signal)).toBe(0)
  })

  it('none after a timeout', async () => {
    const { breaker } = make()
    const { signal } = new AbortController()
    await rejectionOf(breaker.execute(() => NEVER, { signal, timeoutMs: 10 }))
    expect(listeners(signal)).toBe(0)
  })

  it('none after a refusal', async () => {
    const { breaker } = makeOpen()
    const { signal } = new AbortController()
    const error = await rejectionOf(breaker.execute(() => 'value', { signal }))
    expect(error).toBeInstanceOf(CircuitOpenError)
    expect(listeners(signal)).toBe(0)
  })
})

describe("the call's own signal", () => {
  it('is made when first read, and stays the same', async () => {
    let made = 0
    class Counted extends AbortController {
      constructor() {
        super()
        made++
      }
    }
    vi.stubGlobal('AbortController', Counted)
    const { breaker } = make()
    await breaker.execute(() => 'value')
    await breaker.execute(() => 'value', { timeoutMs: 1000 })
    expect(made).toBe(0)
    const [one, two] = await breaker.execute(call => [call.signal, call.signal])
    vi.unstubAllGlobals()
    expect(made).toBe(1)
    expect(one).toBeInstanceOf(AbortSignal)
    expect(two).toBe(one)
  })

  it('does not abort when the call has ended well', async () => {
    const { breaker } = make()
    const signal = await breaker.execute(call => call.signal, { timeoutMs: 1000 })
    expect(signal.aborted).toBe(false)
  })

  it('can be taken out of the call by its getter', async () => {
    const { breaker } = make()
    expect(await breaker.execute(({ signal }) => signal.aborted)).toBe(false)
  })
})
