/**
 * A process of its own that makes a registry, with a keeper or without, and prints what that took,
 * as JSON: `node keeper-start.mjs on|off`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createRegistry } from 'busbar'

const SETTLED_MS = 400
const LIMIT_MS = 5000

const keeper = process.argv[2] === 'on'
const startedAt = performance.now()
const registry = createRegistry({ keeper })
const makingMs = performance.now() - startedAt
const breaker = registry.breaker('b')
breaker.open()

/** A keeper is said to be awake as soon as it is called; that it ticks is known by its word. */
async function untilItTicks() {
  const word = new Int32Array(registry.handle.buffer)
  const { HEADER } = await import(new URL('../../dist/memory/layout.js', import.meta.url).href)
  const ticks = new Set()
  while (ticks.size < 3) {
    if (performance.now() - startedAt > LIMIT_MS) throw new Error('the keeper does not start')
    breaker.tryAcquire()
    ticks.add(Atomics.load(word, HEADER.TICK))
    await sleep(0)
  }
  return performance.now() - startedAt
}

const tickingMs = keeper ? await untilItTicks() : 0
await sleep(SETTLED_MS)
console.log(JSON.stringify({ makingMs, tickingMs, residentBytes: process.memoryUsage.rss() }))
registry.close()
