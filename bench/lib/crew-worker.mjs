/** One thread of a crew (crew.mjs). What goes wrong here ends the thread, which its crew notices. */
import { parentPort, workerData } from 'node:worker_threads'

const { index, gate, stopAt, limitMs } = workerData

/** Operations between two looks at the clock: one look costs what a few operations do. */
const BATCH = 1_000
const NS_PER_MS = 1e6

parentPort.on('message', async task => {
  const { jobs } = await import(task.module)
  const job = jobs[task.job]
  if (job === undefined) throw new Error(`no job "${task.job}" in ${task.module}`)
  const run = await job({ index, threads: task.threads, input: task.input })

  const warmUntil = process.hrtime.bigint() + BigInt(Math.round(task.warmMs * NS_PER_MS))
  const warm = work(run, warmUntil)
  run.begin?.()
  parentPort.postMessage('ready')
  waitAtGate(task.number)
  const measured = work(run, Atomics.load(stopAt, 0))

  const result = await run.finish?.()
  parentPort.postMessage({
    operations: measured.operations,
    startedNs: nanoseconds(measured.started),
    endedNs: nanoseconds(measured.ended),
    calls: warm.operations + measured.operations,
    sum: warm.sum + measured.sum,
    result,
  })
})

/** At least one batch, so that a thread that gets no core in time is slow rather than missing. */
function work(run, end) {
  let operations = 0
  let sum = 0
  const started = process.hrtime.bigint()
  let ended = started
  do {
    sum += run.batch(BATCH)
    operations += BATCH
    ended = process.hrtime.bigint()
  } while (ended < end)
  return { operations, sum, started, ended }
}

/** The gate's word is the number of the last run that was let go. */
function waitAtGate(number) {
  if (Atomics.wait(gate, 0, number - 1, limitMs) === 'timed-out') {
    throw new Error(`waited ${limitMs} ms at the gate`)
  }
}

/** Nanoseconds from a zero that is common to the run's threads and keeps them exact. */
function nanoseconds(time) {
  return Number(time - Atomics.load(stopAt, 0))
}
