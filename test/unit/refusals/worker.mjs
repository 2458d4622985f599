/** Is refused, and says by what. */
import { parentPort, workerData } from 'node:worker_threads'
import { attachRegistry } from 'busbar'

const breaker = attachRegistry(workerData.handle).breaker(workerData.name)
const promise = breaker.execute(() => 'value')
const error = await promise.catch(reason => reason)
const same = breaker.execute(() => 'value') === promise
const { state, retryAfterMs } = error
parentPort.postMessage({ same, state, retryAfterMs, hasLastError: 'lastError' in error })
