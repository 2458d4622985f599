/** Which breaker guards a request, what counts, and what options there are. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import axios, { type InternalAxiosRequestConfig } from 'axios'
import { describe, expect, it, onTestFinished } from 'vitest'
import { guardedAdapter } from '../../../src/adapters/axios.ts'
import { InvalidOptionError, isRefusal, RegistryFullError } from '../../../src/index.ts'
import { errorOf, make, makeRegistry, serve } from './support.ts'

describe('by default a breaker guards an origin', () => {
  it('that of the URL as axios puts it together', async () => {
    const { http, registry, service } = await make('http')
    const other = await serve()
    const absolute = `${other.origin}/status/200`
    const origins = (): string[] => registry.names().map(name => name.replace('axios:', ''))
    await http.get('/status/200')
    await http.get('status/200', { baseURL: `${service.origin}/status/200/` })
    await http.get(`${service.origin.toUpperCase()}/status/200`)
    await http.get('', { baseURL: `${service.origin}/status/200` })
    // Put after the base, not in its place.
    await errorOf(http.get(absolute, { allowAbsoluteUrls: false }))
    expect(origins()).toEqual([service.origin])
    await http.get(absolute)
    await http.get(absolute, { baseURL: '' })
    expect(origins()).toEqual([service.origin, other.origin])
    expect(other.requests).toHaveLength(2)
  })

  it("or a socket's path", async () => {
    const folder = mkdtempSync(join(tmpdir(), 'busbar-axios-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const socketPath = join(folder, 's')
    await serve(socketPath)
    const { http, registry } = await make('http')
    await http.get('/status/200', { baseURL: '', socketPath })
    expect(registry.names()).toEqual([`axios:${socketPath}`])
  })

  it('and none what is not of http', async () => {
    const { http, registry } = await make('http')
    const inline = await http.get('data:text/plain,hello', { baseURL: '' })
    expect(String(inline.data)).toBe('hello')
    expect(await errorOf(http.get('ftp://host/', { baseURL: '' }))).toMatchObject({
      code: 'ERR_BAD_REQUEST',
    })
    expect(await errorOf(http.get('/nowhere', { baseURL: '' }))).toMatchObject({
      code: 'ERR_INVALID_URL',
    })
    expect(registry.names()).toEqual([])
  })
})

describe('options', () => {
  it('prefix and key name the breaker; without a key there is none', async () => {
    const key = ({ url }: InternalAxiosRequestConfig) => (url === '/hang' ? undefined : url)
    const { http, registry } = await make('http', { prefix: 'shop', key })
    await http.get('/status/200')
    expect(registry.names()).toEqual(['shop:/status/200'])
    await errorOf(http.get('/hang', { timeout: 10 }))
    expect(registry.names()).toHaveLength(1)
  })

  it('isFailure judges answers, those that are errors too', async () => {
    const { http, totals } = await make('http', { isFailure: ({ status }) => status === 404 })
    await errorOf(http.get('/status/404'))
    await http.get('/status/404', { validateStatus: null })
    await errorOf(http.get('/status/500'))
    expect(totals()).toMatchObject({ failed: 2, succeeded: 1 })
  })

  it('what isFailure throws is a failure, and the error', async () => {
    const isFailure = () => {
      throw new Error('a bug')
    }
    const { http, totals } = await make('http', { isFailure })
    await expect(http.get('/status/200')).rejects.toThrow('a bug')
    await expect(http.get('/status/404')).rejects.toThrow('a bug')
    expect(totals()).toMatchObject({ admitted: 2, failed: 2, inFlight: 0 })
  })

  it('classifyError judges errors without an answer that are not of the caller', async () => {
    const asked: unknown[] = []
    const classifyError = (error: unknown) => {
      asked.push(error)
      return 'ignored' as const
    }
    const { http, totals } = await make('http', { classifyError })
    const error = await errorOf(http.get('/reset'))
    await errorOf(http.get('/status/500'))
    await errorOf(http.post('/status/200', 'long', { maxBodyLength: 1 }))
    expect(asked).toEqual([error])
    expect(totals()).toMatchObject({ ignored: 2, failed: 1 })
  })

  it('maxRetryAfterMs honours what an answer asks for', async () => {
    const { http, breaker } = await make('http', { maxRetryAfterMs: 60_000 })
    for (let call = 0; call < 4; call++) await errorOf(http.get('/status/503'))
    expect(breaker().retryAfterMs()).toBe(30_000)
  })

  it('max bounds the breakers', async () => {
    const { http } = await make('http', { max: 1, idleAfterMs: 60_000 })
    await http.get('/status/200')
    const other = await serve()
    expect(await errorOf(http.get(`${other.origin}/status/200`))).toBeInstanceOf(RegistryFullError)
  })

  it('nonsense and what does not exist is refused', () => {
    const registry = makeRegistry()
    const adapter = axios.getAdapter('http')
    const made = (options: unknown) => () => guardedAdapter(registry, adapter, options as never)
    for (const [options, option] of [
      [{ max: 4, key: 'host' }, 'options.key'],
      [{ max: 4, isFailure: 500 }, 'options.isFailure'],
      [{ max: 4, prefix: '' }, 'name'],
      [{ max: 0 }, 'options.max'],
      [{}, 'options.max'],
      [{ max: 4, retries: 3 }, 'options.retries'],
      // axios has one of its own.
      [{ max: 4, timeoutMs: 3 }, 'options.timeoutMs'],
      [{ max: 4, verdictAt: 'body' }, 'options.verdictAt'],
      [null, 'options'],
    ] as const) {
      expect(made(options)).toThrow(InvalidOptionError)
      expect(made(options)).toThrow(option)
    }
    const names = axios.defaults.adapter as never
    expect(() => guardedAdapter(registry, names, { max: 4 })).toThrow(/^adapter must be a function/)
  })
})

describe('interceptors', () => {
  it('are given the refusal itself, which is no error of axios', async () => {
    const { http, breaker, registry, service } = await make('http')
    await http.get('/status/200')
    breaker().open()
    const seen: unknown[] = []
    http.interceptors.response.use(undefined, error => {
      seen.push(error)
      if (isRefusal(error)) return { data: 'the last good answer' }
      throw error
    })
    const { data } = await http.get('/status/200')
    expect(data).toBe('the last good answer')
    const [refusal] = seen
    expect(axios.isAxiosError(refusal)).toBe(false)
    expect(refusal).toMatchObject({ code: 'ERR_CIRCUIT_OPEN', breaker: `axios:${service.origin}` })
    expect(Object(refusal).config).toBeUndefined()
    expect(registry.snapshot().breakers).toHaveLength(1)
  })

  it('that retry come to the breaker with each attempt, and no further with a refusal', async () => {
    const { http, service, totals } = await make('http')
    http.interceptors.response.use(undefined, async error => {
      // As those that retry do: without a config there is nothing to send again.
      if (error.config === undefined) throw error
      return http.request(error.config)
    })
    expect(isRefusal(await errorOf(http.get('/status/503')))).toBe(true)
    expect(service.requests).toHaveLength(4)
    expect(totals()).toMatchObject({ admitted: 4, failed: 4, refused: 1 })
  })

  it('and one adapter may serve a single request', async () => {
    const { registry, service } = await make('http')
    const adapter = guardedAdapter(registry, axios.getAdapter('fetch'), { max: 1, prefix: 'one' })
    await axios.get(`${service.origin}/status/200`, { adapter })
    expect(registry.names()).toEqual([`one:${service.origin}`])
  })
})
