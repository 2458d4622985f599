// npm run demo:placement
//
// Where is a breaker's state kept: with the dependency, with each place that calls it, in each
// thread? The same 60 loans each time, one after the other; what differs is how many breakers
// there are and what each of them gets to see. The notification service counts what it costs.
//
// Start reading in breakers.mjs and placements.mjs.
import { startDependencies } from './dependencies.mjs'
import { inOneThread, perThread, shared } from './placements.mjs'

const LOANS = 60
const LIMITS = [3, 5, 10]

/** The 60 loans in one placement. With several threads they take turns. */
async function measure(place, { key, failures }) {
  const dependencies = await startDependencies()
  const placement = await place({ urls: dependencies.urls, key, failures })
  for (let loan = 1; loan <= LOANS; loan += 1) {
    const url = placement.urls[(loan - 1) % placement.urls.length]
    await (await fetch(`${url}/loans/${loan}`)).json()
  }
  const result = { ...(await placement.count()), ...dependencies.calls() }
  await placement.stop()
  dependencies.stop()
  return result
}

const head = ['threshold / key', 'breakers', 'open', 'notification calls']
head.push('send', 'remind', 'cancel', 'catalog')

function printTable(results) {
  const rows = results.map(([name, { breakers, open, send, remind, cancel, catalog }]) =>
    [name, breakers, open, send + remind + cancel, send, remind, cancel, catalog].map(String),
  )
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map(row => row[i].length)))
  const line = cells => `| ${cells.map((cell, i) => cell.padEnd(widths[i])).join(' | ')} |`
  const rule = `|${widths.map(width => '-'.repeat(width + 2)).join('|')}|`
  console.log([line(head), rule, ...rows.map(line)].join('\n'))
}

async function measureAll(placements) {
  const rows = []
  for (const failures of LIMITS) {
    for (const { name, key, place } of placements) {
      rows.push([`${failures} / ${name}`, await measure(place, { key, failures })])
    }
  }
  return rows
}

console.log(`A loan service calls a notification service, which always answers 503, from three call
sites ("send" and "remind" for each of ${LOANS} loans, "cancel" for every 20th), and a healthy catalog
once a loan. A breaker opens after so many failures in a row as the threshold says, for longer
than the run.

One thread. The breaker's key is the dependency, or the call site:
`)
printTable(
  await measureAll([
    { name: 'dependency', key: 'dependency', place: inOneThread },
    { name: 'call site', key: 'call site', place: inOneThread },
  ]),
)
console.log(`
The same loans in turn over four worker threads. The key is the dependency; the breaker is the
thread's own, or one that all threads share:
`)
printTable(
  await measureAll([
    { name: 'dependency, per thread', key: 'dependency', place: perThread },
    { name: 'dependency, shared', key: 'dependency', place: shared },
  ]),
)
