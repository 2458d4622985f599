/**
 * `node leave.mjs <how>`: a process with an open registry that has nothing more to do. Says so by a
 * line, and should end by itself.
 */
import { createRegistry } from 'busbar'

const registry = createRegistry()
const breaker = registry.breaker('b')

async function until(keeper, meanwhile) {
  while (registry.snapshot().keeper !== keeper) {
    meanwhile()
    await new Promise(setImmediate)
  }
}

const succeed = () => breaker.recordSuccess(breaker.tryAcquire())

const ways = {
  at_once() {},
  async awake() {
    await until('awake', succeed)
  },
  async asleep() {
    await until('awake', succeed)
    await until('asleep', () => {})
  },
  async by_exit() {
    await until('awake', succeed)
    setInterval(() => {}, 1000)
    setImmediate(() => process.exit(0))
  },
}

await ways[process.argv[2]]()
console.log('done')
