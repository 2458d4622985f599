/** What becomes of requests made by axios's own adapters, to a real server. */
import { once } from 'node:events'
import axios, { AxiosError } from 'axios'
import { describe, expect, it } from 'vitest'
import { CircuitOpenError } from '../../../src/index.ts'
import { errorOf, make } from './support.ts'

const ONE = { admitted: 1, succeeded: 0, failed: 0, ignored: 0, refused: 0, inFlight: 0 }

describe.each(['http', 'fetch'] as const)('through the %s adapter', adapter => {
  it('an answer below 500 is a success, whatever validateStatus says', async () => {
    const { http, totals } = await make(adapter)
    expect((await http.get('/status/200')).data).toEqual({ a: 1 })
    for (const status of [401, 404, 429]) {
      const error = await errorOf(http.get(`/status/${status}`))
      expect(error).toBeInstanceOf(AxiosError)
      expect(error.status).toBe(status)
      // Interceptors come after the adapter: transformed as ever.
      expect(error.response).toMatchObject({ data: { a: 1 } })
    }
    await errorOf(http.get('/status/200', { validateStatus: () => false }))
    expect(totals()).toMatchObject({ admitted: 5, succeeded: 5, failed: 0, ignored: 0 })
  })

  it('5xx is a failure, as an error and as a response', async () => {
    const { http, totals } = await make(adapter)
    const error = await errorOf(http.get('/status/503'))
    expect(error).toMatchObject({ isAxiosError: true, status: 503, code: 'ERR_BAD_RESPONSE' })
    const response = await http.get('/status/500', { validateStatus: null })
    expect(response.status).toBe(500)
    expect(totals()).toMatchObject({ admitted: 2, failed: 2, inFlight: 0 })
  })

  it('a connection that breaks, before an answer or within one, is a failure', async () => {
    const { http, totals, service } = await make(adapter)
    expect(await errorOf(http.get('/reset'))).toMatchObject({ isAxiosError: true })
    for (const status of [200, 404]) {
      expect(await errorOf(http.get(`/half/${status}`))).toMatchObject({ isAxiosError: true })
    }
    expect(totals()).toMatchObject({ admitted: 3, failed: 3 })
    service.server.closeAllConnections()
    service.server.close()
    await once(service.server, 'close')
    expect(await errorOf(http.get('/status/200'))).toMatchObject({ isAxiosError: true })
    expect(totals()).toMatchObject({ admitted: 4, failed: 4 })
  })

  it("axios's timeout is a failure, under both of its codes", async () => {
    const { http, totals } = await make(adapter)
    const codes = ['ECONNABORTED', 'ETIMEDOUT']
    for (const clarifyTimeoutError of [false, true]) {
      const transitional = { clarifyTimeoutError }
      const error = await errorOf(http.get('/hang', { timeout: 15, transitional }))
      expect(codes).toContain(error.code)
    }
    expect(totals()).toMatchObject({ admitted: 2, failed: 2, inFlight: 0 })
  })

  // CL-02
  it('the time of AbortSignal.timeout is a failure, also where it is one signal of several', async () => {
    const { http, totals } = await make(adapter)
    const other = new AbortController().signal
    for (const signal of [
      AbortSignal.timeout(15),
      AbortSignal.any([AbortSignal.timeout(15), other]),
    ]) {
      expect(axios.isCancel(await errorOf(http.get('/hang', { signal })))).toBe(true)
    }
    expect(totals()).toMatchObject({ admitted: 2, failed: 2, inFlight: 0 })
  })

  // CL-01
  it("the caller's cancellation is ignored, by a signal and by a token", async () => {
    const { http, totals, service } = await make(adapter)
    for (let call = 0; call < 5; call++) {
      const controller = new AbortController()
      const { token, cancel } = axios.CancelToken.source()
      service.server.once('request', () => (call % 2 === 0 ? controller.abort() : cancel('enough')))
      const { signal } = controller
      const error = await errorOf(http.get('/hang', { signal, cancelToken: token }))
      expect(axios.isCancel(error)).toBe(true)
    }
    expect(totals()).toEqual({ ...ONE, admitted: 5, ignored: 5 })
  })

  it('one that is cancelled before it begins is no call', async () => {
    const { http, registry } = await make(adapter)
    const error = await errorOf(http.get('/hang', { signal: AbortSignal.abort() }))
    expect(axios.isCancel(error)).toBe(true)
    expect(registry.names()).toEqual([])
  })

  it('a config that no request is made of is ignored', async () => {
    const { http, totals, service } = await make(adapter)
    const error = await errorOf(http.post('/status/200', 'x'.repeat(100), { maxBodyLength: 10 }))
    expect(error).toMatchObject({ code: 'ERR_BAD_REQUEST' })
    expect(service.requests).toEqual([])
    expect(totals()).toEqual({ ...ONE, ignored: 1 })
  })

  it('opens, refuses without a request, and closes by a trial', async () => {
    const { http, totals, service, breaker, registry } = await make(adapter)
    for (let call = 0; call < 4; call++) await errorOf(http.get('/status/503'))
    const error = await errorOf(http.get('/status/200'))
    expect(error).toBeInstanceOf(CircuitOpenError)
    expect(error).toMatchObject({ breaker: breaker().name, retryAfterMs: 1_000 })
    expect(service.requests).toHaveLength(4)
    registry.advance(1_000)
    // HO-14: a trial that is cancelled leaves its place to the next.
    const controller = new AbortController()
    service.server.once('request', () => controller.abort())
    await errorOf(http.get('/hang', { signal: controller.signal }))
    expect(breaker().state).toBe('half-open')
    // The dependency answers, if only with a 404: a trial that succeeds.
    await errorOf(http.get('/status/404'))
    expect(breaker().state).toBe('closed')
    expect(totals()).toEqual({
      admitted: 6,
      succeeded: 1,
      failed: 4,
      ignored: 1,
      refused: 1,
      inFlight: 0,
    })
  })

  it("a stream's verdict stands with its headers", async () => {
    const { http, totals } = await make(adapter)
    const { data } = await http.get('/half/200', { responseType: 'stream' })
    expect(totals()).toEqual({ ...ONE, succeeded: 1 })
    const reading = (async () => {
      for await (const _chunk of data) expect(totals()).toEqual({ ...ONE, succeeded: 1 })
    })()
    await expect(reading).rejects.toThrow()
  })
})
