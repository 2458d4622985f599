/** Subscribes, says so, waits for the word, is refused, and tells what it heard. */
import { subscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { attachRegistry } from 'busbar'

const DEADLINE_MS = 10_000

const heard = { refused: [], traced: [], changes: [] }
subscribe('busbar:refused', message => heard.refused.push(message))
subscribe('tracing:busbar:execute:asyncEnd', ({ breaker, outcome }) => {
  heard.traced.push({ breaker, outcome })
})
subscribe('busbar:stateChange', ({ breaker, to }) => heard.changes.push({ breaker, to }))

const breaker = attachRegistry(workerData.handle).breaker(workerData.name)
await breaker.execute(() => 'value')
parentPort.postMessage('ready')
await once(parentPort, 'message')

await breaker.tryExecute(() => 'value')
const deadline = performance.now() + DEADLINE_MS
while (heard.changes.length === 0 && performance.now() < deadline) {
  await new Promise(resolve => setImmediate(resolve))
}
parentPort.postMessage(heard)
