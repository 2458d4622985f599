/** A worker of the pipeline's tests: runs one job on the built package, then answers or goes on. */
import { parentPort, workerData } from 'node:worker_threads'
import { attachRegistry, isRefusal } from 'busbar'

const { handle, job, args, gate } = workerData
const gateWord = new Int32Array(gate)
const pipeline = attachRegistry(handle).pipeline('p', args.parts)

const say = result => parentPort.postMessage({ result })
const turn = () => new Promise(setImmediate)
const down = () => Promise.reject(new Error('down'))
const hang = () => new Promise(() => {})

/** Waits until the test opens the gate. */
function waitForGate() {
  Atomics.add(gateWord, 1, 1)
  while (Atomics.load(gateWord, 0) === 0);
}

const jobs = {
  /** Begins all calls at once, over and over; how many were in flight is counted apart. */
  async crowd({ inFlight, rounds, calls }) {
    const count = new Int32Array(inFlight)
    const mine = { done: 0, refused: 0, most: 0 }
    const call = async () => {
      mine.most = Math.max(mine.most, Atomics.add(count, 0, 1) + 1)
      await turn()
      Atomics.sub(count, 0, 1)
    }
    waitForGate()
    for (let round = 0; round < rounds; round++) {
      const made = Array.from({ length: calls }, () => pipeline.tryExecute(call))
      for (const { ok, refused } of await Promise.all(made)) {
        if (ok) mine.done++
        else if (refused) mine.refused++
      }
    }
    return mine
  },

  /** Calls that fail, until one is refused; how many failed, and what refused. */
  async failUntilRefused() {
    for (let failed = 0; ; failed++) {
      const { error } = await pipeline.tryExecute(down)
      if (isRefusal(error)) return { failed, code: error.code }
    }
  },

  /** Whether one call is made, and what refused it if not. */
  async ask() {
    const result = await pipeline.tryExecute(async () => 'made')
    return result.ok ? result.value : result.error.code
  },

  /** Calls that all fail; how many were made for them, retries included. */
  async failOften({ calls }) {
    let made = 0
    waitForGate()
    for (let call = 0; call < calls; call++) {
      await pipeline.tryExecute(() => {
        made++
        return down()
      })
    }
    return made
  },

  /** So many calls that never end; those beyond the limit wait. Says how it stands then. */
  async hold({ calls }) {
    for (let call = 0; call < calls; call++) pipeline.tryExecute(hang)
    await turn()
    setInterval(() => {}, 1000)
    return pipeline.snapshot()
  },

  /** Calls that are served, fail and hang in turn, until it is killed. */
  async churn() {
    say(true)
    for (let call = 0; ; call++) {
      pipeline.tryExecute([turn, down, hang][call % 3])
      if (call % 4 === 0) await turn()
    }
  },
}

say(await jobs[job](args))
