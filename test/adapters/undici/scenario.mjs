/**
 * node scenario.mjs <undici>: one life of the interceptor in that version of undici, on the built
 * package, with the fetch that is built into this Node.js besides. Prints what came of it as JSON.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { pathToFileURL } from 'node:url'
import { breakerInterceptor } from '../../../dist/adapters/undici.js'
import { createRegistry } from '../../../dist/index.js'

const undici = (await import(pathToFileURL(process.argv[2]))).default
const registry = createRegistry({ clock: 'manual' })
const kept = new Set()
let requests = 0
const server = createServer((request, response) => {
  requests += 1
  if (request.url === '/hold') return kept.add(response)
  if (request.url === '/break') {
    response.writeHead(200, { 'content-length': 9 }).write('part', () => response.destroy())
    return
  }
  response
    .writeHead(Number(request.url.slice(1) || 200), { 'set-cookie': ['a=1', 'b=2'] })
    .end('ok')
})
server.on('upgrade', (_, socket) => {
  socket.write('HTTP/1.1 101 Yes\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\n')
  kept.add(socket)
})
await once(server.listen(0, '127.0.0.1'), 'listening')
const origin = `http://127.0.0.1:${server.address().port}`

const options = {
  max: 2,
  verdictAt: 'body',
  maxRetryAfterMs: 60_000,
  slidingWindow: { type: 'consecutive', failures: 2 },
}
const interceptor = breakerInterceptor(registry, options)
const dispatcher = new undici.Agent().compose(interceptor)

/** What a call gives, and what its breaker has counted of it. */
async function count(call) {
  const before = registry.get(`undici:${origin}`)?.snapshot().totals
  const came = await call().catch(error => error.cause?.code ?? error.code ?? error.name)
  const after = registry.get(`undici:${origin}`).snapshot().totals
  const counts = ['succeeded', 'failed', 'ignored', 'refused', 'inFlight']
  const moved = counts.filter(name => after[name] !== (before?.[name] ?? 0))
  return [came, ...moved].join(' ')
}

const request = (path, more) => async () => {
  const { statusCode, body } = await undici.request(origin + path, { dispatcher, ...more })
  await body.text()
  return statusCode
}

const fetchWith = (fetch, more) => async () => {
  const response = await fetch(origin, more)
  await response.text()
  return `${response.status} ${response.headers.getSetCookie()}`
}

const controller = new AbortController()

const retries = undici.interceptors.retry({ maxRetries: 5, minTimeout: 1, maxTimeout: 1 })
server.once('request', () => setImmediate(() => controller.abort()))
const report = {
  abort: await count(request('/hold', { signal: controller.signal })),
  success: await count(request('/200')),
  notFound: await count(request('/404')),
  timeout: await count(request('/hold', { signal: AbortSignal.timeout(50) })),
  fetch: await count(fetchWith(undici.fetch, { dispatcher })),
  broken: await count(request('/break')),
  upgrade: await count(async () => {
    const { socket } = await dispatcher.upgrade({ origin, path: '/', protocol: 'echo' })
    socket.destroy()
  }),
}

const before = requests
const retrying = dispatcher.compose(retries)
report.retries = await count(request('/503', { dispatcher: retrying }))
report.retriedRequests = requests - before
report.refusedFetch = await count(fetchWith(undici.fetch, { dispatcher }))
registry.get(`undici:${origin}`).reset()

const client = new undici.Client(origin)
report.client = await count(async () => {
  const { statusCode, body } = await client
    .compose(interceptor)
    .request({ path: '/200', method: 'GET' })
  await body.dump()
  return statusCode
})
report.builtInFetch = await count(fetchWith(fetch, { dispatcher }))
undici.setGlobalDispatcher(dispatcher)
report.builtInFetchGlobally = await count(fetchWith(fetch))

console.log(JSON.stringify(report))
await client.destroy()
await dispatcher.destroy()
for (const socket of kept) socket.destroy()
server.close()
server.closeAllConnections()
registry.close()
