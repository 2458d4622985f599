/** One run of one case, in a thread that has done nothing else: see fresh.mjs. */
import { parentPort, workerData } from 'node:worker_threads'
import { attachRegistry } from 'busbar'
import { Bench } from 'tinybench'
import { BATCH_CALLS } from './fresh.mjs'

const NANOSECONDS_A_MS = 1e6
const { url, name, handle, statistic, warmUpMs, measureMs } = workerData

const { cases } = await import(url)
const { batch = BATCH_CALLS, prepare } = cases[name]
const registry = handle === undefined ? undefined : attachRegistry(handle)
const prepared = prepare(registry)
let calls = 0

const bench = new Bench({
  warmupTime: warmUpMs,
  time: measureMs,
  warmupIterations: 2,
  iterations: 2,
  throws: true,
})

async function sample() {
  const start = bench.now()
  const done = await prepared.run(batch)
  const tookMs = bench.now() - start
  calls += batch
  if (done !== batch) throw new Error(`${done} of ${batch} calls went as they should`)
  // Without a cost of its own tinybench would hold the time of one call against `measureMs`.
  return { overriddenDuration: tookMs / batch, overriddenIterationCost: tookMs }
}

async function beforeEach() {
  // A turn of the event loop, as a program takes: timers and weak references are let go.
  await new Promise(resolve => setImmediate(resolve))
  prepared.before?.()
}

await bench.add(name, sample, { async: true, beforeEach }).run()
prepared.check(calls)
// The registry is left to this thread's end, which the main thread sees: closing it would put the
// shared overflow shard to use, and each later sum would look there too.
parentPort.postMessage(bench.getTask(name).result.latency[statistic] * NANOSECONDS_A_MS)
