// The gateway: a Fastify server on the main thread that hands each request to a pool of workers.
import { fileURLToPath } from 'node:url'
import { CircuitOpenError, getRegistry } from 'busbar'
import { busbar } from 'busbar/fastify'
import Fastify from 'fastify'
import { Piscina } from 'piscina'

/**
 * @typedef {object} GatewayOptions
 * @property {'none' | 'opossum' | 'busbar'} protection
 * @property {string} dependencyUrl
 * @property {number} workers
 * @property {'sync' | 'async' | 'disabled'} [atomics]  how Piscina's idle workers wait
 * @property {import('./protections.mjs').BreakerSettings & { callTimeoutMs: number }} settings
 */

/** Spreads the requests evenly: Piscina's own balancer gives a light load to the first worker. */
function inTurn() {
  let turn = 0
  return (_task, workers) => workers[turn++ % workers.length]
}

/** @param {GatewayOptions} options */
export async function startGateway(options) {
  const { protection, dependencyUrl, workers, settings, atomics = 'disabled' } = options
  const server = Fastify({ forceCloseConnections: true })
  if (protection === 'busbar') {
    // The process's registry: workers that are started from now on find it by themselves.
    await server.register(busbar, { registry: getRegistry(), health: true, metrics: true })
  }

  const pool = new Piscina({
    filename: fileURLToPath(new URL('./task.mjs', import.meta.url)),
    name: 'answer',
    minThreads: workers,
    maxThreads: workers,
    concurrentTasksPerWorker: 100,
    loadBalancer: inTurn(),
    // Piscina's default, 'sync', stops the event loop of a worker that has no call in flight. The
    // timer that ends opossum's wait then never fires: a breaker that refuses everything stays
    // open for good. busbar needs no timer. To compare like with like the demo leaves it off.
    atomics,
    workerData: { protection, settings, dependencyUrl },
  })
  server.addHook('onClose', () => pool.destroy())
  server.get('/', async (_request, reply) => {
    const { status, body, refusal } = await pool.run(null)
    // Whatever a route throws that is a refusal, busbar/fastify answers: 503, with Retry-After.
    if (refusal) throw new CircuitOpenError(refusal.breaker, refusal)
    return reply.code(status).send(body)
  })

  return {
    url: await server.listen({ host: '127.0.0.1', port: 0 }),
    stop: () => server.close(),
  }
}
