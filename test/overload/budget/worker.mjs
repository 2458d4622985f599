// Makes calls and asks for retries as fast as it can, until told that there is enough.
import { parentPort, workerData } from 'node:worker_threads'
import { attachRegistry } from '../../../dist/index.js'

const { handle, calls, attempts, start } = workerData
const budget = attachRegistry(handle).retryBudget('b')
const gate = new Int32Array(start)
Atomics.add(gate, 1, 1)
Atomics.notify(gate, 1)
Atomics.wait(gate, 0, 0)
let allowed = 0
for (let i = 0; i < Math.max(calls, attempts); i++) {
  if (i < calls) budget.recordCall()
  if (i < attempts && budget.tryRetry()) allowed++
}
parentPort.postMessage(allowed)
