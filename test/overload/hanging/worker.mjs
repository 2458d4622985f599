/** Workers whose calls hang: callers of a server that stops answering, and one whose loop is stuck. */
import { get } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'
import { attachRegistry } from 'busbar'

const { handle, job, names, port, timeoutMs, everyMs, until } = workerData
const registry = attachRegistry(handle)
const breakers = names.map(name => registry.breaker(name))

function request({ signal }) {
  return new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', signal, agent: false }, response => {
      response.resume()
      response.once('end', resolve)
    }).once('error', reject)
  })
}

/** Calls through each breaker, again and again, until the first refuses. */
function callOn() {
  const timer = setInterval(async () => {
    const made = breakers.map(breaker => breaker.tryExecute(request, { timeoutMs }))
    const { refused } = await made[0]
    if (!refused) return
    clearInterval(timer)
    parentPort.postMessage('refused')
  }, everyMs)
}

/** Takes permits and then does nothing but spin until the test sets the word. */
function getStuck(calls) {
  for (let call = 0; call < calls; call++) for (const breaker of breakers) breaker.tryAcquire()
  parentPort.postMessage(registry.now())
  while (Atomics.load(until, 0) === 0);
}

if (job === 'stuck') getStuck(workerData.calls)
else callOn()
