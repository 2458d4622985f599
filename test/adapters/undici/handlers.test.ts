/** What stands around the interceptor: retries, redirects, fetch, upgrades, handlers of all kinds. */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Dispatcher } from 'undici'
import { describe, expect, it } from 'vitest'
import { breakerInterceptor } from '../../../src/adapters/undici.ts'
import { CircuitOpenError } from '../../../src/index.ts'
import {
  breakerOf,
  FAILURE,
  IGNORED,
  makeRegistry,
  OPTIONS,
  outcomesOf,
  SUCCESS,
} from '../fetch/server.ts'
import { setUp, VERSIONS } from './set-up.ts'

describe.each(VERSIONS)('undici $version', version => {
  it.each(['interceptor', 'RetryAgent'])('a retry outside (%s): RI-01', async kind => {
    const { undici, dispatcher, origin, server, outcomes } = await setUp(version)
    const options = { maxRetries: 5, minTimeout: 1, maxTimeout: 1 }
    const retrying =
      kind === 'RetryAgent'
        ? new undici.RetryAgent(dispatcher as never, options)
        : dispatcher.compose(undici.interceptors.retry(options))
    // Two attempts fail and open the breaker; the third is refused, which ends the retrying.
    const call = undici.request(`${origin}/status/503`, { dispatcher: retrying })
    await expect(call).rejects.toBeInstanceOf(CircuitOpenError)
    expect(server.requests).toBe(2)
    expect(outcomes()).toEqual({ ...FAILURE, failed: 2 })
  })

  it('a redirect outside: each hop asks', async () => {
    const { undici, dispatcher, origin, outcomes } = await setUp(version)
    const redirecting = dispatcher.compose(undici.interceptors.redirect({ maxRedirections: 1 }))
    const { statusCode, body } = await undici.request(`${origin}/redirect`, {
      dispatcher: redirecting,
    })
    await body.dump()
    expect(statusCode).toBe(200)
    expect(outcomes()).toEqual({ ...SUCCESS, succeeded: 2 })
  })

  it.each(['undici', 'built in'])('fetch: %s', async whose => {
    const { undici, dispatcher, origin, breaker } = await setUp(version, { verdictAt: 'body' })
    const call = (whose === 'undici' ? undici.fetch : fetch) as typeof undici.fetch
    const response = await call(`${origin}/redirect`, { dispatcher })
    expect(await response.text()).toBe('body')
    const signal = AbortSignal.timeout(20)
    await expect(call(`${origin}/hold`, { dispatcher, signal })).rejects.toThrow('timeout')
    expect(outcomesOf(breaker())).toEqual({ ...FAILURE, succeeded: 2 })
    breaker().open()
    const refusal: unknown = await call(origin, { dispatcher }).catch((error: unknown) => error)
    expect(refusal).toMatchObject({ message: 'fetch failed', cause: { code: 'ERR_CIRCUIT_OPEN' } })
  })

  it('fetch is aborted by its caller, before and in the body', async () => {
    const { undici, dispatcher, origin, outcomes, held } = await setUp(version, {
      verdictAt: 'body',
    })
    for (const path of ['hold', 'begin']) {
      const controller = new AbortController()
      const { signal } = controller
      const call = undici.fetch(`${origin}/${path}`, { dispatcher, signal })
      const answer = held()
      await answer
      const text = call.then(response => response.text())
      if (path === 'begin') await call
      controller.abort()
      await expect(text).rejects.toThrow('aborted')
    }
    expect(outcomes()).toEqual({ ...IGNORED, ignored: 2 })
  })

  it('stream and pipeline', async () => {
    const { undici, dispatcher, origin, outcomes } = await setUp(version, { verdictAt: 'body' })
    const { PassThrough } = await import('node:stream')
    await undici.stream(`${origin}/status/200`, { dispatcher, method: 'GET' }, () =>
      new PassThrough().resume(),
    )
    const through = undici.pipeline(origin, { dispatcher, method: 'GET' }, ({ body }) => body)
    expect(await through.end().toArray()).toHaveLength(1)
    expect(outcomes()).toEqual({ ...SUCCESS, succeeded: 2 })
  })

  it('upgrades and CONNECT have their verdict with their socket', async () => {
    const registry = makeRegistry()
    const interceptor = breakerInterceptor(registry, { ...OPTIONS, verdictAt: 'body' })
    const dispatcher = version.agent(interceptor)
    const server = createServer()
    const take = (line: string) => (_: IncomingMessage, socket: Socket) =>
      socket
        .on('error', () => {})
        .resume()
        .write(`HTTP/1.1 ${line}\r\n\r\n`)
    const sockets = new Set<Socket>()
    server.on('connection', socket => sockets.add(socket))
    server.on('upgrade', take('101 Switching\r\nconnection: upgrade\r\nupgrade: echo'))
    server.on('connect', take('200 Connected'))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const request = { origin, path: '/' }
    const upgraded = await dispatcher.upgrade({ ...request, protocol: 'echo' })
    const connected = await dispatcher.connect(request)
    expect(outcomesOf(breakerOf(registry, `undici:${origin}`))).toEqual({
      ...SUCCESS,
      succeeded: 2,
    })
    server.removeAllListeners('upgrade').on('upgrade', (_, socket) => socket.destroy())
    const refused = dispatcher.upgrade({ ...request, protocol: 'echo' })
    await expect(refused).rejects.toThrow('other side closed')
    expect(outcomesOf(breakerOf(registry, `undici:${origin}`))).toMatchObject({ failed: 1 })
    for (const socket of [...sockets, upgraded.socket, connected.socket]) socket.destroy()
    await dispatcher.destroy()
    server.close()
  })

  /** Private fields break in a copy, and behind a proxy. */
  class OldHandler {
    readonly #heard: string[]
    readonly #throws: boolean

    constructor(heard: string[], throws = false) {
      this.#heard = heard
      this.#throws = throws
    }

    onConnect(): void {
      this.#heard.push('connect')
    }

    onHeaders(statusCode: number): boolean {
      this.#heard.push(String(statusCode))
      return true
    }

    onData(chunk: Buffer): boolean {
      if (this.#throws) throw new Error('handler')
      this.#heard.push(chunk.toString())
      return true
    }

    onComplete(): void {
      this.#heard.push('end')
    }

    onError(error: Error): void {
      this.#heard.push(error.message)
    }
  }

  const run = async (dispatcher: Dispatcher, origin: string, throws: boolean) => {
    const heard: string[] = []
    const options = { origin, path: '/', method: 'GET' } as const
    dispatcher.dispatch(options, new OldHandler(heard, throws))
    const isOver = () => heard.includes('end') || heard.includes('handler')
    for (let turns = 0; turns < 10_000 && !isOver(); turns++) await new Promise(setImmediate)
    return heard
  }

  it('a handler of the old style with fields of its own', async () => {
    const { dispatcher, origin, outcomes } = await setUp(version, { verdictAt: 'body' })
    expect(await run(dispatcher, origin, false)).toEqual(['connect', '200', 'body', 'end'])
    expect(outcomes()).toEqual(SUCCESS)
  })

  it('a handler that throws is not the dependency', async () => {
    const { dispatcher, origin, outcomes } = await setUp(version, { verdictAt: 'body' })
    expect(await run(dispatcher, origin, true)).toEqual(['connect', '200', 'handler'])
    expect(outcomes()).toEqual(IGNORED)
  })

  it('a dispatch that throws gives its permit back', async () => {
    const { interceptor, registry } = await setUp(version)
    const guarded = interceptor((_options: object, _handler: object): boolean => {
      throw new Error('dispatch')
    })
    const request = { origin: 'http://host', path: '/', method: 'GET' }
    expect(() => guarded(request, new OldHandler([]))).toThrow('dispatch')
    expect(outcomesOf(breakerOf(registry, 'undici:http://host'))).toEqual(IGNORED)
  })

  it('headers that came twice stay two', async () => {
    const seen: unknown[] = []
    const isFailure = ({ headers }: { headers: Record<string, unknown> }): boolean => {
      seen.push(headers['set-cookie'])
      return false
    }
    const { undici, dispatcher, origin, held } = await setUp(version, { isFailure })
    const call = undici.fetch(`${origin}/hold`, { dispatcher })
    const answer = await held()
    answer.setHeader('Set-Cookie', ['a=1', 'b=2', 'c=3']).end()
    expect((await call).headers.getSetCookie()).toEqual(['a=1', 'b=2', 'c=3'])
    expect(seen).toEqual([['a=1', 'b=2', 'c=3']])
  })
})
