// The two services that the loan service calls: notification, which always answers 503, and
// catalog, which is well. Each counts the calls that reach it, by path.
import { once } from 'node:events'
import { createServer } from 'node:http'

async function startServer(status) {
  const calls = new Map()
  const server = createServer((request, response) => {
    calls.set(request.url, (calls.get(request.url) ?? 0) + 1)
    response.writeHead(status).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    callsTo: path => calls.get(path) ?? 0,
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

export async function startDependencies() {
  const notification = await startServer(503)
  const catalog = await startServer(200)
  return {
    urls: { notification: notification.url, catalog: catalog.url },
    /** The calls that have arrived, by call site. */
    calls: () => ({
      send: notification.callsTo('/send'),
      remind: notification.callsTo('/remind'),
      cancel: notification.callsTo('/cancel'),
      catalog: catalog.callsTo('/book'),
    }),
    stop() {
      notification.stop()
      catalog.stop()
    },
  }
}
