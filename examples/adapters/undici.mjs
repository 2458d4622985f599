// node examples/adapters/undici.mjs (after npm run build; needs undici)
//
// A service behind undici restarts: for a while it answers 503, then it is back. All calls go
// through one dispatcher, with the breaker inside and undici's own retries outside: each attempt
// asks the breaker, and what the breaker refuses is not retried.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRegistry } from 'busbar'
import { breakerInterceptor } from 'busbar/undici'
import { Agent, interceptors, request } from 'undici'

const CALLS = 40
const EVERY_MS = 10

const phase = { name: 'up', requests: 0 }
const server = createServer((_, response) => {
  phase.requests += 1
  response.writeHead(phase.name === 'restarting' ? 503 : 200).end('answer')
})
await once(server.listen(0, '127.0.0.1'), 'listening')
const origin = `http://127.0.0.1:${server.address().port}`

const registry = createRegistry()
const dispatcher = new Agent().compose(
  // First, so that what follows stands outside of it.
  breakerInterceptor(registry, {
    max: 100,
    slidingWindow: { type: 'consecutive', failures: 5 },
    waitDurationInOpenStateMs: 150,
  }),
  interceptors.retry({ maxRetries: 2, minTimeout: 10, maxTimeout: 10 }),
)

async function call() {
  try {
    const { statusCode, body } = await request(origin, { dispatcher })
    await body.dump()
    return statusCode
  } catch (error) {
    return error.code
  }
}

async function run(name) {
  Object.assign(phase, { name, requests: 0 })
  const calls = []
  for (let made = 0; made < CALLS; made++) {
    calls.push(call())
    await sleep(EVERY_MS)
  }
  const counts = {}
  for (const answer of await Promise.all(calls)) counts[answer] = (counts[answer] ?? 0) + 1
  const answers = Object.entries(counts).map(([answer, count]) => `${count} x ${answer}`)
  console.log(
    `${name}: ${CALLS} calls, ${phase.requests} requests; callers get ${answers.join(', ')}`,
  )
}

await run('up')
await run('restarting')
await sleep(150) // the wait of a breaker that the last trial opened again
await run('back')
console.log(`the breaker is ${registry.get(`undici:${origin}`).state}`)

await dispatcher.close()
server.close()
registry.close()
