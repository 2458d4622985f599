// What 10,000 retried calls leave in the heap, while the signal that they all were given lives on.
import { setMaxListeners } from 'node:events'
import { retry } from '../../dist/index.js'

const ROUNDS = 10
const CALLS_A_ROUND = 1000

const { signal } = new AbortController()
setMaxListeners(0, signal)
const options = { signal, backoff: { initialMs: 0 } }

async function call(attempt) {
  if (attempt.attempt < 3 || attempt.signal.aborted) throw new Error('boom')
}

async function heapAfter(rounds) {
  for (let round = 0; round < rounds; round += 1) {
    await Promise.all(Array.from({ length: CALLS_A_ROUND }, () => retry(call, options)))
  }
  gc()
  return process.memoryUsage().heapUsed
}

const before = await heapAfter(ROUNDS)
const after = await heapAfter(ROUNDS)
console.log(JSON.stringify({ bytesPerCall: (after - before) / (ROUNDS * CALLS_A_ROUND) }))
