// The services: a backend at the bottom, a middle service that calls it, an edge that calls the
// middle service. The edge runs in two worker threads.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { Worker } from 'node:worker_threads'
import { callerOf } from './caller.mjs'

const EDGE_THREADS = 2

/** A server on loopback that counts the requests that reach it. */
async function startServer(answer) {
  let requests = 0
  const server = createServer(async (_request, response) => {
    requests += 1
    response.writeHead(await answer(requests)).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    requests: () => requests,
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** `fails(n)`: whether it answers the n-th request with 503. */
export const startBackend = ({ fails }) => startServer(n => (fails(n) ? 503 : 200))

/** Answers 503 when what it calls does, and all retries that it makes did not help. */
export function startLayer({ name, target, retries }) {
  const call = callerOf({ name, retries })
  return startServer(async () => ((await call(target)) ? 200 : 503))
}

/** The edge, in threads that share nothing but the process-wide registry. */
export async function startEdge(workerData) {
  const file = new URL('./edge-thread.mjs', import.meta.url)
  const threads = Array.from({ length: EDGE_THREADS }, () => new Worker(file, { workerData }))
  const started = await Promise.all(threads.map(thread => once(thread, 'message')))
  return {
    urls: started.map(([url]) => url),
    stop: () => Promise.all(threads.map(thread => thread.terminate())),
    async requests() {
      const counts = await Promise.all(threads.map(requestsOf))
      return counts.reduce((sum, count) => sum + count)
    },
  }
}

async function requestsOf(thread) {
  thread.postMessage('count')
  const [count] = await once(thread, 'message')
  return count
}
