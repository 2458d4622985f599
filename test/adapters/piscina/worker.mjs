/** A task of the piscina tests, on the built package: makes the calls that it is told to. */
import { threadId, workerData } from 'node:worker_threads'
import { poolRegistry } from '../../../dist/adapters/piscina.js'

const registry = poolRegistry()
const breaker = registry.breaker('b')

async function fail() {
  throw new Error('down')
}

export async function run({ job, started }) {
  // A call that its thread will not live to settle.
  if (job !== 'look' && job !== 'fail') breaker.tryAcquire()
  started?.postMessage(job)
  if (job === 'exit') process.exit(3)
  if (job === 'throw') setImmediate(fail)
  if (job === 'spin') for (;;);
  if (job === 'eat') for (const eaten = []; ; ) eaten.push(new Array(1_000).fill(job))
  if (['exit', 'throw', 'hang'].includes(job))
    await new Promise(resolve => setTimeout(resolve, 600_000))
  const { ok, refused } = job === 'fail' ? await breaker.tryExecute(fail) : {}
  const isSame = poolRegistry() === registry
  return { ok, refused, state: breaker.state, isSame, thread: threadId, given: workerData.given }
}
