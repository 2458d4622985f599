/** A worker that does not know busbar and starts one that does. */
import { parentPort, Worker } from 'node:worker_threads'

const inner = new Worker(new URL('look.mjs', import.meta.url))
inner.on('message', message => parentPort.postMessage(message))
