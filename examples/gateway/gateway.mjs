// The gateway: an HTTP server on the main thread that hands each request to a pool of workers.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { getRegistry } from 'busbar'
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
  if (protection === 'busbar') getRegistry() // all it takes: workers started later find it

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
  const server = createServer(async (_request, response) => {
    const { status, body } = await pool.run(null)
    response.writeHead(status).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    async stop() {
      server.close()
      server.closeAllConnections()
      await pool.destroy()
    },
  }
}
