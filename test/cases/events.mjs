/** A thread of EV-04: drives one breaker round and round, and keeps what its listener is told. */
import { setImmediate as turn } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { attachRegistry } from 'busbar'

/** Enough that no listener is overrun, whatever the others do meanwhile. */
const CALLS_A_TURN = 10

const { handle, transitions } = workerData
const registry = attachRegistry(handle)
const breaker = registry.breaker('case')
const told = []
breaker.on('stateChange', ({ from, to, generation }) => told.push({ from, to, generation }))
breaker.on('gap', ({ missed }) => told.push({ missed }))

/** A call fails while closed, a trial succeeds, and who is refused lets the wait be over. */
function call() {
  const permit = breaker.tryAcquire()
  if (permit === -1) registry.advance(10)
  else if (breaker.state === 'half-open') breaker.recordSuccess(permit)
  else breaker.recordFailure(permit)
}

parentPort.on('message', () => parentPort.postMessage(told))
parentPort.once('message', async () => {
  while (breaker.snapshot().transitions < transitions) {
    for (let calls = 0; calls < CALLS_A_TURN; calls++) call()
    await turn()
  }
})
parentPort.postMessage('ready')
