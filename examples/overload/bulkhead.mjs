// node examples/overload/bulkhead.mjs (after npm run build)
//
// Four threads call a dependency 200 times a second. For a second it answers within 20 ms, so about
// four calls are in flight; then it answers within 2 s. What piles up, without a bulkhead and with
// one that lets 20 calls through?
//
// Start reading in bulkhead-client.mjs.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { getRegistry } from 'busbar'
import { startDependency } from './bulkhead-dependency.mjs'

const THREADS = 4
const CALLS_PER_SECOND = 200
const HEALTHY_MS = 1_000
const FOR_MS = 3_000
const LIMIT = 20
const HEAD = ['bulkhead', 'calls', 'most in flight', 'served', 'refused', 'slowest refusal']

// The registry that the threads' getRegistry() attach to.
const registry = getRegistry()

async function measure(limit) {
  const dependency = await startDependency()
  const workerData = {
    url: dependency.url,
    limit,
    callsPerSecond: CALLS_PER_SECOND / THREADS,
    forMs: FOR_MS,
    counter: new SharedArrayBuffer(4),
  }
  const file = new URL('./bulkhead-client.mjs', import.meta.url)
  const threads = Array.from({ length: THREADS }, () => new Worker(file, { workerData }))
  await Promise.all(threads.map(thread => once(thread, 'online')))
  setTimeout(dependency.slowDown, HEALTHY_MS)
  const reports = await Promise.all(threads.map(async thread => (await once(thread, 'message'))[0]))
  await Promise.all(threads.map(thread => thread.terminate()))
  dependency.stop()
  return reports
}

async function rowOf(name, limit) {
  const reports = await measure(limit)
  const calls = reports.flatMap(report => report.calls)
  const [served, refused] = ['served', 'refused'].map(outcome =>
    calls.filter(call => call.outcome === outcome),
  )
  const most = Math.max(...reports.map(report => report.most))
  const slowestMs = Math.max(...refused.map(({ ms }) => ms))
  const counts = [calls.length, most, served.length, refused.length].map(String)
  return [name, ...counts, refused.length > 0 ? `${slowestMs.toFixed(1)} ms` : '-']
}

function printTable(rows) {
  const widths = HEAD.map((title, i) => Math.max(title.length, ...rows.map(row => row[i].length)))
  const line = cells => `| ${cells.map((cell, i) => cell.padEnd(widths[i])).join(' | ')} |`
  console.log(line(HEAD))
  console.log(line(widths.map(width => '-'.repeat(width))))
  for (const row of rows) console.log(line(row))
}

console.log(
  `${CALLS_PER_SECOND} calls a second to a dependency that becomes slow after a second:\n`,
)
printTable([await rowOf('none'), await rowOf(`${LIMIT} calls`, LIMIT)])
console.log(`
What the bulkhead refuses is not served: it does not make the dependency faster. It keeps memory,
sockets and the dependency's own queue from filling, and answers the rest at once.`)
registry.close()
