// Fails once through every breaker that the process has, lets a nested worker do so too, and says
// how many threads did; asked to look, answers with the states that all of them see.
import { once } from 'node:events'
import { parentPort, Worker, workerData } from 'node:worker_threads'
import { getRegistry } from 'busbar'

const { depth } = workerData
const registry = getRegistry()
const breakers = registry.names().map(name => registry.breaker(name))
for (const breaker of breakers) breaker.recordFailure(breaker.tryAcquire())

const nested =
  depth > 0 ? new Worker(new URL(import.meta.url), { workerData: { depth: depth - 1 } }) : undefined
const [below] = nested === undefined ? [0] : await once(nested, 'message')

parentPort.once('message', async () => {
  const seen = breakers.map(breaker => breaker.state)
  if (nested !== undefined) {
    nested.postMessage('look')
    seen.push(...(await once(nested, 'message'))[0])
  }
  parentPort.postMessage(seen)
})
parentPort.postMessage(1 + below)
