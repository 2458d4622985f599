// node examples/adapters/piscina.mjs (after npm run build)
//
// A pool whose workers share one breaker: a dead dependency gets the threshold in calls once, not
// once a worker. Then a worker is killed in the midst of a call, and nothing of it is left.
import { createRegistry } from 'busbar'
import { poolData } from 'busbar/piscina'
import { Piscina } from 'piscina'

const TASKS = 40
const WORKERS = 4

const registry = createRegistry({ maxThreads: 16 })
const payments = registry.breaker('payments', {
  slidingWindow: { type: 'consecutive', failures: 5 },
})
const filename = new URL('piscina-worker.mjs', import.meta.url).href
const pool = new Piscina({
  filename,
  workerData: poolData(registry),
  minThreads: WORKERS,
  maxThreads: WORKERS,
})

await Promise.all(Array.from({ length: TASKS }, () => pool.run('A-1', { name: 'charge' })))
// The threshold, and what was in flight then.
const { admitted, refused } = payments.snapshot().totals
console.log(`${TASKS} tasks in ${WORKERS} workers: ${admitted} calls, ${refused} refused`)

payments.reset()
const controller = new AbortController()
const task = pool.run('A-2', { name: 'hang', signal: controller.signal })
pool.once('message', () => controller.abort())
await task.catch(error => console.log(`${error.name}: its worker is killed`))
await pool.destroy()
const { abandoned, inFlight } = payments.snapshot().totals
console.log(`${abandoned} abandoned, ${inFlight} in flight, ${registry.snapshot().threads} thread`)
registry.close()
