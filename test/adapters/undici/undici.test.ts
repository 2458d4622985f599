/** busbar/undici in undici 6, whose handlers are of the old style, and in 7, which has both. */
import { describe, expect, it } from 'vitest'
import { CircuitOpenError, InvalidOptionError } from '../../../src/index.ts'
import {
  breakerOf,
  deadOrigin,
  FAILURE,
  IGNORED,
  IN_FLIGHT,
  outcomesOf,
  SUCCESS,
  turn,
} from '../fetch/server.ts'
import { setUp, VERSIONS } from './set-up.ts'

describe.each(VERSIONS)('undici $version', version => {
  it.each([
    [200, SUCCESS],
    [204, SUCCESS],
    [404, SUCCESS],
    [429, SUCCESS],
    [500, FAILURE],
    [503, FAILURE],
  ])('a status of %i', async (status, outcome) => {
    const { request, origin, outcomes } = await setUp(version)
    const { statusCode, body } = await request(`${origin}/status/${status}`)
    expect(statusCode).toBe(status)
    await body.dump()
    expect(outcomes()).toEqual(outcome)
  })

  it('a connection that fails', async () => {
    const { request, registry } = await setUp(version)
    const origin = await deadOrigin()
    await expect(request(origin)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    expect(outcomesOf(breakerOf(registry, `undici:${origin}`))).toEqual(FAILURE)
  })

  it('a refusal is the error itself, without a request; a trial closes', async () => {
    const { request, origin, breaker, registry, server } = await setUp(version)
    for (let call = 0; call < 2; call++) await (await request(`${origin}/status/503`)).body.dump()
    const refusal: unknown = await request(origin).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(CircuitOpenError)
    expect(server.requests).toBe(2)
    registry.advance(1_000)
    await (await request(origin)).body.dump()
    expect(breaker().state).toBe('closed')
  })

  it('the caller aborts, also a trial (CL-01, HO-14)', async () => {
    const { request, origin, breaker, registry, held } = await setUp(version)
    await (await request(origin)).body.dump()
    breaker().open()
    registry.advance(1_000)
    const controller = new AbortController()
    const call = request(`${origin}/hold`, { signal: controller.signal })
    await held()
    controller.abort()
    await expect(call).rejects.toThrow('aborted')
    expect(outcomesOf(breaker())).toEqual({ ...IGNORED, succeeded: 1 })
    expect(breaker().canExecute()).toBe(true)
  })

  it('AbortSignal.timeout ends a request, alone and beside another signal (CL-02)', async () => {
    const { request, origin, outcomes } = await setUp(version)
    const signal = AbortSignal.timeout(20)
    await expect(request(`${origin}/hold`, { signal })).rejects.toThrow('timeout')
    const any = AbortSignal.any([new AbortController().signal, AbortSignal.timeout(20)])
    await expect(request(`${origin}/hold`, { signal: any })).rejects.toThrow('timeout')
    expect(outcomes()).toEqual({ ...FAILURE, failed: 2 })
  })

  it('the signal is aborted already: no breaker is asked', async () => {
    const { request, origin, registry } = await setUp(version)
    const signal = AbortSignal.abort(new DOMException('over', 'TimeoutError'))
    await expect(request(origin, { signal })).rejects.toThrow('over')
    expect(registry.names()).toEqual([])
  })

  it('what undici finds wrong, or does no more, is ignored', async () => {
    const { request, origin, outcomes, dispatcher } = await setUp(version)
    await expect(request(origin, { body: 5 as never })).rejects.toThrow('body must be')
    expect(outcomes()).toEqual(IGNORED)
    await dispatcher.close()
    await expect(request(origin)).rejects.toThrow(/closed|destroyed/)
    expect(outcomes()).toEqual({ ...IGNORED, ignored: 2 })
  })

  it('an early hint is no verdict', async () => {
    const { request, origin, outcomes, held } = await setUp(version)
    const infos: number[] = []
    const call = request(`${origin}/hold`, {
      onInfo: ({ statusCode }: { statusCode: number }) => infos.push(statusCode),
    } as object)
    const answer = await held()
    await new Promise<void>(resolve => answer.writeEarlyHints({ link: '</a>; rel=b' }, resolve))
    answer.writeHead(500).end()
    await (await call).body.dump()
    expect(infos).toEqual([103])
    expect(outcomes()).toEqual(FAILURE)
  })

  it("a Client's requests name no origin, so they need a key", async () => {
    const { undici, interceptor, registry, origin, server } = await setUp(version)
    const client = new undici.Client(origin)
    const guarded = client.compose(interceptor)
    const call = guarded.request({ path: '/', method: 'GET' })
    await expect(call).rejects.toThrow('options.key must be given')
    expect(server.requests).toBe(0)
    await client.close()
    expect(registry.names()).toEqual([])
  })

  it('key chooses the breaker, or none', async () => {
    const key = ({ method }: { method: string }) => (method === 'GET' ? undefined : method)
    const { undici, interceptor, registry, origin } = await setUp(version, { key, prefix: 'api' })
    const client = new undici.Client(origin)
    const guarded = client.compose(interceptor)
    for (const method of ['GET', 'PUT'] as const) {
      await (await guarded.request({ path: '/', method })).body.dump()
    }
    await client.close()
    expect(registry.names()).toEqual(['api:PUT'])
    expect(outcomesOf(breakerOf(registry, 'api:PUT'))).toEqual(SUCCESS)
  })

  it('isFailure is given the headers; what it throws reaches the caller', async () => {
    const seen: unknown[] = []
    const isFailure = (response: { headers: Record<string, unknown> }): boolean => {
      seen.push(response.headers['retry-after'])
      throw new Error('predicate')
    }
    const { request, origin, outcomes } = await setUp(version, { isFailure })
    await expect(request(`${origin}/status/200?retry-after=7`)).rejects.toThrow('predicate')
    expect(seen).toEqual(['7'])
    expect(outcomes()).toEqual(FAILURE)
  })

  it('Retry-After is the least wait', async () => {
    const options = { maxRetryAfterMs: 60_000 }
    const { request, origin, breaker } = await setUp(version, options)
    for (let call = 0; call < 2; call++) {
      await (await request(`${origin}/status/503?retry-after=30`)).body.dump()
    }
    expect(breaker().retryAfterMs()).toBe(30_000)
    await expect(request(origin)).rejects.toThrow('forced-open: Retry-After')
  })

  describe('with the verdict at the body', () => {
    const options = { verdictAt: 'body' } as const

    it('a body that comes in whole', async () => {
      const { request, origin, outcomes, held } = await setUp(version, options)
      const call = request(`${origin}/begin`)
      const answer = await held()
      const { body } = await call
      expect(outcomes()).toEqual(IN_FLIGHT)
      answer.end('x'.repeat(96))
      expect(await body.text()).toHaveLength(100)
      expect(outcomes()).toEqual(SUCCESS)
    })

    it('a body that breaks off, read or not', async () => {
      const { request, origin, outcomes, held } = await setUp(version, options)
      for (const isRead of [true, false]) {
        const call = request(`${origin}/begin`)
        const answer = await held()
        const { body } = await call
        const end = isRead ? body.text() : new Promise((_, reject) => body.once('error', reject))
        answer.destroy()
        await expect(end).rejects.toThrow('other side closed')
      }
      expect(outcomes()).toEqual({ ...FAILURE, failed: 2 })
    })

    it('a body that the caller destroys', async () => {
      const { request, origin, outcomes, held } = await setUp(version, options)
      const call = request(`${origin}/begin`)
      await held()
      const { body } = await call
      body.on('error', () => {}).destroy()
      await turn()
      expect(outcomes()).toEqual(IGNORED)
    })

    it('a failure that nobody reads', async () => {
      const { request, origin, outcomes } = await setUp(version, options)
      await request(`${origin}/status/500`)
      expect(outcomes()).toEqual(FAILURE)
    })
  })

  it('refuses bad options', async () => {
    await expect(setUp(version, { verdictAt: 'end' as 'body' })).rejects.toThrow(InvalidOptionError)
    await expect(setUp(version, { timeoutMs: 5 } as never)).rejects.toThrow('options.timeoutMs')
  })
})
