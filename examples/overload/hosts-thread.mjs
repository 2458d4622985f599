// One of the callers' threads: a call every few milliseconds, by the policy that it is told.
import { parentPort, workerData } from 'node:worker_threads'
import { outcomeOf, policies } from './hosts-call.mjs'

const { hosts, calls, everyMs } = workerData

async function run(policy) {
  const call = policies[policy](hosts)
  const counts = { served: 0, failed: 0, refused: 0 }
  const outcomes = await new Promise(resolve => {
    const begun = []
    const timer = setInterval(() => {
      begun.push(outcomeOf(call))
      if (begun.length < calls) return
      clearInterval(timer)
      resolve(Promise.all(begun))
    }, everyMs)
  })
  for (const outcome of outcomes) counts[outcome] += 1
  return counts
}

parentPort.on('message', async policy => parentPort.postMessage(await run(policy)))
parentPort.postMessage('ready')
