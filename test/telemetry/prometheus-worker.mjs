/** A worker of the metrics tests: makes calls through a few breakers, then ends in one of many ways. */
import { parentPort, workerData } from 'node:worker_threads'
import { attachRegistry, REFUSED } from 'busbar'
import { renderPrometheus } from 'busbar/prometheus'

const { handle, job, seed } = workerData

/** xorshift32. */
let x = seed | 1
function random() {
  x ^= x << 13
  x ^= x >>> 17
  x ^= x << 5
  return (x >>> 0) / 2 ** 32
}

/** One call in twenty stays in flight. */
function call(breaker) {
  const permit = breaker.tryAcquire()
  if (permit === REFUSED) return
  const draw = random()
  if (draw < 0.6) breaker.recordSuccess(permit, 200 * random())
  else if (draw < 0.9) breaker.recordFailure(permit, 200 * random())
  else if (draw < 0.95) breaker.release(permit)
}

const jobs = {
  /** So many calls; then the slot is given back, calls in flight with it. */
  close(registry, breakers) {
    for (let i = 0; i < 3000; i++) call(breakers[i % breakers.length])
    registry.close()
  },
  /** The same without a word: the death is seen by the thread that started it. */
  exit(_, breakers) {
    for (let i = 0; i < 3000; i++) call(breakers[i % breakers.length])
  },
  /** Until it is terminated in the midst of it. */
  forever(_, breakers) {
    for (let i = 0; ; i++) call(breakers[i % breakers.length])
  },
  /** The metrics as this thread sees them. */
  render(registry) {
    parentPort.postMessage(renderPrometheus(registry))
  },
}

const registry = attachRegistry(handle)
const breakers = registry.names().map(name => registry.breaker(name))
jobs[job](registry, breakers)
