/** Does one job and dies before its k-th access of shared memory, or says that it was done before. */
import { parentPort, workerData } from 'node:worker_threads'
import { attachRegistry } from '../../src/index.ts'
import { parkAfter } from './door.ts'
import { attachFor, JOBS } from './jobs.ts'

const { handle, window, job, after, control } = workerData
const words = new Int32Array(control as SharedArrayBuffer)

if (job === 'attach, make, leave') {
  parkAfter(after, words)
  const registry = attachRegistry(handle)
  registry.breaker('new', { slidingWindow: { type: 'consecutive', failures: 7 } }).tryAcquire()
  registry.close()
} else {
  const breaker = attachFor(handle, window)
  parkAfter(after, words)
  JOBS[job]?.(breaker)
}
parkAfter(Number.POSITIVE_INFINITY, words)
parentPort?.postMessage('done')
