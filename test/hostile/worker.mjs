/**
 * A thread that calls without pause while others overwrite the region's words. It answers with the
 * exceptions that no call may throw, and with the warnings of damage that it emitted.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { attachRegistry, REFUSED, RegionError, RegistryFullError } from 'busbar'

const { handle, names, control, index, seed } = workerData
/** Word 0: stop. Words 1 ..: how far each thread has come. */
const words = new Int32Array(control)
const BATCH = 200

let x = (seed + index * 7919) | 1
function below(limit) {
  x ^= x << 13
  x ^= x >>> 17
  x ^= x << 5
  return (x >>> 0) % limit
}

let warnings = 0
process.on('warning', ({ message }) => {
  if (message.startsWith('busbar: damaged')) warnings++
})

const registry = attachRegistry(handle)
const breakers = names.flatMap(name => {
  try {
    return [registry.breaker(name)]
  } catch (error) {
    // Others are at work, and may have taken the room for it.
    if (error instanceof RegistryFullError) return []
    throw error
  }
})
const throttle = registry.throttle('throttle')
const bulkhead = registry.bulkhead('bulkhead', { maxConcurrentCalls: 4, maxQueuedCalls: 2 })
const budget = registry.retryBudget('budget')
const hosts = registry.hosts('hosts')
parentPort.postMessage('ready')

const errors = new Map()
let calls = 0
let refused = 0
const permits = []

const CORE = [
  ...Array(8).fill(breaker => {
    const permit = breaker.tryAcquire()
    if (permit === REFUSED) refused++
    else permits.push(permit)
  }),
  breaker => breaker.recordSuccess(permits.pop() ?? 0, below(2) * 60),
  breaker => breaker.recordFailure(permits.pop() ?? 0, below(2) * 60),
  breaker => breaker.recordFailure(permits.pop() ?? 0),
  breaker => breaker.release(permits.pop() ?? 0),
  breaker => breaker.state,
  breaker => breaker.canExecute(),
  breaker => breaker.retryAfterMs(),
  () => throttle.recordRejected(throttle.tryAcquire()),
  () => throttle.recordAccepted(throttle.tryAcquire()),
  () => bulkhead.release(bulkhead.tryAcquire()),
  () => budget.recordCall(),
  () => budget.tryRetry(),
  () => hosts.record('abc'[below(3)], below(2) === 0 ? 'success' : 'failure'),
  () => hosts.isEjected('abc'[below(3)]),
]
const OTHERS = [
  breaker => breaker.snapshot(),
  breaker => breaker.reset(),
  () => registry.snapshot(),
  breaker => registry.remove(breaker.name),
  breaker => registry.breaker(breaker.name).tryAcquire(),
  breaker => breaker.configure({ permittedNumberOfCallsInHalfOpenState: 1 + below(64) }),
  () => registry.keyed('key', { max: 2 }).breaker('abc'[below(3)]).tryAcquire(),
]

function call(calls, mayRefuse) {
  const made = calls[below(calls.length)]
  try {
    made(breakers[below(breakers.length)])
  } catch (error) {
    const isSaid = error instanceof RegionError || error instanceof RegistryFullError
    if (mayRefuse && isSaid) return
    const kind = `${made} throws ${error.stack?.split('\n').slice(0, 3).join(' ')}`
    errors.set(kind, (errors.get(kind) ?? 0) + 1)
  }
}

function batch() {
  for (let turn = 0; turn < BATCH; turn++) {
    call(CORE, false)
    if (below(100) === 0) call(OTHERS, true)
    calls++
    Atomics.add(words, 1 + index, 1)
  }
  if (permits.length > 100) permits.length = 0
}

while (Atomics.load(words, 0) === 0) {
  batch()
  // Warnings are emitted between two turns of the loop.
  await new Promise(setImmediate)
}
parentPort.postMessage({ calls, refused, warnings, errors: [...errors] })
