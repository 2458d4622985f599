/**
 * The gateway of examples/gateway with its metrics at a second address, in a process of its own.
 * Says where both are, then changes the dependency's behaviour as it is told.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { getRegistry } from 'busbar'
import { PROMETHEUS_CONTENT_TYPE, renderPrometheus } from 'busbar/prometheus'
import { startDependency } from '../../examples/gateway/dependency.mjs'
import { startGateway } from '../../examples/gateway/gateway.mjs'

const dependency = await startDependency()
await dependency.enter('start', 'answer')
const gateway = await startGateway({
  protection: 'busbar',
  dependencyUrl: dependency.url,
  workers: 3,
  settings: {
    callTimeoutMs: 1000,
    windowMs: 10_000,
    minimumCalls: 10,
    failureRate: 0.5,
    waitMs: 200,
  },
})
const metrics = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': PROMETHEUS_CONTENT_TYPE })
  response.end(renderPrometheus(getRegistry()))
})
metrics.listen(0, '127.0.0.1')
await once(metrics, 'listening')

process.on('message', async behaviour => {
  await dependency.enter(behaviour, behaviour)
  process.send({ behaviour })
})
process.on('disconnect', async () => {
  metrics.close()
  metrics.closeAllConnections()
  await gateway.stop()
  await dependency.stop()
})
process.send({ gatewayUrl: gateway.url, metricsPort: metrics.address().port })
