// node examples/adapters/fetch.mjs (after npm run build)
//
// 300 calls a host, to one that answers and to one that does not any more. How many requests
// does each get with plain fetch, and how many with a breaker for each origin?
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRegistry, isRefusal } from 'busbar'
import { guardedFetch } from 'busbar/fetch'

const CALLS = 300
const AT_A_TIME = 10

async function serve(status) {
  const host = { requests: 0 }
  const server = createServer((_, response) => {
    host.requests += 1
    response.writeHead(status).end('answer')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  host.url = `http://127.0.0.1:${server.address().port}/`
  host.close = () => {
    server.close()
    server.closeAllConnections()
  }
  return host
}

const registry = createRegistry()
const guarded = guardedFetch(registry, {
  max: 100, // hosts at a time
  verdictAt: 'body', // a body that breaks off is a failure too
  maxRetryAfterMs: 60_000, // honours Retry-After up to here
})

/** What callers got: answers, failures, refusals. */
async function callAll(call, url) {
  const got = { answers: 0, failures: 0, refusals: 0 }
  const callOnce = async () => {
    try {
      const response = await call(url, { signal: AbortSignal.timeout(2000) })
      await response.text()
      if (response.ok) got.answers += 1
      else got.failures += 1
    } catch (error) {
      if (!isRefusal(error)) throw error
      got.refusals += 1
    }
  }
  for (let made = 0; made < CALLS; made += AT_A_TIME) {
    await Promise.all(Array.from({ length: AT_A_TIME }, callOnce))
  }
  return got
}

for (const [name, call] of Object.entries({ 'plain fetch': fetch, 'guarded fetch': guarded })) {
  const hosts = { healthy: await serve(200), failing: await serve(503) }
  for (const [which, host] of Object.entries(hosts)) {
    const { answers, failures, refusals } = await callAll(call, host.url)
    const callers = `${answers} answers, ${failures} failures, ${refusals} refusals`
    console.log(`${name}, ${which} host: ${host.requests} requests; callers get ${callers}`)
    host.close()
  }
}
for (const name of registry.names()) {
  console.log(`${name} is ${registry.get(name).state}`)
}
registry.close()
