/**
 * A hundred thousand tenants through a thousand breakers: what a proxy sees whose callers name the
 * host. Prints what it takes, and shows that the one that is open is not made room of.
 *
 *   node examples/keyed/main.mjs [keys] [breakers]
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createRegistry } from 'busbar'

const [keys = 100_000, max = 1000] = process.argv.slice(2).map(Number)
const registry = createRegistry({
  maxBreakers: max,
  maxThreads: 4,
  defaults: { slidingWindow: { type: 'consecutive', failures: 5 } },
})
const tenants = registry.keyed('tenant', { max, waitDurationInOpenStateMs: 3_600_000 })

const hot = tenants.breaker('hot')
for (let failure = 0; failure < 5; failure++) hot.recordFailure(hot.tryAcquire())

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc')

/** Megabytes of the process that are in use: JavaScript's own, and buffers. */
function megabytes() {
  collectGarbage()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / 1e6
}

const width = String(keys).length
let most = 0
for (let done = 0; done < keys; done++) {
  const tenant = tenants.breaker(`tenant-${done}`)
  tenant.recordSuccess(tenant.tryAcquire())
  if ((done + 1) % (keys / 5) !== 0) continue
  const there = registry.names().length
  most = Math.max(most, there)
  const seconds = (registry.now() / 1000).toFixed(1)
  console.log(
    `${String(done + 1).padStart(width)} keys  ${there} breakers  ` +
      `${megabytes().toFixed(1)} MB  ${seconds} s`,
  )
}
console.log(`never more than ${max}: ${most <= max}; tenant:hot is ${hot.state}`)
registry.close()
