// TP-01: ten breakers, one open, one half-open with no trial running; then the script ends.
import { createRegistry } from 'busbar'

const registry = createRegistry()
const options = {
  slidingWindow: { type: 'time', durationMs: 10_000, buckets: 10 },
  minimumNumberOfCalls: 1,
  waitDurationInOpenStateMs: 30_000,
  permittedNumberOfCallsInHalfOpenState: 1,
}
const breakers = Array.from({ length: 9 }, (_, index) => registry.breaker(`b${index}`, options))
for (const breaker of breakers) await breaker.execute(async () => 'done')

const [open] = breakers
open.open()
const halfOpen = registry.breaker('half-open', { ...options, waitDurationInOpenStateMs: 0 })
await halfOpen.execute(() => Promise.reject(new Error('down'))).catch(() => undefined)
halfOpen.release(halfOpen.tryAcquire())
console.log(open.state, halfOpen.state)

const endedAt = performance.now()
process.on('exit', () => console.log(Math.ceil(performance.now() - endedAt)))
