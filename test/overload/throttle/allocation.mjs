/**
 * `node --trace-gc --expose-gc allocation.mjs <keeper>`: as test/threads/allocation.mjs, of a
 * throttle that refuses nobody and of one that refuses half.
 */
import { createRegistry } from 'busbar'

const CALLS = 10_000_000
const WARM_UP_MS = 2500
const DAY_MS = 86_400_000

const registry = createRegistry({ keeper: process.argv[2] === 'keeper' })
const OPTIONS = { windowMs: DAY_MS, minimumRequestsPerSecond: 0 }
const calm = registry.throttle('calm', OPTIONS)
const busy = registry.throttle('busy', { ...OPTIONS, maxRejectionProbability: 0.5 })

const loops = {
  calm: () => calm.recordAccepted(calm.tryAcquire()),
  busy: () => busy.recordRejected(busy.tryAcquire()),
}

function repeat(work, times) {
  for (let call = 0; call < times; call++) work()
}

function usedBytes() {
  globalThis.gc()
  return process.memoryUsage().heapUsed
}

for (const [name, work] of Object.entries(loops)) {
  const end = performance.now() + WARM_UP_MS
  while (performance.now() < end) repeat(work, CALLS / 100)
  const before = usedBytes()
  console.log(`begin ${name}`)
  repeat(work, CALLS)
  console.log(`end ${name}`)
  console.log(`grew ${name} ${usedBytes() - before}`)
}
const { admitted, refused } = busy.snapshot().totals
console.log(`refused ${refused / (admitted + refused)}`)
