/** A thread of EV-04: drives one breaker round and round, and keeps what its listener is told. */
import { setImmediate as turn } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { attachRegistry } from 'busbar'

const CALLS_A_TURN = 10

/** How far the slowest listener may be behind, so that none is overrun: the journal has 1,024. */
const MOST_BEHIND = 512

/** `heardByAll`: how many transitions each of the threads has heard of, at its `index`. */
const { handle, transitions, heardByAll, index } = workerData
const registry = attachRegistry(handle)
const breaker = registry.breaker('case')
const told = []
breaker.on('stateChange', ({ from, to, generation }) => {
  told.push({ from, to, generation })
  Atomics.add(heardByAll, index, 1)
})
breaker.on('gap', ({ missed }) => told.push({ missed }))

function hasRoom() {
  const slowest = Math.min(...heardByAll.map((_, of) => Atomics.load(heardByAll, of)))
  return breaker.snapshot().transitions - slowest < MOST_BEHIND
}

/** A call fails while closed, a trial succeeds, and who is refused lets the wait be over. */
function call() {
  const permit = breaker.tryAcquire()
  if (permit === -1) registry.advance(10)
  else if (breaker.state === 'half-open') breaker.recordSuccess(permit)
  else breaker.recordFailure(permit)
}

parentPort.once('message', async () => {
  while (breaker.snapshot().transitions < transitions) {
    for (let calls = 0; calls < CALLS_A_TURN && hasRoom(); calls++) call()
    await turn()
  }
  // From now on it is asked for what it was told.
  parentPort.on('message', () => parentPort.postMessage(told))
  parentPort.postMessage('done')
})
parentPort.postMessage('ready')
