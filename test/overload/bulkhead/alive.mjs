// A process with nothing to do but a call that waits stays until that is over.
import { createRegistry } from '../../../dist/index.js'

const bulkhead = createRegistry().bulkhead('b', {
  maxConcurrentCalls: 1,
  maxQueuedCalls: 1,
  maxWaitMs: 50,
})
await bulkhead.acquire()
try {
  await bulkhead.acquire()
} catch ({ code }) {
  console.log(code)
}
