/** Counts each call before it is made and once it has returned. */
import { parentPort, workerData } from 'node:worker_threads'
import { attachRegistry } from 'busbar'

const { handle, counters, index, seed, kinds } = workerData
const [ADMITTED, SUCCEEDED, FAILED, IGNORED] = [0, 1, 2, 3]
const stop = counters.length - 1
const registry = attachRegistry(handle)
const breaker = registry.breaker('b')

let x = (seed + index * 7919) | 1
function below(limit) {
  x ^= x << 13
  x ^= x >>> 17
  x ^= x << 5
  return (x >>> 0) % limit
}

function counted(kind, call) {
  const at = (index * kinds + kind) * 2
  Atomics.add(counters, at, 1)
  const result = call()
  Atomics.add(counters, at + 1, 1)
  return result
}

parentPort.postMessage('ready')
while (Atomics.load(counters, stop) === 0) {
  const permit = counted(ADMITTED, () => breaker.tryAcquire())
  const draw = below(10)
  if (draw < 6) counted(SUCCEEDED, () => breaker.recordSuccess(permit))
  else if (draw < 9) counted(FAILED, () => breaker.recordFailure(permit))
  else counted(IGNORED, () => breaker.release(permit))
}
