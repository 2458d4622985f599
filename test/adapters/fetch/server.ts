/** A server that answers as its path says, and hands out what it is to keep open. */
import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import {
  type BreakerSnapshot,
  type CircuitBreaker,
  createRegistry,
  type Registry,
} from '../../../src/index.ts'

export interface TestServer {
  readonly origin: string
  /** Requests that came. */
  readonly requests: number
  /** The answer to the next request for `/hold` or `/begin`: nothing, or its beginning, was sent. */
  held(): Promise<ServerResponse>
}

/**
 * `/status/503?retry-after=7`: that status, with a body. `/empty`: an empty one. `/redirect`: to
 * `/status/200`. `/hold`: nothing. `/begin`: headers and a part of the body.
 */
export async function serve(): Promise<TestServer> {
  const answers = new EventEmitter()
  let requests = 0
  const server = createServer((request, response) => {
    requests += 1
    answer(request, response, answers)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.close()
    server.closeAllConnections()
  })
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get requests() {
      return requests
    },
    held: async () => (await once(answers, 'held'))[0] as ServerResponse,
  }
}

function answer({ url }: IncomingMessage, response: ServerResponse, answers: EventEmitter): void {
  const { pathname, searchParams } = new URL(url ?? '', 'http://host')
  const [, what, status = '200'] = pathname.split('/')
  const retryAfter = searchParams.get('retry-after')
  if (retryAfter !== null) response.setHeader('retry-after', retryAfter)
  if (what === 'hold') answers.emit('held', response)
  else if (what === 'begin') {
    response.writeHead(200, { 'content-length': 100 })
    response.write('part', () => answers.emit('held', response))
  } else if (what === 'redirect') response.writeHead(302, { location: '/status/200' }).end()
  else if (what === 'empty') response.end()
  else response.writeHead(Number(status)).end('body')
}

/** An address where nobody listens. */
export async function deadOrigin(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return `http://127.0.0.1:${port}`
}

/** What breakers of these tests are made with: two failures in a row open one. */
export const OPTIONS = {
  max: 8,
  slidingWindow: { type: 'consecutive', failures: 2 },
  waitDurationInOpenStateMs: 1_000,
  permittedNumberOfCallsInHalfOpenState: 1,
} as const

/** A registry whose time stands still. */
export function makeRegistry(): Registry {
  const registry = createRegistry({ maxBreakers: 8, maxThreads: 4, clock: 'manual' })
  onTestFinished(() => registry.close())
  return registry
}

export function breakerOf(registry: Registry, name: string): CircuitBreaker {
  const breaker = registry.get(name)
  if (breaker === undefined) throw new Error(`no ${name} among ${registry.names().join()}`)
  return breaker
}

/** How the calls through a breaker have ended. */
export function outcomesOf(breaker: CircuitBreaker): Partial<BreakerSnapshot['totals']> {
  const { succeeded, failed, ignored, inFlight } = breaker.snapshot().totals
  return { succeeded, failed, ignored, inFlight }
}

export const SUCCESS = { succeeded: 1, failed: 0, ignored: 0, inFlight: 0 }
export const FAILURE = { succeeded: 0, failed: 1, ignored: 0, inFlight: 0 }
export const IGNORED = { succeeded: 0, failed: 0, ignored: 1, inFlight: 0 }
export const IN_FLIGHT = { succeeded: 0, failed: 0, ignored: 0, inFlight: 1 }

/** A turn of the loop, in which verdicts come. */
export function turn(): Promise<void> {
  return new Promise(setImmediate)
}
