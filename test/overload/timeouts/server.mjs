/** A dependency in a thread of its own: answers after a while, or never. */
import { createServer } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

const { delayMs } = workerData
const server = createServer((_request, response) => {
  if (delayMs !== undefined) setTimeout(() => response.end('ok'), delayMs)
})
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))
