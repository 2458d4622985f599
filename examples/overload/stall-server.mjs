// A healthy dependency, in a thread of its own: answers every request after 20 ms.
import { createServer } from 'node:http'
import { parentPort } from 'node:worker_threads'

const server = createServer((_request, response) => {
  setTimeout(() => response.end('ok'), 20)
})
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))
