// npm run demo:timeline
//
// A breaker's life in eight seconds. One request every 400 ms to a service that is down for its
// first 4 s. The breaker opens after 3 failures in a row, for 2 s, and then lets one trial through.
import { setTimeout as sleep } from 'node:timers/promises'
import { CircuitOpenError, getRegistry } from 'busbar'
import { startService } from './service.mjs'

const REQUESTS = 20
const EVERY_MS = 400

const breaker = getRegistry().breaker('service', {
  slidingWindow: { type: 'consecutive', failures: 3 },
  waitDurationInOpenStateMs: 2000,
  permittedNumberOfCallsInHalfOpenState: 1,
})

/** One request through the breaker, in words. */
async function request(url) {
  let call = 'call'
  try {
    await breaker.execute(async () => {
      if (breaker.state === 'half-open') call = 'trial'
      const { ok, status } = await fetch(url)
      if (!ok) throw new Error(`the service answered ${status}`)
    })
    return `${call} succeeded`
  } catch (error) {
    if (error instanceof CircuitOpenError) {
      return `refused: try again in ${Math.ceil(error.retryAfterMs)} ms`
    }
    return `${call} failed: ${error.message}`
  }
}

const service = await startService({ downForMs: 4000 })
const startMs = performance.now()
console.log('One request every 400 ms; the service is down for its first 4 s.')
console.log('The breaker opens after 3 failures in a row, for 2 s, then lets one trial through.\n')
console.log('  time   what became of the request               breaker afterwards')
for (let i = 0; i < REQUESTS; i += 1) {
  await sleep(Math.max(0, startMs + i * EVERY_MS - performance.now()))
  const seconds = ((i * EVERY_MS) / 1000).toFixed(1)
  console.log(`  ${seconds} s  ${(await request(service.url)).padEnd(40)} ${breaker.state}`)
}
service.stop()
