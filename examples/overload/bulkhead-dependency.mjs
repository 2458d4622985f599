// A dependency that answers within 20 ms for a while, and then within 2 s. Its answers are a matter
// of timers, so that they do not depend on the machine.
import { once } from 'node:events'
import { createServer } from 'node:http'

const USUAL_MS = 20
const SLOW_MS = 2_000

export async function startDependency() {
  let answersAfterMs = USUAL_MS
  const server = createServer((_request, response) => {
    setTimeout(() => response.end('an answer'), answersAfterMs)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    slowDown() {
      answersAfterMs = SLOW_MS
    },
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}
