/** What a worker that was handed nothing sees. */
import { isMainThread, parentPort } from 'node:worker_threads'
import { getRegistry } from 'busbar'

async function look() {
  try {
    const registry = getRegistry()
    const breaker = registry.get('b')
    const { reason } = await breaker.execute(() => {}).catch(error => error)
    return { seen: breaker.state, names: registry.names(), reason }
  } catch ({ code, message }) {
    return { code, message }
  }
}

if (!isMainThread) parentPort?.postMessage(await look())
