// node examples/overload/hanging.mjs (after npm run build)
//
// A dependency takes requests and answers none. Two breakers guard the same calls, which give up
// after five seconds: one waits for calls to end, the other counts those that hang. How long until
// each of them refuses, and how many callers does it keep waiting?
import { once } from 'node:events'
import { createServer, get } from 'node:http'
import { createRegistry } from 'busbar'

const TIMEOUT_MS = 5000
const SLOW_MS = 200
const EVERY_MS = 10

const registry = createRegistry()
const options = {
  slowCallDurationThresholdMs: SLOW_MS,
  slowCallRateThreshold: 0.5,
  minimumNumberOfCalls: 20,
  timeoutMs: TIMEOUT_MS,
}
const breakers = {
  'waits for calls to end': registry.breaker('ended', options),
  'counts calls that hang': registry.breaker('hanging', { ...options, countHangingCalls: true }),
}

const server = createServer(() => {}).listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address()

function request({ signal }) {
  return new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', signal, agent: false }, resolve).once('error', reject)
  })
}

/** Calls every few milliseconds until the breaker refuses. */
async function callUntilRefused(breaker) {
  const begunAt = registry.now()
  const calls = []
  let refusedAt
  while (refusedAt === undefined) {
    const call = breaker.tryExecute(request).then(({ refused }) => {
      if (refused) refusedAt ??= registry.now()
    })
    calls.push(call)
    await new Promise(resolve => setTimeout(resolve, EVERY_MS))
  }
  return { ms: refusedAt - begunAt, waiting: breaker.snapshot().totals.admitted, calls }
}

const runs = await Promise.all(
  Object.entries(breakers).map(async ([name, breaker]) => ({
    name,
    ...(await callUntilRefused(breaker)),
  })),
)
for (const { name, ms, waiting } of runs) {
  console.log(`${name}: refuses after ${Math.round(ms)} ms; ${waiting} callers wait`)
}

// The calls that are left would end with their timeout.
await Promise.all(runs.flatMap(({ calls }) => calls))
server.closeAllConnections()
server.close()
registry.close()
