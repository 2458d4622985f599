// A loan service in a worker thread. Its breakers are in the process-wide registry or, for
// comparison, in one that the thread makes for itself.
import { parentPort, workerData } from 'node:worker_threads'
import { createRegistry, getRegistry } from 'busbar'
import { breakersOf } from './breakers.mjs'
import { startLoanService } from './loan-service.mjs'

const { urls, key, failures, shared } = workerData
const registry = shared ? getRegistry() : createRegistry()
const { breakerFor, count } = breakersOf(registry, { key, failures })
const service = await startLoanService({ urls, breakerFor })

parentPort.on('message', () => parentPort.postMessage(count()))
parentPort.postMessage(service.url)
