/** A server that answers as the path says, an axios instance, and a breaker that four failures open. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import axios, {
  type AxiosInstance,
  type AxiosResponse,
  type InternalAxiosRequestConfig,
} from 'axios'
import { onTestFinished } from 'vitest'
import { type GuardedAdapterOptions, guardedAdapter } from '../../../src/adapters/axios.ts'
import { type CircuitBreaker, createRegistry, type Registry } from '../../../src/index.ts'

const HEADERS = { 'retry-after': '30' }

/** `/status/503` and so on; `/hang` gives no answer; `/reset` and `/half` break off. */
function answer({ url = '' }: IncomingMessage, response: ServerResponse): void {
  const [, what, status] = url.split('/')
  if (what === 'status') response.writeHead(Number(status), HEADERS).end('{"a":1}')
  else if (what === 'reset') response.destroy()
  else if (what === 'half') {
    response.writeHead(Number(status), { 'content-length': '100' })
    response.write('half', () => response.destroy())
  } else if (what !== 'hang') response.writeHead(404).end()
}

export interface Service {
  readonly server: Server
  readonly origin: string
  readonly requests: string[]
}

export async function serve(path?: string): Promise<Service> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    answer(request, response)
  })
  server.listen(path ?? { port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = Object(server.address()) as AddressInfo
  return { server, origin: `http://127.0.0.1:${port}`, requests }
}

type Options = Partial<GuardedAdapterOptions<InternalAxiosRequestConfig, AxiosResponse>>

export function makeRegistry(): Registry {
  const registry = createRegistry({ maxBreakers: 8, maxThreads: 4, clock: 'manual' })
  onTestFinished(() => registry.close())
  return registry
}

export interface Client {
  readonly registry: Registry
  readonly service: Service
  readonly http: AxiosInstance
  /** That of the service. */
  breaker(): CircuitBreaker
  totals(): Record<string, number>
}

export async function make(adapter: 'http' | 'fetch', options: Options = {}): Promise<Client> {
  const registry = makeRegistry()
  const service = await serve()
  const guarded = guardedAdapter(registry, axios.getAdapter(adapter), {
    max: 4,
    slidingWindow: { type: 'consecutive', failures: 4 },
    waitDurationInOpenStateMs: 1_000,
    permittedNumberOfCallsInHalfOpenState: 1,
    ...options,
  })
  const http = axios.create({ baseURL: service.origin, adapter: guarded })
  const breaker = (): CircuitBreaker => registry.get(`axios:${service.origin}`) as CircuitBreaker
  const totals = (): Record<string, number> => {
    const { admitted, succeeded, failed, ignored, refused, inFlight } = breaker().snapshot().totals
    return { admitted, succeeded, failed, ignored, refused, inFlight }
  }
  return { registry, service, http, breaker, totals }
}

/** What a promise rejects with. */
export async function errorOf(promise: Promise<unknown>): Promise<Error & Record<string, unknown>> {
  return promise.then(
    () => new Error('it did not reject') as never,
    error => error,
  )
}
