// One life of the service: two threads call the dependency through one breaker, then it ends.
//
//   node service.mjs <port of the dependency> [file that keeps the states]
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { getRegistry } from 'busbar'
import { keep, startFrom } from './kept.mjs'

const [, , port, file] = process.argv

// The main thread makes the registry and no breaker: a worker may be the first to need one.
const registry = file === undefined ? getRegistry() : startFrom(file)
const threads = [1, 2].map(() => {
  return new Worker(new URL('thread.mjs', import.meta.url), { workerData: { port } })
})
await Promise.all(threads.map(thread => once(thread, 'exit')))

// A server does so when it is told to end (SIGTERM), and every few seconds, for when it is killed.
if (file !== undefined) keep(registry, file)
