/** A worker that serves what operators ask for, or one that is stuck in a loop of its own. */
import { createServer } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'
import { attachRegistry, health } from 'busbar'
import { dashboard } from 'busbar/dashboard'
import { PROMETHEUS_CONTENT_TYPE, renderPrometheus } from 'busbar/prometheus'

const { handle, breakers, until } = workerData
const registry = attachRegistry(handle)

/** Takes a permit, says so, and then does nothing but spin until the test sets the word. */
function getStuck() {
  for (const name of breakers) registry.breaker(name).tryAcquire()
  parentPort.postMessage({ stuck: true })
  while (Atomics.load(until, 0) === 0);
}

const ROUTES = {
  '/metrics': response => {
    response.setHeader('content-type', PROMETHEUS_CONTENT_TYPE)
    response.end(renderPrometheus(registry))
  },
  '/health': response => response.end(JSON.stringify(health(registry))),
  '/open': response => {
    for (const name of breakers) registry.breaker(name).open({ reason: 'by the operator' })
    response.end('opened')
  },
  '/reset': response => {
    for (const name of breakers) registry.breaker(name).reset()
    response.end('reset')
  },
}

function serve() {
  const page = dashboard(registry)
  const server = createServer((request, response) => {
    const route = ROUTES[request.url]
    if (route !== undefined) route(response)
    else page(request, response)
  })
  server.listen(0, '127.0.0.1', () => parentPort.postMessage({ port: server.address().port }))
}

if (until === undefined) serve()
else getStuck()
