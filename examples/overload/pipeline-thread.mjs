// One of two threads that users' requests come to, at a steady rate, whatever comes of them.
import { parentPort, workerData } from 'node:worker_threads'
import { ways } from './pipeline-call.mjs'
import { BEFORE, PHASES } from './pipeline-phases.mjs'

const { url, way, requestsPerSecond, phase: buffer } = workerData
const phaseWord = new Int32Array(buffer)
const call = ways[way]()
const requests = []
let startedAt

async function get(signal) {
  const response = await fetch(url, { signal })
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`${url} answered ${response.status}`)
}

/** A user's request: 'refused' if nothing was sent for it. */
async function request(phase) {
  const begunAt = performance.now()
  let isSent = false
  const send = signal => {
    isSent = true
    return get(signal)
  }
  const outcome = await call(send).then(
    () => 'served',
    () => (isSent ? 'failed' : 'refused'),
  )
  return { phase, outcome, ms: performance.now() - begunAt }
}

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

// Before time counts: the first fetch of a thread loads half of Node.
await get()
parentPort.postMessage('ready')
const timer = setInterval(makeWhatIsDue, 5)
