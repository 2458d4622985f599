/**
 * A thread of the opossum tests, on the built package: moved there from opossum by its import alone.
 * Posts the events that it hears, and the answers to what it is told to fire.
 */
import { parentPort } from 'node:worker_threads'
import { CircuitBreaker } from '../../dist/opossum/opossum.js'

let calls = 0
let finish

async function callService(outcome) {
  calls++
  if (outcome === 'fail') throw new Error('down')
  if (outcome === 'hang') return new Promise(resolve => (finish = resolve))
  return outcome
}

const circuit = new CircuitBreaker(callService, {
  volumeThreshold: 3,
  resetTimeout: 600_000,
  capacity: 1,
})

for (const event of ['open', 'halfOpen', 'close']) {
  circuit.on(event, () => parentPort.postMessage({ event }))
}

parentPort.on('message', async outcome => {
  if (outcome === 'finish') return finish('finished')
  const answer = await circuit.fire(outcome).catch(error => error.code ?? error.message)
  const { opened, closed, stats } = circuit
  parentPort.postMessage({ answer, calls, opened, closed, fires: stats.fires })
})
parentPort.postMessage({ event: 'ready' })
