/**
 * `node --trace-gc --expose-gc allocation.mjs <keeper> <kernel>`: ten million of each call of the core in
 * steady state, between two lines of output: a call that allocates makes the collector speak between
 * them. Then by how many bytes the heap is larger than before, what can be freed freed.
 */
import { createRegistry } from 'busbar'

const CALLS = 10_000_000
/**
 * Milliseconds. V8 gives up and makes anew what it compiled when a branch is taken for the first few
 * times, and code that is not compiled yet boxes numbers. With a keeper some branches are rare.
 */
const WARM_UP_MS = 2500
const HOUR_MS = 3_600_000

const [, , keeper, kernel] = process.argv
const registry = createRegistry({ keeper: keeper === 'keeper', kernel })
const time = registry.breaker('time')
const count = registry.breaker('count', { slidingWindow: { type: 'count', size: 100 } })
const row = registry.breaker('row', { slidingWindow: { type: 'consecutive', failures: 4095 } })
const open = registry.breaker('open', { waitDurationInOpenStateMs: HOUR_MS })
const forced = registry.breaker('forced')
open.open()
forced.forceOpen()

const loops = {
  open: () => open.tryAcquire(),
  forced: () => forced.tryAcquire(),
  time: () => time.recordSuccess(time.tryAcquire()),
  count: () => count.recordSuccess(count.tryAcquire()),
  row: () => row.recordSuccess(row.tryAcquire()),
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
  console.log(`begin ${name} ${registry.snapshot().keeper}`)
  repeat(work, CALLS)
  console.log(`end ${name}`)
  console.log(`grew ${name} ${usedBytes() - before}`)
}
