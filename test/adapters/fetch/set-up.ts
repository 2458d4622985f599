/** What the tests of busbar/fetch share. */
import { type GuardedFetchOptions, guardedFetch } from '../../../src/adapters/fetch.ts'
import type { CircuitBreaker, Registry } from '../../../src/index.ts'
import { breakerOf, makeRegistry, OPTIONS, outcomesOf, serve, type TestServer } from './server.ts'

export interface SetUp extends Pick<TestServer, 'origin' | 'held'> {
  readonly server: TestServer
  readonly registry: Registry
  readonly guarded: typeof fetch
  breaker(): CircuitBreaker
  outcomes(): ReturnType<typeof outcomesOf>
}

export async function setUp(options: Partial<GuardedFetchOptions> = {}): Promise<SetUp> {
  const server = await serve()
  const registry = makeRegistry()
  const guarded = guardedFetch(registry, { ...OPTIONS, ...options })
  const breaker = () => breakerOf(registry, `fetch:${server.origin}`)
  const { origin, held } = server
  const outcomes = () => outcomesOf(breaker())
  return { origin, held, server, registry, guarded, breaker, outcomes }
}
