// A million permits, and a million refusals, in a process that reports its collections.
import { PerformanceObserver } from 'node:perf_hooks'
import { createRegistry, REFUSED } from '../../../dist/index.js'

const CALLS = 1_000_000
const registry = createRegistry()

function loopsOf(name, maxQueuedCalls) {
  const bulkhead = registry.bulkhead(name, { maxConcurrentCalls: 2, maxQueuedCalls })
  const full = registry.bulkhead(`${name}, full`, { maxConcurrentCalls: 1, maxQueuedCalls })
  full.tryAcquire()
  return {
    permits(calls) {
      for (let call = 0; call < calls; call++) bulkhead.release(bulkhead.tryAcquire())
    },
    refusals(calls) {
      for (let call = 0; call < calls; call++) if (full.tryAcquire() !== REFUSED) throw full
    },
  }
}

let collections = 0
new PerformanceObserver(list => {
  collections += list.getEntries().length
}).observe({ entryTypes: ['gc'] })

const report = {}
for (const maxQueuedCalls of [0, 10]) {
  const loops = loopsOf(`queue ${maxQueuedCalls}`, maxQueuedCalls)
  for (const [name, loop] of Object.entries(loops)) {
    for (let warm = 0; warm < 20; warm++) loop(CALLS / 20)
    await new Promise(resolve => setTimeout(resolve, 50))
    globalThis.gc()
    const before = process.memoryUsage().heapUsed
    await new Promise(resolve => setTimeout(resolve, 10))
    collections = 0
    loop(CALLS)
    await new Promise(resolve => setTimeout(resolve, 10))
    const during = collections
    globalThis.gc()
    const grown = process.memoryUsage().heapUsed - before
    report[`${name}, ${maxQueuedCalls}`] = { collections: during, grown }
  }
}
registry.close()
console.log(JSON.stringify(report))
