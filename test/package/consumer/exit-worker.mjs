// A worker with a registry that it does not close. It must end by itself.
import { parentPort } from 'node:worker_threads'
import { getRegistry } from 'busbar'

const breaker = getRegistry().breaker('open')
breaker.tryAcquire()
parentPort.postMessage(breaker.state)
