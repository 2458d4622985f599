// Leaves registries open, with a breaker in every state and a registry in a worker, and must end by
// itself. Prints the states, and how long after its last line the process went on.
import { Worker } from 'node:worker_threads'
import { createRegistry, getRegistry, REFUSED } from 'busbar'

const slidingWindow = { type: 'consecutive', failures: 1 }
const shared = getRegistry()
const manual = createRegistry({ clock: 'manual', defaults: { slidingWindow } })

const breakers = {
  closed: shared.breaker('closed'),
  open: shared.breaker('open', { slidingWindow, waitDurationInOpenStateMs: 600_000 }),
  'half-open': manual.breaker('half-open'),
  'forced-open': shared.breaker('forced-open'),
  disabled: shared.breaker('disabled'),
  'metrics-only': shared.breaker('metrics-only'),
}
breakers.open.recordFailure(breakers.open.tryAcquire())
breakers['half-open'].recordFailure(breakers['half-open'].tryAcquire())
manual.advance(30_000)
const trial = breakers['half-open'].tryAcquire()
breakers['forced-open'].forceOpen({ ttlMs: 600_000 })
breakers.disabled.disable()
breakers['metrics-only'].metricsOnly()
// A call in flight that never settles, and a trial that is never settled.
breakers.closed.execute(() => new Promise(() => undefined))

const worker = new Worker(new URL('exit-worker.mjs', import.meta.url))
const seen = new Promise(resolve => worker.once('message', resolve))
const code = new Promise(resolve => worker.once('exit', resolve))
const report = {
  states: Object.values(breakers).map(breaker => breaker.state),
  trial: trial !== REFUSED,
  worker: { seen: await seen, code: await code },
}
const startedAt = performance.now()
process.once('exit', () => {
  console.log(JSON.stringify({ ...report, tookMs: performance.now() - startedAt }))
})
