import { setTimeout as sleep } from 'node:timers/promises'
import { workerData } from 'node:worker_threads'
import { getRegistry, isRefusal } from 'busbar'

const CALLS = 20

const breaker = getRegistry().breaker('stock', {
  slidingWindow: { type: 'consecutive', failures: 5 },
  waitDurationInOpenStateMs: 60_000,
})

for (let call = 0; call < CALLS; call++) {
  const result = await breaker.tryExecute(async () => {
    const { ok, status } = await fetch(`http://127.0.0.1:${workerData.port}/`)
    if (!ok) throw new Error(`the dependency answered ${status}`)
  })
  if (isRefusal(result.error)) await sleep(1)
}
