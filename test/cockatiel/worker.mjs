/**
 * A thread of the cockatiel tests, on the built package: makes the calls that it is told to,
 * through cockatiel's policies around a shared breaker, and says what came of them.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { fallback, handleAll, handleWhen, retry, wrap } from 'cockatiel'
import { cockatielPolicy } from '../../dist/cockatiel/cockatiel.js'
import { attachRegistry, CircuitOpenError } from '../../dist/index.js'

const policy = cockatielPolicy(attachRegistry(workerData.handle).breaker('b'))
const retries = retry(
  handleWhen(error => !(error instanceof CircuitOpenError)),
  { maxAttempts: 4 },
)
const guarded = wrap(retries, policy)
const withFallback = wrap(fallback(handleAll, 'cached'), retries, policy)

let calls = 0
const heard = []
policy.onBreak(({ to, origin }) => heard.push({ to, origin }))
process.on('unhandledRejection', error => heard.push(String(error)))

const jobs = {
  async fail() {
    const call = () => {
      calls++
      throw new Error('down')
    }
    const error = await guarded.execute(call).catch(error => error)
    return { code: error.code, calls }
  },
  async answer() {
    const error = await guarded.execute(() => calls++).catch(error => error)
    const fallen = await withFallback.execute(() => calls++)
    return { code: error.code, fallen, state: policy.state, calls }
  },
  heard: () => heard,
}

parentPort.on('message', async job => parentPort.postMessage(await jobs[job]()))
parentPort.postMessage('ready')
