// The dashboard: shows the shared breaker in a browser while the demo runs.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { getRegistry } from 'busbar'
import { dashboard } from 'busbar/dashboard'

export async function startBoard() {
  const server = createServer(dashboard(getRegistry()))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    stop() {
      server.close()
      server.closeAllConnections() // an open page listens for ever
    },
  }
}
