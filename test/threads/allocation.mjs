/**
 * Ten million of each call of the core in steady state, between two lines of output. Run with
 * --trace-gc: a call that allocates makes the collector speak between them.
 */
import { createRegistry } from 'busbar'

const CALLS = 10_000_000

const registry = createRegistry()
const time = registry.breaker('time')
const count = registry.breaker('count', { slidingWindow: { type: 'count', size: 100 } })
const row = registry.breaker('row', { slidingWindow: { type: 'consecutive', failures: 4095 } })
const open = registry.breaker('open')
open.forceOpen()

const loops = {
  refuse: () => open.tryAcquire(),
  time: () => time.recordSuccess(time.tryAcquire()),
  count: () => count.recordSuccess(count.tryAcquire()),
  row: () => row.recordSuccess(row.tryAcquire()),
}

function repeat(work, times) {
  for (let call = 0; call < times; call++) work()
}

for (const [name, work] of Object.entries(loops)) {
  repeat(work, 200_000) // compiled, and every window has its minimum of calls
  console.log(`begin ${name}`)
  repeat(work, CALLS)
  console.log(`end ${name}`)
}
