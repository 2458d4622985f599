// One thread of a server: calls a service that is dead, again and again.
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import Opossum from 'opossum'
import { CircuitBreaker as Shared } from '../../dist/opossum/opossum.js'

// In a program of one's own: import { CircuitBreaker } from 'busbar/opossum'
const CircuitBreaker = workerData.library === 'opossum' ? Opossum : Shared

const CALLS = 50

async function charge() {
  await sleep(2)
  throw new Error('503 from the payment service')
}

const breaker = new CircuitBreaker(charge, { timeout: 3_000, volumeThreshold: 5 })
const opened = new Promise(resolve => breaker.once('open', () => resolve(1)))

// All begin together: who comes when it is open already hears of no opening.
parentPort.postMessage('ready')
await once(parentPort, 'message')

let made = 0
let refused = 0
for (let call = 0; call < CALLS; call++) {
  const error = await breaker.fire().catch(error => error)
  if (error.code === 'EOPENBREAKER') refused += 1
  else made += 1
}
parentPort.postMessage({ made, refused, heard: await opened })
breaker.shutdown()
