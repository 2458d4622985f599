// The client: sends requests at a fixed pace whatever comes back, in a thread of its own (so that a
// busy gateway cannot slow it down), and times every answer. Tools like autocannon pace each
// connection: one that waits for an answer sends nothing, and a hanging gateway would get less load.
import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { nowMs } from './clock.mjs'

const PATIENCE_MS = 10_000
const agent = new Agent({ keepAlive: true })

/** @returns {Promise<import('./client.mjs').Answer>} */
function request() {
  const sentMs = nowMs()
  return new Promise(resolve => {
    const settle = status => resolve({ sentMs, answeredMs: nowMs(), status })
    get(workerData.url, { agent, timeout: PATIENCE_MS }, response => {
      response.resume()
      response.on('end', () => settle(response.statusCode))
    })
      .on('timeout', function () {
        this.destroy(new Error('no answer'))
      })
      .on('error', () => settle(0))
  })
}

parentPort.on('message', async ({ id, requests, intervalMs }) => {
  const startMs = nowMs()
  const answers = []
  for (let i = 0; i < requests; i += 1) {
    await sleep(Math.max(0, startMs + i * intervalMs - nowMs()))
    answers.push(request())
  }
  await sleep(Math.max(0, startMs + requests * intervalMs - nowMs()))
  parentPort.postMessage({ id, event: 'sent' })
  parentPort.postMessage({ id, event: 'answered', answers: await Promise.all(answers) })
})
