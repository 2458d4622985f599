/** Attaches, starts a worker that does the same one level down, and stays. */
import { Worker, workerData } from 'node:worker_threads'
import { attachRegistry } from 'busbar'

const { handle, depth } = workerData
attachRegistry(handle).breaker('b').tryAcquire()
if (depth > 1) new Worker(new URL(import.meta.url), { workerData: { handle, depth: depth - 1 } })
setInterval(() => {}, 1000)
