// node examples/adapters/fastify.mjs (after npm run build)
//
// A server that asks a dependency which goes down. busbar/fastify gives it its breaker, answers
// refusals with 503 and Retry-After without a line in any route, and serves /health and /metrics.

import { busbar } from 'busbar/fastify'
import Fastify from 'fastify'

const CALLS = 8

const server = Fastify()
// Also the registry, for all that is not a single breaker: server.busbar.keyed('tenant', ...).
await server.register(busbar, { health: { path: '/health', failOn: ['stock'] }, metrics: true })

const stock = server.breaker('stock', { slidingWindow: { type: 'consecutive', failures: 5 } })

async function look(sku) {
  if (sku === 'A-1') return { items: 3 }
  throw new Error(`no connection to the shard of ${sku}`)
}
server.get('/stock/:sku', request => stock.execute(() => look(request.params.sku)))

await server.listen({ host: '127.0.0.1', port: 0 })
const ask = path => fetch(`${server.listeningOrigin}${path}`)

console.log(`A-1: ${await (await ask('/stock/A-1')).text()}`)
for (let call = 1; call <= CALLS; call++) {
  const answer = await ask('/stock/B-2')
  const { code = 'its own error', message } = await answer.json()
  const retryAfter = answer.headers.get('retry-after')
  const when = retryAfter === null ? '' : `, again in ${retryAfter} s`
  console.log(`B-2: ${answer.status} ${code}: ${message}${when}`)
}

const health = await ask('/health')
console.log(`/health: ${health.status} ${(await health.json()).status}`)
const metrics = await (await ask('/metrics')).text()
console.log(`/metrics: ${metrics.match(/^circuit_breaker_refused_calls_total\{.*"open".*/m)}`)

// Ends the registry too, which the plugin got by itself.
await server.close()
