/** What the statuses of calls to a real server say of it, for all four kinds of calls. */
import { once } from 'node:events'
import { status as Status } from '@grpc/grpc-js'
import { describe, expect, it } from 'vitest'
import { CircuitOpenError, isRefusal } from '../../../src/index.ts'
import { call, clientOf, type Failure, interceptorOf, make, proxyOf, read } from './support.ts'

const NONE = { admitted: 0, succeeded: 0, failed: 0, ignored: 0, refused: 0, inFlight: 0 }
const FAILURES = [
  Status.UNKNOWN,
  Status.DEADLINE_EXCEEDED,
  Status.RESOURCE_EXHAUSTED,
  Status.INTERNAL,
  Status.UNAVAILABLE,
  Status.DATA_LOSS,
]
const CODES = Object.values(Status).filter(code => typeof code === 'number')

describe('a unary call', () => {
  it.each(CODES)('that ends with %i', async code => {
    const { client, totals } = await make()
    const result = await call(client, { values: [7], code })
    if (code === Status.OK) expect(result).toBe(7)
    else expect(result).toMatchObject({ code, details: `code ${code}` })
    const verdict =
      code === Status.CANCELLED ? 'ignored' : FAILURES.includes(code) ? 'failed' : 'succeeded'
    expect(totals()).toEqual({ ...NONE, admitted: 1, [verdict]: 1 })
  })

  // CL-02
  it('that outlives its deadline is a failure', async () => {
    const { client, totals } = await make()
    const result = await call(client, { hangs: true }, { deadline: new Date(Date.now() + 20) })
    expect(result).toMatchObject({ code: Status.DEADLINE_EXCEEDED })
    expect(totals()).toEqual({ ...NONE, admitted: 1, failed: 1 })
  })

  // CL-01
  it('that its caller cancels is ignored', async () => {
    const { client, totals, service } = await make()
    for (let round = 0; round < 5; round++) {
      const arrived = service.next()
      const ended = new Promise(resolve => {
        const made = client.unary({ hangs: true }, {}, resolve)
        arrived.then(() => made.cancel())
      })
      expect(await ended).toMatchObject({ code: Status.CANCELLED })
    }
    expect(totals()).toEqual({ ...NONE, admitted: 5, ignored: 5 })
  })

  it('to a server that is gone is a failure', async () => {
    const { client, totals, service } = await make()
    service.server.forceShutdown()
    expect(await call(client, {})).toMatchObject({ code: Status.UNAVAILABLE })
    expect(totals()).toEqual({ ...NONE, admitted: 1, failed: 1 })
  })

  it('on a closed channel is none', async () => {
    const { client, totals } = await make()
    client.close()
    expect(() => client.unary({}, {}, () => {})).toThrow()
    expect(totals()).toEqual({ ...NONE, admitted: 1, ignored: 1 })
  })
})

describe('a stream', () => {
  it('of requests gives its verdict with its answer', async () => {
    const { client, totals } = await make()
    for (const code of [Status.OK, Status.INTERNAL]) {
      const ended = new Promise(resolve => {
        const stream = client.upload({}, (error, value) => resolve(error ?? value))
        stream.write({ values: [1] })
        stream.write({ values: [2], code })
        expect(totals()).toMatchObject({ inFlight: 1 })
        stream.end()
      })
      expect(await ended).toEqual(code === Status.OK ? 2 : expect.objectContaining({ code }))
    }
    expect(totals()).toEqual({ ...NONE, admitted: 2, succeeded: 1, failed: 1 })
  })

  it('of answers gives it at its end, not with its first', async () => {
    const { client, totals } = await make()
    for (const code of [Status.OK, Status.UNAVAILABLE]) {
      const stream = client.download({ values: [1, 2, 3], code })
      const reading = read(stream)
      await once(stream, 'data')
      expect(totals()).toMatchObject({ inFlight: 1 })
      const { values, status } = await reading
      expect({ values, code: status.code }).toEqual({ values: [1, 2, 3], code })
    }
    expect(totals()).toEqual({ ...NONE, admitted: 2, succeeded: 1, failed: 1 })
  })

  it('of both gives it at its end', async () => {
    const { client, totals } = await make()
    const stream = client.chat()
    const reading = read(stream)
    for (const value of [4, 5]) {
      stream.write({ values: [value] })
      await once(stream, 'data')
    }
    expect(totals()).toMatchObject({ inFlight: 1 })
    stream.end()
    expect(await reading).toMatchObject({ values: [4, 5], status: { code: Status.OK } })
    expect(totals()).toEqual({ ...NONE, admitted: 1, succeeded: 1 })
  })

  it('that its caller cancels is ignored', async () => {
    const { client, totals } = await make()
    const stream = client.download({ values: [1], hangs: true })
    stream.once('data', () => stream.cancel())
    expect(await read(stream)).toMatchObject({ status: { code: Status.CANCELLED } })
    expect(totals()).toEqual({ ...NONE, admitted: 1, ignored: 1 })
  })

  it('whose connection breaks is a failure', async () => {
    const { registry, service, totals } = await make()
    const proxy = await proxyOf(service)
    const stream = clientOf(proxy.target, [interceptorOf(registry)]).chat()
    stream.write({ values: [1] })
    stream.once('data', () => proxy.cut())
    expect((await read(stream)).error).toMatchObject({ code: Status.UNAVAILABLE })
    expect(totals()).toEqual({ ...NONE, admitted: 1, failed: 1 })
  })
})

describe('an open breaker', () => {
  it('refuses with UNAVAILABLE and a cause, without a call', async () => {
    const { client, totals, service, breaker } = await make()
    for (let round = 0; round < 2; round++) await call(client, { code: Status.INTERNAL })
    service.calls.length = 0
    const refused = (await call(client, {})) as Failure
    expect(refused).toBeInstanceOf(Error)
    expect(refused).toMatchObject({
      code: Status.UNAVAILABLE,
      details: 'circuit breaker "grpc:shop.Stock" is open',
    })
    expect(refused.metadata.getMap()).toEqual({})
    expect(refused.cause).toBeInstanceOf(CircuitOpenError)
    expect(refused.cause).toMatchObject({
      breaker: breaker.name,
      lastError: { code: Status.INTERNAL, details: 'code 13' },
    })
    expect(isRefusal(refused.cause)).toBe(true)
    expect(service.calls).toEqual([])
    expect(totals()).toEqual({ ...NONE, admitted: 2, failed: 2, refused: 1 })
  })

  it('ends every kind of stream so, and what is written to them ends too', async () => {
    const { client, breaker, service } = await make()
    breaker.open()
    service.calls.length = 0
    const refusal = { code: Status.UNAVAILABLE, cause: expect.any(CircuitOpenError) }
    const uploaded = new Promise<unknown>(resolve => {
      const upload = client.upload({}, error => resolve({ error, upload }))
      for (let wish = 0; wish < 40; wish++) upload.write({ values: [wish] })
      upload.end()
    })
    const { error, upload } = (await uploaded) as { error: Failure; upload: NodeJS.WritableStream }
    expect(error).toMatchObject(refusal)
    if (!Object(upload).writableFinished) await once(upload, 'finish')
    expect((await read(client.download({ values: [1] }))).error).toMatchObject(refusal)
    const chat = client.chat()
    chat.write({ values: [1] })
    expect(chat.getPeer()).toBe('unknown')
    expect(await read(chat)).toMatchObject({ error: refusal, status: refusal })
    expect(service.calls).toEqual([])
  })

  it('closes by a trial, and a cancelled trial gives its place to the next', async () => {
    const { client, breaker, registry, service } = await make()
    breaker.open()
    registry.advance(1_000)
    // HO-14
    const arrived = service.next()
    const ended = new Promise(resolve => {
      const trial = client.unary({ hangs: true }, {}, resolve)
      arrived.then(() => trial.cancel())
    })
    await arrived
    expect(((await call(client, {})) as Failure).cause).toMatchObject({ state: 'half-open' })
    await ended
    expect(breaker.state).toBe('half-open')
    expect(await call(client, { code: Status.NOT_FOUND })).toMatchObject({ code: Status.NOT_FOUND })
    expect(breaker.state).toBe('closed')
  })

  it('is no failure to a breaker around it', async () => {
    const { service, registry } = await make()
    const whole = interceptorOf(registry, { prefix: 'whole', key: () => 'stock' })
    const client = clientOf(service.target, [whole, interceptorOf(registry)])
    registry.get('grpc:shop.Stock')?.open()
    const refused = (await call(client, {})) as Failure
    expect(refused.cause).toMatchObject({ breaker: 'grpc:shop.Stock' })
    expect(registry.get('whole:stock')?.snapshot().totals).toMatchObject({ ignored: 1, failed: 0 })
  })
})
