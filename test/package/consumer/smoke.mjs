// Everything once, as a user would, on whatever Node.js runs it, with the kernel that the first
// argument says. Ends with a line that says so.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { attachRegistry, BusbarError, createRegistry, getRegistry, REFUSED } from 'busbar'

const kernel = process.argv[2]
const registry = getRegistry({ kernel, maxBreakers: 16, defaults: { minimumNumberOfCalls: 4 } })
const windows = {
  time: { type: 'time', durationMs: 600_000, buckets: 10 },
  count: { type: 'count', size: 8 },
  consecutive: { type: 'consecutive', failures: 4 },
}

await shareWithWorkers()
await executeThroughAll()
await recover()
assert.deepEqual(registry.names(), ['time', 'count', 'consecutive', 'calls'])
assert.equal(registry.handle.memory !== undefined, kernel === 'wasm')
console.log(`smoke passed on ${process.version}`)

/** Each of four threads, two of them nested, fails once; the fourth failure opens for all. */
async function shareWithWorkers() {
  const breakers = Object.entries(windows).map(([name, slidingWindow]) =>
    registry.breaker(name, { slidingWindow }),
  )
  const states = () => breakers.map(breaker => breaker.state)
  const workers = [start(1), start(0)]
  const failed = await Promise.all(workers.map(nextMessage))
  assert.deepEqual(failed, [2, 1])
  assert.deepEqual(states(), ['closed', 'closed', 'closed'])
  for (const breaker of breakers) breaker.recordFailure(breaker.tryAcquire())
  assert.deepEqual(states(), ['open', 'open', 'open'])
  for (const breaker of breakers) {
    assert.equal(breaker.tryAcquire(), REFUSED)
    assert.deepEqual(breaker.snapshot().openedBy, {
      calls: 4,
      failures: 4,
      slowCalls: 0,
    })
  }
  const looks = workers.map(nextMessage)
  const exits = workers.map(worker => once(worker, 'exit'))
  for (const worker of workers) worker.postMessage('look')
  const seen = (await Promise.all(looks)).flat()
  assert.deepEqual(new Set(seen), new Set(['open']))
  assert.equal(seen.length, 9)
  assert.deepEqual(await Promise.all(exits), [[0], [0]])
}

async function nextMessage(worker) {
  const [message] = await once(worker, 'message')
  return message
}

function start(depth) {
  return new Worker(new URL('smoke-worker.mjs', import.meta.url), { workerData: { depth } })
}

async function executeThroughAll() {
  const breaker = registry.breaker('calls', { isFailure: value => value === 'bad' })
  assert.equal(await breaker.execute(async ({ signal }) => signal.aborted), false)
  assert.equal(
    breaker.executeSync(() => 'sync'),
    'sync',
  )
  assert.equal(await breaker.wrap((a, b) => a + b)(1, 2), 3)
  assert.deepEqual(await breaker.tryExecute(() => 'bad'), { ok: true, value: 'bad' })
  const forever = () => new Promise(() => undefined)
  await assert.rejects(breaker.execute(forever, { timeoutMs: 5 }), { code: 'ERR_CALL_TIMEOUT' })
  const fallback = error => error.code
  const answer = await breaker.execute(forever, { timeoutMs: 5, fallback })
  assert.equal(answer, 'ERR_CALL_TIMEOUT')
  breaker.forceOpen({ reason: 'smoke' })
  const refusal = await breaker.execute(() => assert.fail('called while open')).catch(e => e)
  assert.ok(BusbarError.is(refusal))
  assert.deepEqual([refusal.code, refusal.reason], ['ERR_CIRCUIT_OPEN', 'smoke'])
  const { succeeded, failed, refused } = breaker.snapshot().totals
  assert.deepEqual({ succeeded, failed, refused }, { succeeded: 3, failed: 3, refused: 1 })
}

/** Open, half-open, closed, by a clock that the test moves. */
async function recover() {
  const mine = createRegistry({ clock: 'manual', kernel })
  const again = attachRegistry(mine.handle)
  const breaker = mine.breaker('b', { slidingWindow: { type: 'consecutive', failures: 1 } })
  breaker.recordFailure(breaker.tryAcquire())
  assert.equal(again.get('b')?.retryAfterMs(), 30_000)
  again.advance(30_000)
  const trials = [breaker.tryAcquire(), breaker.tryAcquire(), breaker.tryAcquire()]
  assert.equal(breaker.tryAcquire(), REFUSED)
  assert.equal(breaker.state, 'half-open')
  for (const trial of trials) breaker.recordSuccess(trial)
  assert.equal(again.get('b')?.state, 'closed')
  again.close()
  mine.close()
}
