/** What the plugin adds to a server, what it refuses to be told, and how it ends. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import Fastify, { type FastifyInstance } from 'fastify'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type BusbarOptions, busbar } from '../../../src/adapters/fastify.ts'
import {
  getRegistry,
  InvalidOptionError,
  NoRegistryError,
  type Registry,
} from '../../../src/index.ts'
import { PROMETHEUS_CONTENT_TYPE } from '../../../src/telemetry/prometheus-text.ts'
import { ask, makeRegistry, makeServer } from './support.ts'

/** What this process's registry is made with. */
const SMALL = { maxBreakers: 8, maxThreads: 4, keeper: false }

async function serve(options: BusbarOptions): Promise<FastifyInstance> {
  const server = makeServer()
  await server.register(busbar, options)
  return server
}

describe('decorators', () => {
  it('breaker() is that of the registry, in scopes below too', async () => {
    const registry = makeRegistry()
    const server = await serve({ registry })
    const breaker = server.breaker('b', { failureRateThreshold: 0.3 })
    expect(server.busbar).toBe(registry)
    expect(registry.get('b')).toBe(breaker)
    expect(breaker.options.failureRateThreshold).toBe(0.3)
    await server.register(async scope => {
      expect(scope.breaker('b')).toBe(breaker)
      expect(scope.busbar.keyed('tenant', { max: 2 }).breaker('7').name).toBe('tenant:7')
    })
  })

  it('other plugins can depend on it by its name, and it cannot be there twice', async () => {
    const server = await serve({ registry: makeRegistry() })
    const dependent = async (): Promise<void> => {}
    const meta = { name: 'dependent', dependencies: ['busbar'] }
    await server.register(Object.assign(dependent, { [Symbol.for('plugin-meta')]: meta }))
    expect(server.hasPlugin('busbar')).toBe(true)
    const again = server.register(busbar, { registry: makeRegistry() })
    await expect(Promise.resolve(again)).rejects.toThrow(/busbar.*already/)
  })

  it('servers of other kinds have them as well', async () => {
    const registry = makeRegistry()
    const server = Fastify({ http2: true, logger: { level: 'silent' } })
    onTestFinished(() => server.close())
    server.register(busbar, { registry })
    await server.ready()
    expect(server.breaker('b')).toBe(registry.get('b'))
  })
})

describe('routes', () => {
  it('there are none unless asked for', async () => {
    const server = await serve({ registry: makeRegistry(), health: false })
    expect(await ask(server, '/health')).toMatchObject({ status: 404 })
    expect(await ask(server, '/metrics')).toMatchObject({ status: 404 })
  })

  it('/health warns with 200, and fails with 503 where it was told on what', async () => {
    const registry = makeRegistry()
    const server = await serve({ registry, health: true })
    const ready = { path: '/ready', failOn: ['database'] }
    const strict = await serve({ registry, health: ready })
    registry.breaker('database')
    expect(await ask(strict, '/ready')).toMatchObject({ status: 200, body: { status: 'pass' } })
    registry.breaker('database').open()
    const breakers = [{ name: 'database', status: 'warn', state: 'open', retryAfterMs: 30_000 }]
    const body = { status: 'warn', damaged: 0, breakers }
    expect(await ask(server, '/health')).toMatchObject({ status: 200, body })
    const failed = { status: 503, retryAfter: null, body: { status: 'fail' } }
    expect(await ask(strict, '/ready')).toMatchObject(failed)
    expect(await ask(strict, '/health')).toMatchObject({ status: 404 })
  })

  it('/metrics is what Prometheus reads, with its options', async () => {
    const registry = makeRegistry()
    const plain = await serve({ registry, metrics: '/internal/metrics' })
    const labelled = await serve({ registry, metrics: { labels: { zone: 'eu-1' } } })
    registry.breaker('stock').open()
    const answer = await ask(plain, '/internal/metrics')
    expect(answer).toMatchObject({ status: 200, type: PROMETHEUS_CONTENT_TYPE })
    expect(answer.body).toMatch(/^circuit_breaker_state\{.*"stock".*"open".*\} 1$/m)
    expect((await ask(labelled, '/metrics')).body).toContain('zone="eu-1"')
  })
})

it.each<[unknown, string]>([
  [{ healthz: true }, 'options.healthz'],
  [{ prefix: '/a' }, 'options.prefix'],
  [{ registry: {} }, 'options.registry'],
  [{ registry: null }, 'options.registry'],
  [{ health: 1 }, 'options.health'],
  [{ health: 'health' }, 'options.health'],
  [{ health: '' }, 'options.health'],
  [{ health: { path: 5 } }, 'options.health'],
  [{ health: { failsOn: [] } }, 'options.health.failsOn'],
  [{ health: { failOn: 'database' } }, 'options.failOn'],
  [{ metrics: null }, 'options.metrics'],
  [{ metrics: [] }, 'options.metrics'],
  [{ metrics: { compat: 'none' } }, 'options.compat'],
])('the options %j are refused by name', async (options, option) => {
  const registry = makeRegistry()
  const server = makeServer()
  const registered = server.register(busbar, { registry, ...(options as BusbarOptions) })
  const error = await Promise.resolve(registered).catch((error: unknown) => error)
  expect(error).toBeInstanceOf(InvalidOptionError)
  expect(error).toMatchObject({ option })
})

it('the compiler refuses them too', async () => {
  const refused = async (server: FastifyInstance, registered: unknown): Promise<void> => {
    await expect(Promise.resolve(registered)).rejects.toThrow(InvalidOptionError)
    await server.close()
  }
  const misspelt = makeServer()
  // @ts-expect-error no such option
  await refused(misspelt, misspelt.register(busbar, { healthy: true }))
  const wrong = makeServer()
  // @ts-expect-error true, a path, or an object
  await refused(wrong, wrong.register(busbar, { health: 5 }))
})

describe('when servers close', () => {
  const isClosed = (registry: Registry): boolean => {
    try {
      registry.names()
      return false
    } catch (error) {
      expect(error).toBeInstanceOf(NoRegistryError)
      return true
    }
  }

  it("the process's registry goes with the last that got it", async () => {
    const registry = getRegistry(SMALL)
    onTestFinished(() => getRegistry().close())
    const [first, second] = [await serve({}), await serve({})]
    expect(first.busbar).toBe(registry)
    await first.close()
    expect(isClosed(registry)).toBe(false)
    expect(second.breaker('b').state).toBe('closed')
    await second.close()
    expect(isClosed(registry)).toBe(true)

    const third = await serve({})
    expect(third.breaker('b').state).toBe('closed')
    await third.close()
    expect(isClosed(third.busbar)).toBe(true)
  })

  it('one that was given stays', async () => {
    const registry = makeRegistry()
    const server = await serve({ registry })
    await server.close()
    expect(isClosed(registry)).toBe(false)
  })

  it('a server that never came up gives it back too', async () => {
    onTestFinished(() => getRegistry().close())
    const registry = getRegistry(SMALL)
    const server = makeServer()
    server.decorate('breaker', () => registry.breaker('b'))
    await expect(Promise.resolve(server.register(busbar))).rejects.toThrow(/already/)
    await server.close()
    expect(isClosed(registry)).toBe(true)
  })
})

it("a thread's server refuses what another thread's breaker says, and gives its slot back", async () => {
  const registry = getRegistry(SMALL)
  onTestFinished(() => registry.close())
  const worker = new Worker(new URL('worker.mjs', import.meta.url))
  onTestFinished(async () => {
    await worker.terminate()
  })
  const [origin] = (await once(worker, 'message')) as [string]
  const status = async (): Promise<number> => (await fetch(origin)).status
  expect(await status()).toBe(200)
  registry.breaker('stock').open()
  expect(await status()).toBe(503)
  expect(registry.snapshot().threads).toBe(2)
  worker.postMessage('close')
  await once(worker, 'message')
  expect(registry.snapshot().threads).toBe(1)
})
