/** The tracing channel busbar:execute: which events, in which order, and what they say. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, expect, it } from 'vitest'
import type { ExecuteTrace } from '../../src/channels.ts'
import { type BreakerOptions, CallTimeoutError, CircuitOpenError } from '../../src/index.ts'
import {
  deferred,
  type Made,
  make,
  makeOpen,
  makeReady,
  nextMacrotask,
  rejectionOf,
  thrownBy,
} from '../unit/execute-support.ts'
import { eventsOf, listen, messagesOf, traceAll, traced } from './channels-support.ts'

const boom = new Error('boom')
const RESOLVED = ['start', 'end', 'asyncStart', 'asyncEnd']
const REJECTED = ['start', 'end', 'error', 'asyncStart', 'asyncEnd']

interface Case {
  readonly make?: (options?: BreakerOptions) => Made
  readonly options?: BreakerOptions
  readonly call: (made: Made) => Promise<unknown>
  readonly events: string[]
  readonly last: Partial<ExecuteTrace>
}

const throws = (): never => {
  throw boom
}

const CASES: Readonly<Record<string, Case>> = {
  'a call that resolves': {
    call: ({ breaker }) => breaker.execute(async () => 'value'),
    events: RESOLVED,
    last: { outcome: 'success', result: 'value' },
  },
  'a call that rejects': {
    call: ({ breaker }) => breaker.execute(() => Promise.reject(boom)),
    events: REJECTED,
    last: { outcome: 'failure', error: boom },
  },
  'a call that throws: execute itself never does': {
    call: ({ breaker }) => breaker.execute(throws),
    events: REJECTED,
    last: { outcome: 'failure', error: boom },
  },
  'a refusal: an error like any other': {
    make: makeOpen,
    call: ({ breaker }) => breaker.execute(() => 'value'),
    events: REJECTED,
    last: { outcome: 'refused', error: expect.any(CircuitOpenError) },
  },
  'a timeout': {
    call: ({ breaker }) => breaker.execute(() => new Promise(() => {}), { timeoutMs: 1 }),
    events: REJECTED,
    last: { outcome: 'failure', error: expect.any(CallTimeoutError) },
  },
  'an abort in the midst': {
    call: ({ breaker }) => {
      const controller = new AbortController()
      const { signal } = controller
      const promise = breaker.execute(() => new Promise(() => {}), { signal })
      controller.abort(boom)
      return promise
    },
    events: REJECTED,
    last: { outcome: 'ignored', error: boom },
  },
  'an abort before: no permit was asked for': {
    call: ({ breaker }) => breaker.execute(() => 'value', { signal: AbortSignal.abort(boom) }),
    events: REJECTED,
    last: { error: boom },
  },
  'a result that is a failure': {
    options: { isFailure: () => true },
    call: ({ breaker }) => breaker.execute(() => 'value'),
    events: RESOLVED,
    last: { outcome: 'failure', result: 'value' },
  },
  'an error that is ignored': {
    options: { classifyError: () => 'ignored' },
    call: ({ breaker }) => breaker.execute(throws),
    events: REJECTED,
    last: { outcome: 'ignored', error: boom },
  },
  'a failure that a fallback answers: no error for the caller': {
    call: ({ breaker }) => breaker.execute(throws, { fallback: async () => 'answer' }),
    events: RESOLVED,
    last: { outcome: 'failure', result: 'answer', fallbackError: boom },
  },
  'a refusal that a fallback answers': {
    make: makeOpen,
    call: ({ breaker }) => breaker.execute(() => 'value', { fallback: () => 'answer' }),
    events: RESOLVED,
    last: { outcome: 'refused', result: 'answer', fallbackError: expect.any(CircuitOpenError) },
  },
  'a fallback that fails': {
    call: ({ breaker }) => breaker.execute(() => Promise.reject(1), { fallback: throws }),
    events: REJECTED,
    last: { outcome: 'failure', error: boom, fallbackError: 1 },
  },
  'a trial': {
    make: makeReady,
    call: ({ breaker }) => breaker.execute(() => 'value'),
    events: RESOLVED,
    last: { outcome: 'success', result: 'value', isTrial: true },
  },
  'a call that the breaker outlived': {
    call: ({ breaker }) => breaker.execute(async () => breaker.reset()),
    events: RESOLVED,
    last: { outcome: 'late', result: undefined },
  },
  'bad options': {
    call: ({ breaker }) => breaker.execute(() => 'value', { timeoutMs: -1 }),
    events: REJECTED,
    last: { error: expect.objectContaining({ code: 'ERR_INVALID_OPTION' }) },
  },
  'no function': {
    call: ({ breaker }) => breaker.execute(undefined as never),
    events: REJECTED,
    last: { error: expect.objectContaining({ code: 'ERR_INVALID_OPTION' }) },
  },
  'tryExecute, which never rejects': {
    make: makeOpen,
    call: async ({ breaker }) => {
      expect(await breaker.tryExecute(() => 'value')).toMatchObject({ ok: false, refused: true })
    },
    events: REJECTED,
    last: { outcome: 'refused', error: expect.any(CircuitOpenError) },
  },
  'a wrapped function': {
    call: ({ breaker }) => breaker.wrap(async (a: number, b: number) => a + b)(1, 2),
    events: RESOLVED,
    last: { outcome: 'success', result: 3 },
  },
}

describe('busbar:execute', () => {
  it.each(Object.entries(CASES))('%s', async (_, { options, call, events, last, ...rest }) => {
    const made = (rest.make ?? make)(options)
    const seen = traceAll()
    await call(made).catch(() => {})
    expect(eventsOf(seen)).toEqual(events)
    expect(new Set(seen.map(({ trace }) => trace)).size).toBe(1)
    const { name } = made.breaker
    expect(seen.at(-1)?.copy).toEqual({ breaker: name, isTrial: false, ...last })
    expect(seen[0]?.copy).toEqual({ breaker: name, isTrial: false })
  })

  it.each([
    ['returns', () => 'value', ['start', 'end'], { outcome: 'success', result: 'value' }],
    ['throws', throws, ['start', 'error', 'end'], { outcome: 'failure', error: boom }],
  ])('executeSync of a function that %s', (_, fn, events, last) => {
    const { breaker } = make()
    const seen = traceAll()
    try {
      breaker.executeSync(fn)
    } catch {}
    expect(eventsOf(seen)).toEqual(events)
    expect(seen.at(-1)?.copy).toEqual({ breaker: breaker.name, isTrial: false, ...last })
  })

  it('executeSync that is refused', () => {
    const { breaker } = makeOpen()
    const seen = traceAll()
    const error = thrownBy(() => breaker.executeSync(() => 'value'))
    expect(eventsOf(seen)).toEqual(['start', 'error', 'end'])
    expect(seen.at(-1)?.copy).toMatchObject({ outcome: 'refused', error })
  })

  it('ends when execute returns, and has said by then whether it was refused', async () => {
    const { breaker } = makeOpen()
    const seen = traceAll()
    const promise = breaker.execute(() => 'value')
    expect(eventsOf(seen)).toEqual(['start', 'end'])
    expect(seen[1]?.copy).toMatchObject({ outcome: 'refused' })
    await rejectionOf(promise)
  })

  it('is over before the caller goes on', async () => {
    const { breaker } = make()
    const seen = traceAll()
    const { promise, resolve } = deferred()
    const order: string[] = []
    listen('tracing:busbar:execute:asyncEnd', () => order.push('asyncEnd'))
    const call = breaker.execute(() => promise).then(() => order.push('caller'))
    await nextMacrotask()
    expect(eventsOf(seen)).toEqual(['start', 'end'])
    resolve('value')
    await call
    expect(order).toEqual(['asyncEnd', 'caller'])
  })

  it.each(['start', 'end', 'error', 'asyncStart', 'asyncEnd'])(
    'needs no more than %s',
    async of => {
      const { breaker } = make()
      const messages = messagesOf<ExecuteTrace>(`tracing:busbar:execute:${of}`)
      expect(await rejectionOf(breaker.execute(throws))).toBe(boom)
      expect(messages).toHaveLength(1)
    },
  )

  it('carries a store that is bound to its start into the function and to the end', async () => {
    const { breaker } = make()
    const storage = new AsyncLocalStorage<string>()
    traced.start.bindStore(storage as AsyncLocalStorage<unknown>, ({ breaker: of }) => `span ${of}`)
    const stores: unknown[] = []
    listen('tracing:busbar:execute:asyncEnd', () => stores.push(storage.getStore()))
    try {
      await breaker.execute(async () => {
        await nextMacrotask()
        stores.push(storage.getStore())
      })
    } finally {
      traced.start.unbindStore(storage as AsyncLocalStorage<unknown>)
    }
    expect(stores).toEqual([`span ${breaker.name}`, `span ${breaker.name}`])
    expect(storage.getStore()).toBeUndefined()
  })

  it('has a trace for each of two calls, one within the other', async () => {
    const { registry, breaker } = make()
    const inner = registry.breaker('inner')
    const seen = traceAll()
    await breaker.execute(() => inner.execute(() => 'value'))
    expect(seen.map(({ event, copy }) => `${copy.breaker} ${event}`)).toEqual([
      `${breaker.name} start`,
      'inner start',
      'inner end',
      `${breaker.name} end`,
      'inner asyncStart',
      'inner asyncEnd',
      `${breaker.name} asyncStart`,
      `${breaker.name} asyncEnd`,
    ])
  })

  it('remembers the last error that was counted, as an untraced call does', async () => {
    const { breaker } = make({ slidingWindow: { type: 'consecutive', failures: 1 } })
    traceAll()
    await rejectionOf(breaker.execute(throws))
    expect(await rejectionOf(breaker.execute(throws))).toMatchObject({ lastError: boom })
  })
})
