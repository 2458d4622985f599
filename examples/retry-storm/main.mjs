// node examples/retry-storm/main.mjs (after npm run build)
//
// Three layers, each of which tries what it calls up to three times: a client, an edge and a middle
// service. How many requests reach the backend below them for one of a user's, when it is dead?
//
// Start reading in caller.mjs.
import { callerOf } from './caller.mjs'
import { startBackend, startEdge, startLayer } from './layers.mjs'

const USER_REQUESTS = 60
const AT_A_TIME = 5

/** @type {[string, import('./caller.mjs').Retries][]} */
const policies = [
  ['1 attempt', { attempts: 1 }],
  ['3 attempts', { attempts: 3 }],
  ['3 attempts, budget of 20%', { attempts: 3, budget: 'any' }],
]

/** All user requests, a few at a time, through all layers. */
async function measure({ fails, retries }) {
  const backend = await startBackend({ fails })
  const middle = await startLayer({ name: 'middle', target: backend.url, retries })
  const edge = await startEdge({ target: middle.url, retries })
  const call = callerOf({ name: 'client', retries })
  let begun = 0
  let served = 0
  async function user() {
    while (begun < USER_REQUESTS) {
      begun += 1
      if (await call(edge.urls[begun % edge.urls.length])) served += 1
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, user))
  const requests = [await edge.requests(), middle.requests(), backend.requests()]
  await edge.stop()
  middle.stop()
  backend.stop()
  return { requests, served }
}

async function measureAll(run, fails) {
  const rows = []
  for (const [name, { attempts, budget }] of policies) {
    const retries = { attempts, ...(budget && { budget: run }) }
    const { requests, served } = await measure({ fails, retries })
    const perUser = requests.map(count => (count / USER_REQUESTS).toFixed(2))
    rows.push([name, ...perUser, `${served} of ${USER_REQUESTS}`])
  }
  return rows
}

function printTable(rows) {
  const head = ['every layer', 'edge', 'middle', 'backend', 'users served']
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map(row => row[i].length)))
  const line = cells => `| ${cells.map((cell, i) => cell.padEnd(widths[i])).join(' | ')} |`
  const rule = `|${widths.map(width => '-'.repeat(width + 2)).join('|')}|`
  console.log([line(head), rule, ...rows.map(line)].join('\n'))
}

console.log(`client -> edge (two threads) -> middle -> backend. Client, edge and middle retry what they
call. ${USER_REQUESTS} requests of users, ${AT_A_TIME} at a time. For each of them, how many reach each layer?

The backend is dead: it answers 503 at once. Nobody can be served; what differs is how hard it is
hit meanwhile. Three layers of 3 attempts: 3 x 3 x 3 = 27. With budgets: 1.2 x 1.2 x 1.2 = 1.73.
`)
printTable(await measureAll('dead', () => true))
console.log(`
The backend answers every 10th request with 503. That is what retries are for, and well within the
budgets:
`)
printTable(await measureAll('every 10th', n => n % 10 === 0))
console.log(`
The backend answers every other request with 503. This is the price: more fails than the budgets
allow to be retried, and users get errors where stubbornness would have had answers, from a
backend that is hit twice as hard as without retries:
`)
printTable(await measureAll('every other', n => n % 2 === 0))
