// Takes a place of the bulkhead, fails once at a host, and stays until it is ended.
import { parentPort } from 'node:worker_threads'
import { getRegistry } from 'busbar'

const registry = getRegistry()
registry.bulkhead('all').tryAcquire()
registry.hosts('hosts').record('b', 'failure')
parentPort.postMessage(registry.bulkhead('all').snapshot().inFlight)
setInterval(() => {}, 1000)
