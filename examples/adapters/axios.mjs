// node examples/adapters/axios.mjs (after npm run build)
//
// A shop asks two services through one axios instance. One of them is down for a while: its breaker
// opens, the other's does not, and an interceptor answers in its place.
import { once } from 'node:events'
import { createServer } from 'node:http'
import axios from 'axios'
import { createRegistry, isRefusal } from 'busbar'
import { guardedAdapter } from 'busbar/axios'

const CALLS = 20

async function serve(name) {
  const service = { name, requests: 0, isDown: false }
  service.server = createServer((_request, response) => {
    service.requests++
    response.writeHead(service.isDown ? 503 : 200).end(`from ${name}`)
  })
  service.server.listen(0, '127.0.0.1')
  await once(service.server, 'listening')
  service.origin = `http://127.0.0.1:${service.server.address().port}`
  return service
}

const stock = await serve('stock')
const prices = await serve('prices')

// Time stands still until it is told to go on, so that this prints the same on every machine.
const registry = createRegistry({ clock: 'manual' })
const http = axios.create({
  timeout: 1_000,
  adapter: guardedAdapter(registry, axios.getAdapter('http'), {
    max: 100,
    slidingWindow: { type: 'consecutive', failures: 5 },
    waitDurationInOpenStateMs: 10_000,
  }),
})
// A refusal is no error of axios: it has neither config nor response.
http.interceptors.response.use(undefined, error => {
  if (isRefusal(error)) return { data: 'the last answer, said to be old' }
  throw error
})

async function ask(service) {
  const before = service.requests
  const answers = { ok: 0, failed: 0, old: 0 }
  for (let call = 0; call < CALLS; call++) {
    const answer = await http.get(service.origin).catch(() => undefined)
    if (answer === undefined) answers.failed++
    else if (answer.status === 200) answers.ok++
    else answers.old++
  }
  const reached = service.requests - before
  const { state } = registry.get(`axios:${service.origin}`)
  const { ok, failed, old } = answers
  console.log(
    `${service.name}: ${CALLS} calls, ${reached} requests; ${ok} ok, ${failed} failed, ${old} old; ${state}`,
  )
}

stock.isDown = true
await ask(stock)
await ask(prices)
stock.isDown = false
registry.advance(10_000)
await ask(stock)

for (const { server } of [stock, prices]) {
  server.closeAllConnections()
  server.close()
}
registry.close()
