// node examples/overload/pipeline.mjs (after npm run build)
//
// A dependency is healthy, slow, overloaded, hangs, and recovers. Two threads make users' requests
// all the while: first with a timeout and a loop of three attempts, then through one pipeline.
//
// Start reading in pipeline-call.mjs.
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { getRegistry } from 'busbar'
import { MAX_IN_FLIGHT, ways } from './pipeline-call.mjs'
import { BEFORE, PHASES } from './pipeline-phases.mjs'

const THREADS = 2
const REQUESTS_PER_SECOND = 200
const HEAD = ['phase', 'way', 'users', 'served', 'refused']
HEAD.push('reached it', 'most in flight', 'median ms', 'p99 ms')

/** A thread, and the first thing that it said. */
async function start(file, workerData) {
  const thread = new Worker(new URL(file, import.meta.url), { workerData })
  const [said] = await once(thread, 'message')
  return [thread, said]
}

async function goThrough(phaseWord) {
  for (const [phase, { ms }] of PHASES.entries()) {
    Atomics.store(phaseWord, 0, phase)
    await sleep(ms)
  }
  Atomics.store(phaseWord, 0, PHASES.length)
}

/** What came of the users' requests, and what the dependency counted in each phase. */
async function measure(way) {
  const phaseWord = new Int32Array(new SharedArrayBuffer(4)).fill(BEFORE)
  const phase = phaseWord.buffer
  const [dependency, url] = await start('./pipeline-dependency.mjs', { phase })
  const workerData = { url, way, requestsPerSecond: REQUESTS_PER_SECOND / THREADS, phase }
  const started = Array.from({ length: THREADS }, () => start('./pipeline-thread.mjs', workerData))
  const threads = (await Promise.all(started)).map(([thread]) => thread)
  const ends = Promise.all(threads.map(thread => once(thread, 'message')))
  await goThrough(phaseWord)
  const requests = (await ends).flat(2)
  dependency.postMessage('end')
  const [counts] = await once(dependency, 'message')
  await Promise.all([dependency, ...threads].map(thread => thread.terminate()))
  return { way, requests, counts }
}

function rowOf({ way, requests, counts }, phase) {
  const users = requests.filter(request => request.phase === phase)
  const count = outcome => users.filter(user => user.outcome === outcome).length
  const { reached, most } = counts[phase]
  const waits = users.filter(({ outcome }) => outcome !== 'refused').map(({ ms }) => ms)
  waits.sort((a, b) => a - b)
  const quantile = part => waits[Math.ceil(part * waits.length) - 1]?.toFixed(0) ?? '-'
  const numbers = [users.length, count('served'), count('refused'), reached, most]
  return [PHASES[phase].name, way, ...numbers.map(String), quantile(0.5), quantile(0.99)]
}

function printTable(rows) {
  const widths = HEAD.map((title, i) => Math.max(title.length, ...rows.map(row => row[i].length)))
  const line = cells => `| ${cells.map((cell, i) => cell.padEnd(widths[i])).join(' | ')} |`
  console.log(line(HEAD))
  console.log(line(widths.map(width => '-'.repeat(width))))
  for (const row of rows) console.log(line(row))
}

// The registry that the threads' getRegistry() attach to.
const registry = getRegistry()
console.log(
  `${REQUESTS_PER_SECOND} users a second, two threads; the pipeline lets ${MAX_IN_FLIGHT} calls be in flight:\n`,
)
const runs = []
for (const way of Object.keys(ways)) runs.push(await measure(way))
printTable(PHASES.flatMap((_, phase) => runs.map(run => rowOf(run, phase))))
console.log(`
"refused": nothing was sent for that user. The times are of all others, served or not.

What the pipeline costs: a dependency that is slow but could bear more gets no more than
${MAX_IN_FLIGHT} calls at once, and when one comes back, users are refused for a while yet. The loop does serve
those who come while the dependency hangs, after a second or two: because it hangs for less than three
attempts last.
What it buys: an overloaded dependency gets about half of what the loop sends it, and serves more
users for that; one that hangs gets about a tenth, and most users are told at once; one that comes
back gets no retries of old requests on top of its load.`)
registry.close()
