/** Which breaker guards a call, what counts, how it stands among interceptors. */
import * as grpc from '@grpc/grpc-js'
import { describe, expect, it } from 'vitest'
import { breakerInterceptor } from '../../../src/adapters/grpc.ts'
import { CircuitOpenError, InvalidOptionError, RegistryFullError } from '../../../src/index.ts'
import {
  call,
  clientOf,
  type Failure,
  interceptorOf,
  make,
  makeRegistry,
  read,
  serve,
} from './support.ts'

describe('options', () => {
  it('key says what has a breaker: by default the service, here a method, or nothing', async () => {
    const { service } = await make()
    const registry = makeRegistry()
    const interceptor = interceptorOf(registry, {
      prefix: 'eu',
      key: ({ method_definition: { path, responseStream } }) => (responseStream ? undefined : path),
    })
    const client = clientOf(service.target, [interceptor])
    expect(await call(client, { values: [3] })).toBe(3)
    expect(registry.names()).toEqual(['eu:/shop.Stock/Unary'])
    expect(await read(client.download({ values: [1, 2] }))).toMatchObject({ values: [1, 2] })
    expect(registry.names()).toHaveLength(1)
  })

  it('a key that is none is refused at once', async () => {
    const { service } = await make()
    const interceptor = interceptorOf(makeRegistry(), { key: (() => 5) as never })
    const client = clientOf(service.target, [interceptor])
    expect(() => client.unary({}, {}, () => {})).toThrow(InvalidOptionError)
  })

  it('isFailure judges all statuses but CANCELLED', async () => {
    const asked: number[] = []
    const { client, totals } = await make({
      isFailure: ({ code }) => {
        asked.push(code)
        return code === grpc.status.NOT_FOUND
      },
    })
    for (const code of [grpc.status.NOT_FOUND, grpc.status.INTERNAL, grpc.status.CANCELLED]) {
      await call(client, { code })
    }
    expect(asked).toEqual([grpc.status.OK, grpc.status.NOT_FOUND, grpc.status.INTERNAL])
    expect(totals()).toMatchObject({ admitted: 3, failed: 1, succeeded: 1, ignored: 1 })
  })

  it('what isFailure throws is a failure, and ends the call with INTERNAL', async () => {
    const bug = new Error('a bug')
    const { client, totals } = await make({
      isFailure({ code }) {
        if (code === grpc.status.OK) return false
        throw bug
      },
    })
    const result = await call(client, { code: grpc.status.NOT_FOUND })
    expect(result).toMatchObject({ code: grpc.status.INTERNAL, details: 'a bug', cause: bug })
    expect(totals()).toMatchObject({ admitted: 1, failed: 1 })
  })

  it('so is an answer of it that is neither true nor false', async () => {
    const isFailure = ({ code }: { code: number }) => (code === 0 ? false : Promise.resolve(true))
    const { client, totals } = await make({ isFailure: isFailure as never })
    const { cause } = (await call(client, { code: grpc.status.NOT_FOUND })) as Failure
    expect(cause).toBeInstanceOf(InvalidOptionError)
    expect(totals()).toMatchObject({ admitted: 1, failed: 1 })
  })

  it('no room for another breaker ends the call with INTERNAL', async () => {
    const { service } = await make()
    const interceptor = interceptorOf(makeRegistry(), {
      max: 1,
      idleAfterMs: 60_000,
      key: ({ method_definition: { path } }) => path,
    })
    const client = clientOf(service.target, [interceptor])
    await call(client, {})
    const { error } = await read(client.download({}))
    expect(error).toMatchObject({ code: grpc.status.INTERNAL })
    expect(error?.cause).toBeInstanceOf(RegistryFullError)
  })

  it('nonsense and what does not exist is refused', () => {
    const registry = makeRegistry()
    const made = (options: unknown) => () => breakerInterceptor(registry, grpc, options as never)
    for (const [options, option] of [
      [{ max: 4, key: 'host' }, 'options.key'],
      [{ max: 4, isFailure: 14 }, 'options.isFailure'],
      [{ max: 4, prefix: '' }, 'name'],
      [{ max: 0 }, 'options.max'],
      [{}, 'options.max'],
      [{ max: 4, retries: 3 }, 'options.retries'],
      // Calls have deadlines, and end with a status.
      [{ max: 4, timeoutMs: 3 }, 'options.timeoutMs'],
      [{ max: 4, classifyError: () => 'ignored' }, 'options.classifyError'],
    ] as const) {
      expect(made(options)).toThrow(InvalidOptionError)
      expect(made(options)).toThrow(option)
    }
    expect(() => breakerInterceptor(registry, {} as never, { max: 4 })).toThrow(/^grpc must be/)
  })
})

/** Passes a call's start on when told to; until then its client has only asked to read. */
function delay(): { interceptor: grpc.Interceptor; go(): void } {
  let go = (): void => {}
  const interceptor: grpc.Interceptor = (options, nextCall) =>
    new grpc.InterceptingCall(nextCall(options), {
      start(metadata, listener, next) {
        go = () => next(metadata, listener)
      },
    })
  return { interceptor, go: () => go() }
}

/** Makes a unary call again until it is well or refused. Keeps back the answer for the last one. */
const retry: grpc.Interceptor = (options, nextCall) => {
  let message: unknown
  let answer: unknown
  let giveAnswer: (answer: unknown) => void
  const retryOr = (status: grpc.StatusObject, end: (status: grpc.StatusObject) => void): void => {
    const isRefused = Object(status).cause instanceof CircuitOpenError
    if (status.code === grpc.status.OK || isRefused) {
      giveAnswer(answer)
      end(status)
      return
    }
    const attempt = nextCall(options)
    attempt.start(new grpc.Metadata(), {
      onReceiveMessage(given: unknown) {
        answer = given
      },
      onReceiveStatus: given => retryOr(given, end),
    })
    attempt.sendMessage(message)
    attempt.halfClose()
  }
  return new grpc.InterceptingCall(nextCall(options), {
    start(metadata, _listener, next) {
      next(metadata, {
        onReceiveMessage(given, pass) {
          answer = given
          giveAnswer = pass
        },
        onReceiveStatus: retryOr,
      })
    },
    sendMessage(given, next) {
      message = given
      next(given)
    },
  })
}

describe('among other interceptors', () => {
  it('one before it that retries comes to the breaker with each attempt', async () => {
    const { registry, service, totals } = await make()
    const client = clientOf(service.target, [retry, interceptorOf(registry)])
    expect(await call(client, { values: [5] })).toBe(5)
    service.calls.length = 0
    const refused = (await call(client, { code: grpc.status.UNAVAILABLE })) as Failure
    expect(refused.cause).toBeInstanceOf(CircuitOpenError)
    expect(service.calls).toHaveLength(2)
    expect(totals()).toMatchObject({ admitted: 3, failed: 2, refused: 1, inFlight: 0 })
    // Refused at once: the first attempt of all.
    expect(((await call(client, {})) as Failure).cause).toBeInstanceOf(CircuitOpenError)
  })

  it('one after it is not reached by a refusal', async () => {
    const { registry, service, breaker } = await make()
    let reached = 0
    const last: grpc.Interceptor = (options, nextCall) => {
      reached++
      return new grpc.InterceptingCall(nextCall(options))
    }
    const client = clientOf(service.target, [interceptorOf(registry), last])
    await call(client, {})
    breaker.open()
    await call(client, {})
    expect(reached).toBe(1)
  })

  it('a call asks when it starts, and what its client asked for before is not lost', async () => {
    const { registry, service, totals } = await make()
    const { interceptor, go } = delay()
    const client = clientOf(service.target, [interceptor, interceptorOf(registry)])
    const reading = read(client.download({ values: [1, 2] }))
    await new Promise(setImmediate)
    expect(totals()).toMatchObject({ admitted: 0, inFlight: 0 })
    go()
    expect(totals()).toMatchObject({ admitted: 1, inFlight: 1 })
    expect((await reading).values).toEqual([1, 2])
    expect(totals()).toMatchObject({ succeeded: 1, inFlight: 0 })
  })

  it('one that is cancelled before it starts is no call', async () => {
    const { registry, service, totals } = await make()
    const { interceptor, go } = delay()
    const client = clientOf(service.target, [interceptor, interceptorOf(registry)])
    const stream = client.download({ values: [1, 2] })
    const reading = read(stream)
    stream.cancel()
    go()
    expect(await reading).toMatchObject({ values: [], status: { code: grpc.status.CANCELLED } })
    expect(totals()).toMatchObject({ admitted: 0, inFlight: 0 })
  })

  it('one interceptor may serve a single call', async () => {
    const service = await serve()
    const registry = makeRegistry()
    const client = clientOf(service.target, [])
    await call(client, {}, { interceptors: [interceptorOf(registry)] })
    expect(registry.names()).toEqual(['grpc:shop.Stock'])
  })
})
