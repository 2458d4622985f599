// One of four threads: makes so many calls a second, whatever comes of them. How many calls are in
// flight is counted apart, in a word that all threads share.
import { parentPort, workerData } from 'node:worker_threads'
import { getRegistry, isRefusal } from 'busbar'

const { url, limit, callsPerSecond, forMs, counter } = workerData
const inFlight = new Int32Array(counter)
// All threads ask the same bulkhead: the limit is that of the process.
const bulkhead = limit && getRegistry().bulkhead(`limit ${limit}`, { maxConcurrentCalls: limit })

let most = 0

async function get() {
  most = Math.max(most, Atomics.add(inFlight, 0, 1) + 1)
  try {
    const response = await fetch(url)
    await response.text()
  } finally {
    Atomics.sub(inFlight, 0, 1)
  }
}

/** How the call ended, and when: 'served', 'refused' or 'failed'. */
async function call() {
  const begun = performance.now()
  const outcome = await (bulkhead ? bulkhead.execute(get) : get()).then(
    () => 'served',
    error => (isRefusal(error) ? 'refused' : 'failed'),
  )
  return { outcome, ms: performance.now() - begun }
}

const calls = []
const startedAt = performance.now()

function makeWhatIsDue() {
  const elapsedMs = Math.min(performance.now() - startedAt, forMs)
  while (calls.length < (elapsedMs / 1000) * callsPerSecond) calls.push(call())
  if (elapsedMs < forMs) return
  clearInterval(timer)
  report()
}

async function report() {
  parentPort.postMessage({ calls: await Promise.all(calls), most })
}

const timer = setInterval(makeWhatIsDue, 5)
