// A backend that has one second of work to give in each second: 10 ms for a request that it takes,
// 1 ms to tell another that it is overloaded. Its work is a matter of timers, so that what it can
// do does not depend on the machine: 100 requests a second and no more.
import { once } from 'node:events'
import { createServer } from 'node:http'

const TAKEN_MS = 10
const REJECTED_MS = 1
/** It rejects what it could not begin within this. */
const LONGEST_WAIT_MS = 50

export async function startBackend() {
  let freeAt = 0
  const server = createServer((_request, response) => {
    const now = performance.now()
    freeAt = Math.max(freeAt, now)
    if (freeAt - now > LONGEST_WAIT_MS) {
      freeAt += REJECTED_MS
      response.writeHead(503).end()
    } else {
      freeAt += TAKEN_MS
      setTimeout(() => response.writeHead(200).end(), freeAt - now)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}
