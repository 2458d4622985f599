/** What the tests of busbar/undici share. */

import * as undici7 from 'undici'
import * as undici6 from 'undici6'
import { onTestFinished } from 'vitest'
import { type BreakerInterceptorOptions, breakerInterceptor } from '../../../src/adapters/undici.ts'
import type { CircuitBreaker, Registry } from '../../../src/index.ts'
import {
  breakerOf,
  makeRegistry,
  OPTIONS,
  outcomesOf,
  serve,
  type TestServer,
} from '../fetch/server.ts'

/** Tests go by the types of 7; `compose` of each version is given the interceptor by its own. */
export const VERSIONS = [
  { version: 6, undici: undici6 as unknown as typeof undici7, agent: agent6 },
  { version: 7, undici: undici7, agent: agent7 },
] as const

export type Version = (typeof VERSIONS)[number]

type Interceptor = ReturnType<typeof breakerInterceptor>

function agent6(interceptor: Interceptor): undici7.Dispatcher {
  return new undici6.Agent().compose(interceptor) as unknown as undici7.Dispatcher
}

function agent7(interceptor: Interceptor): undici7.Dispatcher {
  return new undici7.Agent().compose(interceptor)
}

export interface SetUp extends Pick<TestServer, 'origin' | 'held'> {
  readonly server: TestServer
  readonly registry: Registry
  readonly undici: typeof undici7
  readonly interceptor: Interceptor
  readonly dispatcher: undici7.Dispatcher
  request(
    url: string,
    options?: Parameters<typeof undici7.request>[1],
  ): Promise<undici7.Dispatcher.ResponseData<unknown>>
  breaker(): CircuitBreaker
  outcomes(): ReturnType<typeof outcomesOf>
}

export async function setUp(
  { undici, agent }: Version,
  options: Partial<BreakerInterceptorOptions> = {},
): Promise<SetUp> {
  const server = await serve()
  const registry = makeRegistry()
  const interceptor = breakerInterceptor(registry, { ...OPTIONS, ...options })
  const dispatcher = agent(interceptor)
  onTestFinished(() => dispatcher.destroy())
  const breaker = () => breakerOf(registry, `undici:${server.origin}`)
  return {
    origin: server.origin,
    held: server.held,
    server,
    registry,
    undici,
    interceptor,
    dispatcher,
    request: (url, given) => undici.request(url, { dispatcher, ...given }),
    breaker,
    outcomes: () => outcomesOf(breaker()),
  }
}
