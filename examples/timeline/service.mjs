// A service that is down for its first seconds: it answers 503, then 200.
import { once } from 'node:events'
import { createServer } from 'node:http'

export async function startService({ downForMs }) {
  const upAtMs = performance.now() + downForMs
  const server = createServer((_request, response) => {
    response.writeHead(performance.now() < upAtMs ? 503 : 200).end()
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
