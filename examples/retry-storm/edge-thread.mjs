// One of the edge's threads: a server of its own, and the budget that all of them share.
import { parentPort, workerData } from 'node:worker_threads'
import { startLayer } from './layers.mjs'

const edge = await startLayer({ ...workerData, name: 'edge' })
parentPort.on('message', () => parentPort.postMessage(edge.requests()))
parentPort.postMessage(edge.url)
