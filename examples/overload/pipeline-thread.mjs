// One of two threads that users' requests come to, at a steady rate, whatever comes of them.
import { parentPort, workerData } from 'node:worker_threads'
import { isRefusal } from 'busbar'
import { get, ways } from './pipeline-call.mjs'
import { BEFORE, PHASES } from './pipeline-phases.mjs'

const { url, way, requestsPerSecond, phase: buffer } = workerData
const phaseWord = new Int32Array(buffer)
const call = ways[way](url)

async function request(phase) {
  const begunAt = performance.now()
  const outcome = await call().then(
    () => 'served',
    error => (isRefusal(error) ? 'refused' : 'failed'),
  )
  return { phase, outcome, ms: performance.now() - begunAt }
}

const requests = []
let startedAt

function makeWhatIsDue() {
  const phase = Atomics.load(phaseWord, 0)
  if (phase === BEFORE) return
  if (phase === PHASES.length) return end()
  startedAt ??= performance.now()
  const due = ((performance.now() - startedAt) / 1000) * requestsPerSecond
  while (requests.length < due) requests.push(request(phase))
}

async function end() {
  clearInterval(timer)
  parentPort.postMessage(await Promise.all(requests))
}

// The first request of a thread loads half of Node.
await get(url)
parentPort.postMessage('ready')
const timer = setInterval(makeWhatIsDue, 5)
