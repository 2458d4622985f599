// node examples/overload/throttle.mjs (after npm run build)
//
// A backend that can serve 100 requests a second is sent 600, by two threads. To say no costs it
// something too, so the more it is sent, the less it serves. What does a throttle in front of it
// change?
//
// Start reading in throttle-client.mjs.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { getRegistry } from 'busbar'
import { startBackend } from './throttle-backend.mjs'

const THREADS = 2
const OFFERED_PER_SECOND = 600
const SETTLE_MS = 1_500
const MEASURE_MS = 2_000
const HEAD = ['throttle', 'offered/s', 'refused here/s', 'sent/s', 'rejected/s', 'served/s']

// The registry that the threads' getRegistry() attach to.
const registry = getRegistry()

async function measure(k) {
  const backend = await startBackend()
  const workerData = {
    url: backend.url,
    k,
    callsPerSecond: OFFERED_PER_SECOND / THREADS,
    settleMs: SETTLE_MS,
    measureMs: MEASURE_MS,
  }
  const file = new URL('./throttle-client.mjs', import.meta.url)
  const threads = Array.from({ length: THREADS }, () => new Worker(file, { workerData }))
  const counts = await Promise.all(threads.map(async thread => (await once(thread, 'message'))[0]))
  await Promise.all(threads.map(thread => thread.terminate()))
  backend.stop()
  const sum = outcome => counts.reduce((all, count) => all + count[outcome], 0)
  return { served: sum('served'), rejected: sum('rejected'), refused: sum('refused') }
}

async function rowOf(name, k) {
  const { served, rejected, refused } = await measure(k)
  const sent = served + rejected
  const perSecond = count => String(Math.round((count * 1000) / MEASURE_MS))
  return [name, ...[sent + refused, refused, sent, rejected, served].map(perSecond)]
}

function printTable(rows) {
  const widths = HEAD.map((title, i) => Math.max(title.length, ...rows.map(row => row[i].length)))
  const line = cells => `| ${cells.map((cell, i) => cell.padEnd(widths[i])).join(' | ')} |`
  console.log(line(HEAD))
  console.log(line(widths.map(width => '-'.repeat(width))))
  for (const row of rows) console.log(line(row))
}

console.log(`A backend for 100 requests a second is offered ${OFFERED_PER_SECOND}:\n`)
printTable([await rowOf('none'), await rowOf('k = 2', 2), await rowOf('k = 1.2', 1.2)])
registry.close()
