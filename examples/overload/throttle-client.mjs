// One of the client's threads: makes so many calls a second, whatever comes of them, and says in
// the end what came of those that it made once all had settled.
import { parentPort, workerData } from 'node:worker_threads'
import { getRegistry, isRefusal } from 'busbar'

const { url, k, callsPerSecond, settleMs, measureMs } = workerData
// All threads ask the same throttle: its counts are those of the process.
const throttle = k && getRegistry().throttle(`backend, k = ${k}`, { k, windowMs: 1_000 })

async function get() {
  const response = await fetch(url)
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`${url} answered ${response.status}`)
}

/** 'served', 'rejected' by the backend or 'refused' by the throttle. */
async function call() {
  try {
    await (throttle ? throttle.execute(get) : get())
    return 'served'
  } catch (error) {
    return isRefusal(error) ? 'refused' : 'rejected'
  }
}

const startedAt = performance.now()
const measured = []
let made = 0

function makeWhatIsDue() {
  const elapsedMs = performance.now() - startedAt
  for (; made < (elapsedMs / 1000) * callsPerSecond; made++) {
    const outcome = call()
    if (elapsedMs >= settleMs && elapsedMs < settleMs + measureMs) measured.push(outcome)
  }
  if (elapsedMs < settleMs + measureMs) return
  clearInterval(timer)
  report()
}

async function report() {
  const counts = { served: 0, rejected: 0, refused: 0 }
  for (const outcome of await Promise.all(measured)) counts[outcome]++
  parentPort.postMessage(counts)
}

const timer = setInterval(makeWhatIsDue, 5)
