// One of the threads that call the dependency: ten calls whenever it is asked, of which three fail.
import { parentPort } from 'node:worker_threads'
import { getRegistry } from 'busbar'

const stock = getRegistry().breaker('stock')

async function look(call) {
  if (call % 3 === 2) throw new Error('503')
  return { items: 3 }
}

parentPort.on('message', async () => {
  const counts = { served: 0, failed: 0, refused: 0 }
  for (let call = 0; call < 10; call += 1) {
    const { ok, refused } = await stock.tryExecute(() => look(call))
    counts[ok ? 'served' : refused ? 'refused' : 'failed'] += 1
  }
  parentPort.postMessage({ threshold: stock.options.failureRateThreshold, ...counts })
})
