/** A thread of the fetch tests, on the built package: three calls to a server that fails. */
import { parentPort, workerData } from 'node:worker_threads'
import { guardedFetch } from '../../../dist/adapters/fetch.js'
import { attachRegistry } from '../../../dist/index.js'

const guarded = guardedFetch(attachRegistry(workerData.handle), workerData.options)
const heard = []
for (let call = 0; call < 3; call++) {
  const answer = await guarded(`${workerData.origin}/status/503`).catch(error => error)
  heard.push(answer.code ?? answer.status)
}
parentPort.postMessage(heard)
