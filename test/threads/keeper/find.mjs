/**
 * `node find.mjs <options> <options of the worker>`, both JSON: makes the process's registry with the
 * first and finds it in a worker with the second. Prints what came of it as a line of JSON.
 */
import { once } from 'node:events'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { getRegistry } from 'busbar'

const parse = text => (text === undefined ? undefined : JSON.parse(text))

if (isMainThread) {
  const [, , made, asked] = process.argv
  const registry = getRegistry(parse(made))
  const worker = new Worker(new URL(import.meta.url), { workerData: asked })
  const [seen] = await once(worker, 'message')
  console.log(JSON.stringify({ ...seen, here: registry.snapshot().keeper }))
} else {
  try {
    const registry = getRegistry(parse(workerData))
    parentPort.postMessage({ there: registry.snapshot().keeper })
  } catch ({ code, existing, requested }) {
    parentPort.postMessage({ code, existing, requested })
  }
}
