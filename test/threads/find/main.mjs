/** One case of find.test.ts: `node main.mjs <case>` prints a line of JSON. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { getRegistry } from 'busbar'
import { Piscina } from 'piscina'

const at = name => new URL(name, import.meta.url)
const firstMessage = async worker => (await once(worker, 'message'))[0]

function openOne() {
  const breaker = getRegistry().breaker('b')
  breaker.open({ reason: 'by hand' })
  return breaker
}

const cases = {
  async plain() {
    openOne()
    return firstMessage(new Worker(at('look.mjs')))
  },

  async nested() {
    openOne()
    return firstMessage(new Worker(at('nest.mjs')))
  },

  async piscina() {
    openOne()
    const pool = new Piscina({ filename: at('pooled-look.mjs').href, maxThreads: 1 })
    const seen = await pool.run(undefined, { name: 'look' })
    await pool.destroy()
    return seen
  },

  async none() {
    return firstMessage(new Worker(at('look.mjs')))
  },

  same() {
    const first = getRegistry()
    return { same: [getRegistry(), getRegistry({})].every(registry => registry === first) }
  },

  mismatch() {
    getRegistry({ maxBreakers: 8 })
    try {
      getRegistry({ maxBreakers: 9 })
      return {}
    } catch ({ code }) {
      return { code }
    }
  },

  async copies() {
    openOne()
    const other = await import(`${import.meta.resolve('busbar')}?copy`)
    const registry = other.getRegistry()
    return { threads: registry.snapshot().threads, state: registry.get('b').state }
  },

  async blocked() {
    const breaker = getRegistry().breaker('b')
    const workers = [1, 2, 3].map(() => new Worker(at('block.mjs')))
    await Promise.all(workers.map(firstMessage))
    breaker.open()
    const before = breaker.state
    breaker.reset()
    const after = breaker.state
    const admitted = breaker.snapshot().totals.admitted / workers.length
    await Promise.all(workers.map(worker => worker.terminate()))
    return { before, after, admitted }
  },
}

console.log(JSON.stringify(await cases[process.argv[2]]()))
