/** A service of all four kinds of calls, made without proto files, and clients of it. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import * as grpc from '@grpc/grpc-js'
import { onTestFinished } from 'vitest'
import { breakerInterceptor, type GrpcOptions } from '../../../src/adapters/grpc.ts'
import { type CircuitBreaker, createRegistry, type Registry } from '../../../src/index.ts'

/** What a request asks for: values to answer with, then to end with `code`, or not to end. */
export interface Wish {
  readonly values?: readonly number[]
  readonly code?: number
  readonly hangs?: boolean
}

const json = {
  requestSerialize: (value: unknown) => Buffer.from(JSON.stringify(value)),
  requestDeserialize: (bytes: Buffer) => JSON.parse(String(bytes)),
  responseSerialize: (value: unknown) => Buffer.from(JSON.stringify(value)),
  responseDeserialize: (bytes: Buffer) => JSON.parse(String(bytes)),
}

function method(name: string, requestStream: boolean, responseStream: boolean) {
  return { path: `/shop.Stock/${name}`, requestStream, responseStream, ...json }
}

const SERVICE = {
  unary: method('Unary', false, false),
  upload: method('Upload', true, false),
  download: method('Download', false, true),
  chat: method('Chat', true, true),
}

type Reply = (error: { code: number; details: string } | null, value?: unknown) => void
type Playing = Pick<grpc.ServerDuplexStream<Wish, number>, 'write' | 'emit'> & { end(): unknown }

function reply({ values = [1], code = 0, hangs }: Wish, done: Reply): void {
  if (hangs) return
  done(code === 0 ? null : { code, details: `code ${code}` }, values[0])
}

function play({ values = [], code = 0, hangs }: Wish, call: Playing): void {
  for (const value of values) call.write(value)
  if (hangs) return
  if (code === 0) call.end()
  else call.emit('error', { code, details: `code ${code}` })
}

export interface Service {
  readonly server: grpc.Server
  readonly target: string
  /** The names of the methods that were called. */
  readonly calls: string[]
  /** Resolves with the server's side of the next call. */
  next(): Promise<grpc.ServerUnaryCall<Wish, number>>
}

export async function serve(): Promise<Service> {
  const server = new grpc.Server()
  const calls: string[] = []
  let heard: (call: grpc.ServerUnaryCall<Wish, number>) => void = () => {}
  const hear = (name: string, call: unknown): void => {
    calls.push(name)
    heard(call as grpc.ServerUnaryCall<Wish, number>)
  }
  server.addService(SERVICE, {
    unary: (call: grpc.ServerUnaryCall<Wish, number>, done: Reply) => {
      hear('unary', call)
      reply(call.request, done)
    },
    upload: (call: grpc.ServerReadableStream<Wish, number>, done: Reply) => {
      hear('upload', call)
      let last: Wish = {}
      call.on('data', wish => {
        last = wish
      })
      call.on('end', () => reply(last, done))
    },
    download: (call: grpc.ServerWritableStream<Wish, number>) => {
      hear('download', call)
      play(call.request, call)
    },
    chat: (call: grpc.ServerDuplexStream<Wish, number>) => {
      hear('chat', call)
      call.on('data', wish => play({ hangs: true, ...wish }, call))
      call.on('end', () => call.end())
    },
  })
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    )
  })
  onTestFinished(() => server.forceShutdown())
  const next = () =>
    new Promise<grpc.ServerUnaryCall<Wish, number>>(resolve => {
      heard = resolve
    })
  return { server, target: `127.0.0.1:${port}`, calls, next }
}

/** A way to the service that can be cut off. */
export async function proxyOf({ target }: Service): Promise<{ target: string; cut(): void }> {
  const ends: { destroy(): void }[] = []
  const proxy = createServer(socket => {
    const other = connect(Number(target.split(':')[1]), '127.0.0.1')
    ends.push(socket, other)
    for (const end of [socket, other]) end.on('error', () => {})
    socket.pipe(other).pipe(socket)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const cut = (): void => {
    for (const end of ends) end.destroy()
    proxy.close()
  }
  onTestFinished(cut)
  return { target: `127.0.0.1:${(proxy.address() as AddressInfo).port}`, cut }
}

type Callback = (error: grpc.ServiceError | null, value?: number) => void

/** The methods that a generated client has. */
export interface StockClient extends grpc.Client {
  unary(wish: Wish, options: grpc.CallOptions, callback: Callback): grpc.ClientUnaryCall
  upload(options: grpc.CallOptions, callback: Callback): grpc.ClientWritableStream<Wish>
  download(wish: Wish, options?: grpc.CallOptions): grpc.ClientReadableStream<number>
  chat(options?: grpc.CallOptions): grpc.ClientDuplexStream<Wish, number>
}

const StockClient = grpc.makeGenericClientConstructor(SERVICE, 'Stock')

export function clientOf(target: string, interceptors: grpc.Interceptor[]): StockClient {
  const options = { interceptors }
  const client = new StockClient(target, grpc.credentials.createInsecure(), options)
  onTestFinished(() => client.close())
  return client as unknown as StockClient
}

export function makeRegistry(): Registry {
  const registry = createRegistry({ maxBreakers: 8, maxThreads: 4, clock: 'manual' })
  onTestFinished(() => registry.close())
  return registry
}

export function interceptorOf(
  registry: Registry,
  options: Partial<GrpcOptions<grpc.Metadata>> = {},
): grpc.Interceptor {
  return breakerInterceptor(registry, grpc, {
    max: 4,
    slidingWindow: { type: 'consecutive', failures: 2 },
    waitDurationInOpenStateMs: 1_000,
    permittedNumberOfCallsInHalfOpenState: 1,
    ...options,
  })
}

export interface Made {
  readonly registry: Registry
  readonly service: Service
  readonly client: StockClient
  readonly breaker: CircuitBreaker
  totals(): Record<string, number>
}

/** A client whose only interceptor is the breaker's. */
export async function make(options: Partial<GrpcOptions<grpc.Metadata>> = {}): Promise<Made> {
  const registry = makeRegistry()
  const service = await serve()
  const client = clientOf(service.target, [interceptorOf(registry, options)])
  await call(client, {})
  const breaker = registry.get('grpc:shop.Stock') as CircuitBreaker
  const first = breaker.snapshot().totals
  const totals = (): Record<string, number> => {
    const { admitted, succeeded, failed, ignored, refused, inFlight } = breaker.snapshot().totals
    return {
      admitted: admitted - first.admitted,
      succeeded: succeeded - first.succeeded,
      failed,
      ignored,
      refused,
      inFlight,
    }
  }
  return { registry, service, client, breaker, totals }
}

export type Failure = grpc.ServiceError & { readonly cause?: unknown }

/** One unary call: its value, or its error. */
export function call(
  client: StockClient,
  wish: Wish,
  options: grpc.CallOptions = {},
): Promise<number | Failure> {
  return new Promise(resolve => {
    client.unary(wish, options, (error, value) => resolve(error ?? (value as number)))
  })
}

/** All that a stream gives, until it ends or fails. */
export async function read(
  stream: grpc.ClientReadableStream<number> | grpc.ClientDuplexStream<Wish, number>,
): Promise<{ values: number[]; error?: Failure; status: grpc.StatusObject }> {
  const values: number[] = []
  let error: Failure | undefined
  stream.on('data', value => values.push(value))
  stream.on('error', given => {
    error = given as Failure
  })
  const status = await new Promise<grpc.StatusObject>(resolve => stream.once('status', resolve))
  return { values, status, ...(error && { error }) }
}
