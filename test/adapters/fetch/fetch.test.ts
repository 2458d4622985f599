/** busbar/fetch on Node's own fetch and undici's: verdicts at the headers, refusals, options. */

import { fetch as undiciFetch } from 'undici'
import { describe, expect, it } from 'vitest'
import { guardedFetch } from '../../../src/adapters/fetch.ts'
import { CircuitOpenError, InvalidOptionError } from '../../../src/index.ts'
import {
  breakerOf,
  deadOrigin,
  FAILURE,
  IGNORED,
  OPTIONS,
  outcomesOf,
  SUCCESS,
  serve,
} from './server.ts'
import { setUp } from './set-up.ts'

function throwing(): boolean {
  throw new Error('predicate')
}

describe('a response', () => {
  it.each([200, 204, 304, 400, 404, 429])('of status %i is a success', async status => {
    const { guarded, origin, outcomes } = await setUp()
    expect((await guarded(`${origin}/status/${status}`)).status).toBe(status)
    expect(outcomes()).toEqual(SUCCESS)
  })

  it.each([500, 503, 599, 999])(
    'of status %i is a failure, and the caller gets it',
    async status => {
      const { guarded, origin, outcomes } = await setUp()
      const response = await guarded(`${origin}/status/${status}`)
      expect(await response.text()).toBe('body')
      expect(outcomes()).toEqual(FAILURE)
    },
  )

  it('is what isFailure says', async () => {
    const isFailure = (response: Response) => response.status === 429
    const { guarded, origin, outcomes } = await setUp({ isFailure })
    await guarded(`${origin}/status/429`)
    await guarded(`${origin}/status/503`)
    expect(outcomes()).toEqual({ ...FAILURE, succeeded: 1 })
  })

  it.each([
    ['predicate', throwing],
    ['an answer, not a promise', async () => false],
  ])('is a failure where isFailure throws: %s; the caller hears that', async (text, predicate) => {
    const isFailure = predicate as unknown as () => boolean
    const { guarded, origin, outcomes } = await setUp({ isFailure })
    await expect(guarded(`${origin}/status/200`)).rejects.toThrow(text)
    expect(outcomes()).toEqual(FAILURE)
  })

  it('is the one of fetch itself', async () => {
    const { guarded, origin } = await setUp({ verdictAt: 'body' })
    const response = await guarded(`${origin}/redirect`)
    expect(response).toBeInstanceOf(Response)
    expect(response).toMatchObject({ url: `${origin}/status/200`, redirected: true, type: 'basic' })
    expect(() => response.headers.set('x', 'y')).toThrow('immutable')
  })
})

describe('an error', () => {
  it('of the network is a failure, passed on as fetch gives it', async () => {
    const { guarded, registry } = await setUp()
    const origin = await deadOrigin()
    const error: unknown = await guarded(origin).catch((error: unknown) => error)
    expect(error).toMatchObject({ message: 'fetch failed', cause: { code: 'ECONNREFUSED' } })
    expect(outcomesOf(breakerOf(registry, `fetch:${origin}`))).toEqual(FAILURE)
  })

  it('is what classifyError says', async () => {
    const origin = await deadOrigin()
    const { guarded, registry } = await setUp({ classifyError: () => 'ignored' })
    await expect(guarded(origin)).rejects.toThrow('fetch failed')
    expect(outcomesOf(breakerOf(registry, `fetch:${origin}`))).toEqual(IGNORED)
  })

  it('of a stub without a cause is a failure', async () => {
    const fetch = () => Promise.reject(new TypeError('fetch failed'))
    const { guarded, origin, outcomes } = await setUp({ fetch })
    await expect(guarded(origin)).rejects.toThrow('fetch failed')
    expect(outcomes()).toEqual(FAILURE)
  })

  it.each([
    ['a GET with a body', { body: 'x' }],
    ['a header that is none', { headers: { 'a b': '' } }],
  ])('about %s is ignored: there was no request', async (_, init) => {
    const { guarded, origin, outcomes, server } = await setUp()
    await expect(guarded(origin, init)).rejects.toThrow(TypeError)
    expect(outcomes()).toEqual(IGNORED)
    expect(server.requests).toBe(0)
  })
})

describe('an abort', () => {
  it("by the caller is ignored, also the Request's own, also of a trial (CL-01, HO-14)", async () => {
    const { guarded, origin, breaker, registry, held } = await setUp()
    const abort = async (signal: (signal: AbortSignal) => Promise<Response>) => {
      const controller = new AbortController()
      const call = signal(controller.signal)
      await held()
      controller.abort()
      await expect(call).rejects.toThrow('aborted')
    }
    await abort(signal => guarded(`${origin}/hold`, { signal }))
    await abort(signal => guarded(new Request(`${origin}/hold`, { signal })))
    expect(outcomesOf(breaker())).toEqual({ ...IGNORED, ignored: 2 })

    breaker().open()
    registry.advance(1_000)
    await abort(signal => guarded(`${origin}/hold`, { signal }))
    expect(breaker().state).toBe('half-open')
    await guarded(`${origin}/status/200`)
    expect(breaker().state).toBe('closed')
  })

  it('by AbortSignal.timeout is a failure, alone and beside another signal (CL-02)', async () => {
    const { guarded, origin, breaker } = await setUp()
    const signal = AbortSignal.any([new AbortController().signal, AbortSignal.timeout(10)])
    await expect(guarded(`${origin}/hold`, { signal })).rejects.toThrow('timeout')
    const request = new Request(`${origin}/hold`, { signal: AbortSignal.timeout(10) })
    await expect(guarded(request)).rejects.toThrow('timeout')
    expect(outcomesOf(breaker())).toEqual({ ...FAILURE, failed: 2 })
    expect(breaker().state).toBe('open')
  })

  it('that came before the call is not a call', async () => {
    const { guarded, origin, registry, server } = await setUp()
    const signal = AbortSignal.abort(new DOMException('over', 'TimeoutError'))
    await expect(guarded(origin, { signal })).rejects.toThrow('over')
    expect(registry.names()).toEqual([])
    // A Request's signal does not count where init gives another, or none.
    await guarded(new Request(origin, { signal }), { signal: null })
    expect(server.requests).toBe(1)
    expect(registry.names()).toEqual([`fetch:${origin}`])
  })
})

describe('an open breaker', () => {
  it('refuses without a request, until a trial succeeds', async () => {
    const { guarded, origin, breaker, registry, server } = await setUp()
    await guarded(`${origin}/status/503`)
    await guarded(`${origin}/status/500`)
    const refusal: unknown = await guarded(origin).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(CircuitOpenError)
    expect(refusal).toMatchObject({ breaker: `fetch:${origin}`, retryAfterMs: 1_000 })
    expect(server.requests).toBe(2)
    registry.advance(1_000)
    expect((await guarded(origin)).status).toBe(200)
    expect(breaker().state).toBe('closed')
  })

  it('refuses its own origin only', async () => {
    const { guarded, origin, breaker } = await setUp()
    const other = await serve()
    await guarded(origin)
    breaker().open()
    expect((await guarded(new URL('/path', other.origin))).status).toBe(200)
    await expect(guarded(new Request(`${origin}/path`))).rejects.toThrow(CircuitOpenError)
  })

  it('is another one for what its own fetch was refused by, which is ignored (HO-15)', async () => {
    const { guarded: inner, origin, registry, breaker } = await setUp()
    const fetch: typeof globalThis.fetch = async (...request) =>
      inner(...request).catch(cause => Promise.reject(new TypeError('fetch failed', { cause })))
    const outer = guardedFetch(registry, { ...OPTIONS, fetch, prefix: 'outer' })
    await outer(origin)
    breaker().open()
    await expect(outer(origin)).rejects.toThrow('fetch failed')
    const outcomes = outcomesOf(breakerOf(registry, `outer:${origin}`))
    expect(outcomes).toEqual({ ...SUCCESS, ignored: 1 })
  })
})

describe('keys', () => {
  it('are what key says of the call, and no breaker is asked where it says none', async () => {
    const key = (_: unknown, init?: RequestInit) => init?.method
    const { guarded, origin, registry } = await setUp({ key, prefix: 'api' })
    await guarded(origin, { method: 'PUT' })
    await guarded(origin)
    expect(registry.names()).toEqual(['api:PUT'])
  })

  it('are none for what is no address of http', async () => {
    const { guarded, registry } = await setUp()
    expect(await (await guarded('data:,text')).text()).toBe('text')
    await expect(guarded('nowhere')).rejects.toThrow('parse URL')
    expect(registry.names()).toEqual([])
  })

  it('are strings', async () => {
    const { guarded, origin } = await setUp({ key: () => 1 as unknown as string })
    await expect(guarded(origin)).rejects.toThrow(InvalidOptionError)
  })
})

it("guards another fetch, with that one's own signature", async () => {
  const { origin, registry } = await setUp()
  const guarded: typeof undiciFetch = guardedFetch(registry, {
    ...OPTIONS,
    fetch: undiciFetch,
    isFailure: response => response.status === 404,
    key: (_input, init) => init?.method ?? 'GET',
  })
  const plain: typeof fetch = guardedFetch(registry, OPTIONS)
  await guarded(`${origin}/status/404`)
  await plain(origin)
  expect(outcomesOf(breakerOf(registry, 'fetch:GET'))).toEqual(FAILURE)
})
