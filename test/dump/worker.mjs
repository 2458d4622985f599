/** Dumps when it is told to, while nobody's loop turns. */
import { parentPort, workerData } from 'node:worker_threads'
import { attachRegistry } from 'busbar'

const { handle, path, gate } = workerData
const registry = attachRegistry(handle)
parentPort.postMessage('ready')
Atomics.wait(gate, 0, 0)
registry.dump(path)
Atomics.store(gate, 1, 1)
Atomics.notify(gate, 1)
