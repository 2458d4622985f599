// Every part of overload control once, with a worker, on whatever Node.js runs it. Ends with a line
// that says so.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { getRegistry, isRefusal, REFUSED, retry } from 'busbar'

const registry = getRegistry()
const pipeline = registry.pipeline('all', {
  retry: { attempts: 3, backoff: { initialMs: 1 }, budget: { ratio: 1, minimumPerSecond: 0 } },
  throttle: { windowMs: 60_000, minimumRequestsPerSecond: 100 },
  bulkhead: { maxConcurrentCalls: 2, maxQueuedCalls: 1, maxWaitMs: 10_000 },
  breaker: { slidingWindow: { type: 'consecutive', failures: 3 } },
  timeoutMs: 10_000,
})
const hosts = registry.hosts('hosts', { consecutiveFailures: 2 })

// The worker takes one place and keeps it; we take the other; a third call waits, a fourth is out.
const worker = new Worker(new URL('overload-worker.mjs', import.meta.url))
const [inFlight] = await once(worker, 'message')
assert.equal(inFlight, 1)
const place = pipeline.bulkhead.tryAcquire()
assert.notEqual(place, REFUSED)
const waiting = pipeline.execute(async ({ signal }) => `waited, ${signal.aborted}`)
const refused = await pipeline.tryExecute(async () => 'never')
assert.deepEqual(
  [refused.ok, refused.refused, refused.error.code],
  [false, true, 'ERR_BULKHEAD_FULL'],
)
assert.ok(isRefusal(refused.error))

// What the worker held comes back with its end.
await worker.terminate()
assert.equal(await waiting, 'waited, false')
pipeline.bulkhead.release(place)
assert.equal(pipeline.bulkhead.snapshot().inFlight, 0)

// It had failed once at one host; once more ejects it.
hosts.record('a', 'success')
hosts.record('b', 'failure')
assert.equal(hosts.isEjected('b'), true)
assert.equal(hosts.pick(['a', 'b']), 'a')

let calls = 0
const answer = await pipeline.execute(async () => {
  calls++
  if (calls < 2) throw new Error('again')
  return 'second'
})
assert.equal(answer, 'second')
const failing = async () => {
  throw Object.assign(new Error('down'), { retryAfterMs: 1 })
}
await assert.rejects(retry(failing, { attempts: 2 }), { message: 'down' })
const { throttle, breaker, retryBudget } = pipeline.snapshot()
assert.equal(throttle.totals.rejected, 1)
assert.equal(breaker.totals.failed, 1)
assert.equal(retryBudget.totals.retries, 1)

const hanging = registry.breaker('hanging', {
  slowCallDurationThresholdMs: 20,
  minimumNumberOfCalls: 1,
  countHangingCalls: true,
})
hanging.tryAcquire()
const until = performance.now() + 20_000
while (hanging.tryAcquire() !== REFUSED && performance.now() < until) {
  await new Promise(resolve => setTimeout(resolve, 5))
}
assert.equal(hanging.state, 'open')
registry.close()
console.log(`overload passed on ${process.version}`)
