/**
 * Bytes that a call leaves behind on the heap, printed as JSON: { kind: bytes }. Run with
 * --expose-gc, in a process of its own.
 */
import { registryWith } from './registry.mjs'

const CALLS = 10_000_000
const WARM_CALLS = 3_000_000
const LONG_MS = 3_600_000

function refuse(breaker, calls) {
  for (let call = 0; call < calls; call++) breaker.tryAcquire()
}

function succeed(breaker, calls) {
  for (let call = 0; call < calls; call++) breaker.recordSuccess(breaker.tryAcquire())
}

/**
 * A young generation that holds 16 MB is not collected on the way unless a call leaves more than a
 * byte; then less is found than was left, but never nothing.
 */
function bytesOfCall(run, breaker) {
  run(breaker, WARM_CALLS)
  globalThis.gc()
  const before = process.memoryUsage().heapUsed
  run(breaker, CALLS)
  return (process.memoryUsage().heapUsed - before) / CALLS
}

const bytes = {}
for (const keeper of [true, false]) {
  const registry = await registryWith(keeper)
  const kept = keeper ? 'keeper on' : 'keeper off'
  const open = registry.breaker('open', { waitDurationInOpenStateMs: LONG_MS })
  open.open()
  bytes[`refusal, ${kept}`] = bytesOfCall(refuse, open)
  for (const type of ['time', 'count', 'consecutive']) {
    const breaker = registry.breaker(type, { slidingWindow: { type } })
    bytes[`permit + success, ${type} window, ${kept}`] = bytesOfCall(succeed, breaker)
  }
  registry.close()
}
console.log(JSON.stringify(bytes))
