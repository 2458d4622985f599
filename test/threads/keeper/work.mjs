/**
 * `node work.mjs <index.js>`: all that a user does, with the copy of the package that is named. Prints
 * a line of JSON: what came of it, the keeper's state and the warnings.
 */
const { createRegistry, REFUSED } = await import(process.argv[2])

const WAIT_MS = 50
const warnings = []
process.on('warning', ({ message }) => warnings.push(message))

const registry = createRegistry({ maxBreakers: 4 })
const breaker = registry.breaker('b', {
  slidingWindow: { type: 'time', durationMs: 60_000, buckets: 6 },
  minimumNumberOfCalls: 4,
  waitDurationInOpenStateMs: WAIT_MS,
  permittedNumberOfCallsInHalfOpenState: 1,
})

for (let call = 0; call < 1000; call++) breaker.recordSuccess(breaker.tryAcquire())
const { calls } = breaker.snapshot().window
// A keeper that cannot be started says so within a turn or some of the loop.
while (registry.snapshot().keeper !== 'none') await new Promise(setImmediate)
breaker.reset()
for (let call = 0; call < 4; call++) breaker.recordFailure(breaker.tryAcquire())
const { state, since } = breaker.snapshot()
let refused = 0
let permit = breaker.tryAcquire()
while (permit === REFUSED) {
  refused++
  permit = breaker.tryAcquire()
}
const early = registry.now() < since + WAIT_MS
breaker.recordSuccess(permit)
await new Promise(setImmediate)
const { keeper } = registry.snapshot()
const seen = { calls, state, wasRefused: refused > 0, early, after: breaker.state }
console.log(JSON.stringify({ ...seen, keeper, warnings }))
