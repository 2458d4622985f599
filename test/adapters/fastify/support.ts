/** A server of Fastify's on loopback, and what its answers say. */
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import { onTestFinished } from 'vitest'
import type { BusbarDecorators } from '../../../src/adapters/fastify.ts'
import { createRegistry, type Registry } from '../../../src/index.ts'

declare module 'fastify' {
  interface FastifyInstance extends BusbarDecorators {}
}

export function makeRegistry(): Registry {
  const registry = createRegistry({ maxBreakers: 8, maxThreads: 4, clock: 'manual' })
  onTestFinished(() => registry.close())
  return registry
}

export function makeServer(options: FastifyServerOptions = {}): FastifyInstance {
  const server = Fastify(options)
  onTestFinished(() => server.close())
  return server
}

export interface Answer {
  readonly status: number
  readonly retryAfter: string | null
  readonly type: string | null
  readonly body: unknown
}

/** Listens, once, and asks for `path`. */
export async function ask(server: FastifyInstance, path: string): Promise<Answer> {
  if (!server.server.listening) await server.listen({ host: '127.0.0.1', port: 0 })
  const response = await fetch(`${server.listeningOrigin}${path}`)
  const { status, headers } = response
  const type = headers.get('content-type')
  const body: unknown = type?.includes('json') ? await response.json() : await response.text()
  return { status, retryAfter: headers.get('retry-after'), type, body }
}
