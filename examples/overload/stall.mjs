// node examples/overload/stall.mjs (after npm run build)
//
// A healthy dependency, and a caller that blocks its own event loop for several times its timeout.
// Every timer is over when the loop turns again, while the answers lie in the sockets unread. First
// with a timeout as one writes it by hand, then with that of `execute`: how many calls fail, and
// does the breaker open?
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { Worker } from 'node:worker_threads'
import { createRegistry } from 'busbar'

const TIMEOUT_MS = 200
const BLOCKED_MS = 1000
const CALLS = 30

const server = new Worker(new URL('stall-server.mjs', import.meta.url))
const [port] = await once(server, 'message')
const agent = new Agent({ keepAlive: false })

function request({ signal }) {
  return new Promise((resolve, reject) => {
    const sent = get({ port, host: '127.0.0.1', signal, agent }, response => {
      response.resume()
      response.once('end', resolve)
    })
    sent.once('error', reject)
  })
}

async function byHand() {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  return request({ signal })
}

const registry = createRegistry()
const ways = [
  ['a timeout by hand', registry.breaker('by-hand'), breaker => breaker.execute(byHand)],
  [
    'the timeout of execute',
    registry.breaker('execute', { timeoutMs: TIMEOUT_MS }),
    breaker => breaker.execute(request),
  ],
]

for (const [name, breaker, call] of ways) {
  const calls = Array.from({ length: CALLS }, () => call(breaker))
  const end = performance.now() + BLOCKED_MS
  while (performance.now() < end);
  const results = await Promise.allSettled(calls)
  const failed = results.filter(({ status }) => status === 'rejected').length
  const { localStalls } = breaker.snapshot().totals
  console.log(
    `${name}: ${failed} of ${CALLS} fail; the breaker is ${breaker.state}; ${localStalls} local stalls`,
  )
}

agent.destroy()
await server.terminate()
registry.close()
