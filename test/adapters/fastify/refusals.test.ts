/** Refusals as answers, and that nothing else is answered otherwise than without the plugin. */
import type { FastifyInstance } from 'fastify'
import { describe, expect, it, onTestFinished } from 'vitest'
import { busbar } from '../../../src/adapters/fastify.ts'
import { CallTimeoutError, type Registry } from '../../../src/index.ts'
import { ask, makeRegistry, makeServer } from './support.ts'

type Refuse = (registry: Registry) => Promise<unknown>

const never = (): Promise<never> => new Promise(() => {})

function open(registry: Registry): Promise<unknown> {
  const breaker = registry.breaker('stock', { waitDurationInOpenStateMs: 4_200 })
  breaker.open()
  return breaker.execute(never)
}

const unavailable = { statusCode: 503, error: 'Service Unavailable' }
const openBody = {
  ...unavailable,
  code: 'ERR_CIRCUIT_OPEN',
  message: 'circuit breaker "stock" is open',
}

async function served(refuse: Refuse): Promise<FastifyInstance> {
  const registry = makeRegistry()
  const server = makeServer()
  await server.register(busbar, { registry })
  server.get('/', () => refuse(registry))
  return server
}

describe('a refusal becomes 503 with its code', () => {
  it('and says when to come back, in whole seconds', async () => {
    const answer = await ask(await served(open), '/')
    expect(answer).toMatchObject({ status: 503, retryAfter: '5', body: openBody })
  })

  it.each<[string, string, Refuse]>([
    [
      'while trials are under way',
      'ERR_CIRCUIT_OPEN',
      async registry => {
        const breaker = registry.breaker('b', { permittedNumberOfCallsInHalfOpenState: 1 })
        breaker.open()
        registry.advance(30_000)
        breaker.tryAcquire()
        registry.advance(59_990)
        expect(breaker.retryAfterMs()).toBeLessThan(1_000)
        return breaker.execute(never)
      },
    ],
    [
      'from a throttle',
      'ERR_THROTTLED',
      async registry => {
        const throttle = registry.throttle('t', { k: 1 })
        const call = (): Promise<never> => Promise.reject(new Error('503'))
        for (let calls = 0; calls < 1_000; calls++) {
          const result = await throttle.tryExecute(call)
          if (!result.ok && result.refused) throw result.error
          registry.advance(1)
        }
        return 'never refused'
      },
    ],
    [
      'from a bulkhead',
      'ERR_BULKHEAD_FULL',
      async registry => {
        const bulkhead = registry.bulkhead('b', { maxConcurrentCalls: 1 })
        bulkhead.tryAcquire()
        return bulkhead.execute(never)
      },
    ],
  ])('in one second at the least: %s', async (_, code, refuse) => {
    const answer = await ask(await served(refuse), '/')
    expect(answer).toMatchObject({ status: 503, retryAfter: '1', body: { ...unavailable, code } })
  })

  it('and not when, where only a command can end it', async () => {
    const server = await served(async registry => {
      registry.breaker('stock').forceOpen({ reason: 'INC-1207' })
      return registry.breaker('stock').execute(never)
    })
    const message = 'circuit breaker "stock" is forced-open: INC-1207'
    const body = { ...openBody, message }
    expect(await ask(server, '/')).toMatchObject({ status: 503, retryAfter: null, body })
  })

  it('wherever it comes from: hooks, deeper scopes, routes from before the plugin', async () => {
    const registry = makeRegistry()
    const server = makeServer()
    const refuse = (): Promise<unknown> => open(registry)
    // Neither awaited: Fastify loads the plugin when it starts.
    server.register(busbar, { registry })
    server.get('/early', refuse)
    server.get('/hook', { preHandler: refuse }, async () => 'not reached')
    server.register(async scope => scope.get('/deeper', refuse), { prefix: '/a' })
    server.setNotFoundHandler(refuse)
    for (const path of ['/early', '/hook', '/a/deeper', '/not-found']) {
      const expected = { status: 503, retryAfter: '5', body: openBody }
      expect(await ask(server, path), path).toMatchObject(expected)
    }
  })

  it('whatever status the route had set, and through its schema', async () => {
    const server = await served(open)
    server.get('/set', (_request, reply) => {
      reply.code(202)
      return open(server.busbar)
    })
    const properties = { code: { type: 'string' }, breaker: { type: 'string' } }
    const schema = { response: { '5xx': { type: 'object', properties } } }
    server.get('/schema', { schema }, () => open(server.busbar))
    expect(await ask(server, '/set')).toMatchObject({ status: 503, body: openBody })
    const body = { code: 'ERR_CIRCUIT_OPEN', breaker: 'stock' }
    expect(await ask(server, '/schema')).toMatchObject({ status: 503, retryAfter: '5' })
    expect((await ask(server, '/schema')).body).toEqual(body)
  })

  it('but not outside the scope that it is registered in', async () => {
    const registry = makeRegistry()
    const server = makeServer()
    server.register(async scope => {
      await scope.register(busbar, { registry })
      scope.get('/in', () => open(registry))
    })
    server.get('/out', () => Promise.reject(new Error('down')))
    expect(await ask(server, '/in')).toMatchObject({ status: 503, retryAfter: '5' })
    expect(await ask(server, '/out')).toMatchObject({ status: 500, retryAfter: null })
    expect(server.hasDecorator('breaker')).toBe(false)
  })
})

const ERRORS: [string, unknown][] = [
  ['an error', new Error('down')],
  ['one with a status', Object.assign(new Error('none'), { statusCode: 404, code: 'NONE' })],
  ['a timeout', new CallTimeoutError('circuit breaker', 'b', 5)],
  ['a string', 'down'],
  ['null', null],
]

describe('what is no refusal is answered as without the plugin', () => {
  it.each(ERRORS)('%s', async (_, error) => {
    const answers = await Promise.all(
      [true, false].map(async has => {
        const server = makeServer()
        if (has) await server.register(busbar, { registry: makeRegistry() })
        server.get('/', () => Promise.reject(error))
        return ask(server, '/')
      }),
    )
    expect(answers[0]).toEqual(answers[1])
    expect(answers[0]?.status).not.toBe(503)
  })
})

describe("the user's own error handler", () => {
  interface Seen {
    readonly statusCode?: number
    readonly code?: string
  }

  function handle(server: FastifyInstance): void {
    server.setErrorHandler((error: Seen, _request, reply) => {
      reply.code(error.statusCode ?? 500).send({ mine: error.code ?? 'none' })
    })
  }

  const warnings: string[] = []
  const note = (warning: Error): number => warnings.push(String(warning))

  it.each([
    ['before the plugin', true],
    ['after it', false],
  ])('set %s, is asked as ever and finds status and header', async (_, isBefore) => {
    process.on('warning', note)
    onTestFinished(() => void process.off('warning', note))
    const registry = makeRegistry()
    const server = makeServer({ allowErrorHandlerOverride: false })
    if (isBefore) handle(server)
    await server.register(busbar, { registry })
    if (!isBefore) handle(server)
    server.get('/', () => open(registry))
    server.get('/other', () => Promise.reject(new Error('down')))
    const body = { mine: 'ERR_CIRCUIT_OPEN' }
    expect(await ask(server, '/')).toMatchObject({ status: 503, retryAfter: '5', body })
    const other = { status: 500, retryAfter: null, body: { mine: 'none' } }
    expect(await ask(server, '/other')).toMatchObject(other)
    expect(warnings).toEqual([])
  })

  it('may pass refusals on, answer in their place, or belong to one route', async () => {
    const registry = makeRegistry()
    const server = makeServer()
    server.register(busbar, { registry })
    const refuse = (): Promise<unknown> => open(registry)
    server.register(async scope => {
      scope.setErrorHandler((error, _request, reply) => reply.send(error))
      scope.get('/passed', refuse)
    })
    server.register(async scope => {
      scope.setErrorHandler((_error, _request, reply) => reply.code(200).send({ items: 'cached' }))
      scope.get('/instead', refuse)
    })
    server.get('/route', { errorHandler: (_e, _r, reply) => reply.send({ own: true }) }, refuse)
    const refused = { status: 503, retryAfter: '5' }
    expect(await ask(server, '/passed')).toMatchObject({ ...refused, body: openBody })
    expect(await ask(server, '/instead')).toMatchObject({ status: 200, body: { items: 'cached' } })
    expect(await ask(server, '/route')).toMatchObject({ ...refused, body: { own: true } })
  })
})
