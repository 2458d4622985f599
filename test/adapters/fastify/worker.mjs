/** A thread with a server of its own, on the built package and the process's registry. */
import { once } from 'node:events'
import { parentPort } from 'node:worker_threads'
import Fastify from 'fastify'
import { busbar } from '../../../dist/adapters/fastify.js'

const server = Fastify()
await server.register(busbar)
server.get('/', () => server.breaker('stock').execute(() => 'in stock'))
await server.listen({ host: '127.0.0.1', port: 0 })
parentPort.postMessage(server.listeningOrigin)
await once(parentPort, 'message')
await server.close()
parentPort.postMessage('closed')
