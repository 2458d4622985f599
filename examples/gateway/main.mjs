// npm run demo
//
// A gateway with four worker threads calls a dependency that dies and comes back. The same load
// three times: with no breaker, with an opossum breaker in each worker, with one busbar breaker
// that all four share. The dependency counts what reaches it.
//
//   client (thread) -> gateway (Fastify) -> 4 workers (Piscina, undici) -> dependency (process)
//
// Start reading in protections.mjs: the three ways to protect a call, side by side. Everything is
// on 127.0.0.1 and the whole takes about a minute. The dashboard that it names shows the shared
// breaker live; `npm run demo -- --dashboard` leaves out the comparison and plays the outage with
// that breaker over and over, until Ctrl-C.
import { startBoard } from './board.mjs'
import { phaseLine, reading, setting, table } from './report.mjs'
import { run } from './run.mjs'

const plan = {
  workers: 4,
  requestsPerSecond: 200,
  callTimeoutMs: 300,
  windowMs: 1000,
  minimumCalls: 20,
  failureRate: 0.5,
  waitMs: 1000,
  phases: [
    { name: 'healthy', behaviour: 'answer', durationMs: 2500 },
    { name: 'quiet', behaviour: 'answer', durationMs: 1500, quiet: true },
    { name: 'down, answers 503', behaviour: 'fail', durationMs: 4000 },
    { name: 'down, hangs', behaviour: 'hang', durationMs: 4000 },
    { name: 'back', behaviour: 'answer', durationMs: 3500, msSinceTrial: 500, recovery: true },
    { name: 'down again', behaviour: 'fail', durationMs: 2000 },
  ],
}

const runs = [
  { protection: 'none', title: ['no', 'breaker'] },
  { protection: 'opossum', title: ['opossum, one', 'per worker'] },
  { protection: 'busbar', title: ['busbar, one', 'for all'] },
]

/** The phases again and again, each under a name of its own. */
function* forEver(phases) {
  for (let round = 1; ; round += 1) {
    for (const phase of phases) yield { ...phase, name: `${round}. ${phase.name}` }
  }
}

const board = await startBoard()
console.log(setting(plan))

if (process.argv.includes('--dashboard')) {
  console.log(`\nDashboard: ${board.url} (Ctrl-C ends)\n`)
  const endless = { ...plan, phases: forEver(plan.phases) }
  await run(endless, 'busbar', result => {
    console.log(phaseLine({ ...result, name: result.name.replace(/^\d+\. /, '') }))
  })
}

console.log(`\nDashboard: ${board.url} (shows the shared breaker, the last of the three)`)
const columns = []
for (const { protection, title } of runs) {
  console.log(`\n${title.join(' ')}:`)
  const phases = await run(plan, protection, result => console.log(phaseLine(result)))
  columns.push({ title, phases })
}
console.log(`\n${table(columns)}\n\n${reading(plan)}`)
board.stop()
