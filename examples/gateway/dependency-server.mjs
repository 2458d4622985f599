// The dependency: an HTTP server in a process of its own, so that nothing the gateway does can
// starve it. It behaves as it is told over the IPC channel, and counts the calls that reach it.
import { createServer } from 'node:http'
import { nowMs } from './clock.mjs'

const SLOW_ANSWER_MS = 150

/** What the dependency can be told to do with a request. */
const behaviours = {
  answer: response => response.end('fresh from the dependency'),
  fail: response => response.writeHead(503).end('down'),
  hang: () => {},
  slow: response => setTimeout(() => response.end('at last'), SLOW_ANSWER_MS),
}

let behave = behaviours.answer
let phase = 'start'
/** Calls that arrived, by phase; `trials` are those that a half-open breaker let through. */
const counts = {}
let lastTrialMs = Number.NEGATIVE_INFINITY

const server = createServer((request, response) => {
  counts[phase].calls += 1
  if (request.headers['x-breaker-state'] === 'half-open') {
    counts[phase].trials += 1
    lastTrialMs = nowMs()
  }
  behave(response)
})

const commands = {
  /** From now on behave so, and count under this phase's name. */
  enter(next) {
    behave = behaviours[next.behaviour]
    phase = next.phase
    counts[phase] ??= { calls: 0, trials: 0 }
    return { atMs: nowMs() }
  },
  counts: wanted => counts[wanted.phase],
  msSinceTrial: () => nowMs() - lastTrialMs,
}

process.on('message', ({ id, command, ...details }) => {
  process.send({ id, result: commands[command](details) })
})
process.on('disconnect', () => process.exit())
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
