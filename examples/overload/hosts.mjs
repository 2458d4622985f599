// node examples/overload/hosts.mjs (after npm run build)
//
// A dependency of five hosts, of which one answers every request with 503. Two threads call it, each
// time another host. What does a breaker for the dependency do, and what a host group?
//
// Start reading in hosts-call.mjs.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { Worker } from 'node:worker_threads'
import { getRegistry } from 'busbar'
import { policies } from './hosts-call.mjs'

const HOSTS = 5
const THREADS = 2
const CALLS_A_THREAD = 500
const EVERY_MS = 4

/** A server on loopback that counts the requests that reach it. */
async function startHost(status) {
  let requests = 0
  const server = createServer((_request, response) => {
    requests += 1
    response.writeHead(status).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    requests: () => requests,
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function startThread(workerData) {
  const thread = new Worker(new URL('./hosts-thread.mjs', import.meta.url), { workerData })
  await once(thread, 'message')
  return thread
}

async function runIn(thread, policy) {
  thread.postMessage(policy)
  const [counts] = await once(thread, 'message')
  return counts
}

function printTable(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map(row => row[column].length)))
  const line = cells => `| ${cells.map((cell, i) => cell.padEnd(widths[i])).join(' | ')} |`
  const rule = `|${widths.map(width => '-'.repeat(width + 2)).join('|')}|`
  const [head, ...body] = rows
  console.log([line(head), rule, ...body.map(line)].join('\n'))
}

// Made here so that the threads find it.
getRegistry()
const hosts = await Promise.all(
  Array.from({ length: HOSTS }, (_, index) => startHost(index === 0 ? 503 : 200)),
)
const [bad] = hosts
const workerData = {
  hosts: hosts.map(({ url }) => url),
  calls: CALLS_A_THREAD,
  everyMs: EVERY_MS,
}
const threads = await Promise.all(Array.from({ length: THREADS }, () => startThread(workerData)))

const rows = [['guarded by', 'calls', 'served', 'failed', 'refused', 'reached the bad host']]
for (const policy of Object.keys(policies)) {
  const before = bad.requests()
  const counts = await Promise.all(threads.map(thread => runIn(thread, policy)))
  const sum = key => counts.reduce((all, one) => all + one[key], 0)
  const numbers = [CALLS_A_THREAD * THREADS, sum('served'), sum('failed'), sum('refused')]
  rows.push([policy, ...[...numbers, bad.requests() - before].map(String)])
}

console.log(`Five hosts, one of which answers every request with 503. Two threads, ${CALLS_A_THREAD} calls each, one
every ${EVERY_MS} ms, to a random host.
`)
printTable(rows)

const { hosts: states, ejected, maxEjected } = getRegistry().hosts('hosts').snapshot()
const { ejectionsInRow } = states.find(({ host }) => host === bad.url)
console.log(`
A fifth of all calls fail. A breaker that opens at half of them sees nothing; one that opens at less
opens for all five hosts. The group has ejected the bad host, ${ejectionsInRow} times in a row by now, each for
longer than before (${ejected} of at most ${maxEjected} is out). What still fails are the calls by which it finds the
host bad again when it comes back: five in a row.`)

await Promise.all(threads.map(thread => thread.terminate()))
for (const host of hosts) host.stop()
