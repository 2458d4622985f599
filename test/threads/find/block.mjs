/** Takes a permit and never yields again. */
import { parentPort } from 'node:worker_threads'
import { getRegistry } from 'busbar'

getRegistry().breaker('b').tryAcquire()
parentPort.postMessage('blocked')
for (;;);
