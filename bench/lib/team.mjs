/**
 * A few threads on one registry that carry out an order together and answer when each is through.
 * (A crew, crew.mjs, works for a given time; a team until something has happened.)
 *
 *   const team = openTeam(registry.handle, 4, new URL('../jobs/sums.mjs', import.meta.url))
 *   const answers = await team.run(order)
 *   await team.close()
 *
 * The job's file calls `serve(member => order => answer)`.
 */
import { once } from 'node:events'
import { parentPort, Worker, workerData } from 'node:worker_threads'
import { attachRegistry } from 'busbar'

const ARRIVED = 0
const ROUND = 1
const AWAKE = 2
const GATE_WORDS = 3

/** Looks for the others before a thread starts without them: about a millisecond. */
const SPINS = 200_000

export function openTeam(handle, threads, job) {
  const gate = new SharedArrayBuffer(GATE_WORDS * Int32Array.BYTES_PER_ELEMENT)
  const workers = Array.from(
    { length: threads },
    (_, index) => new Worker(job, { workerData: { handle, gate, threads, index } }),
  )
  return {
    threads,
    async run(order) {
      const answers = workers.map(async worker => {
        // Rejects with the worker's own error, if it has one.
        const answer = once(worker, 'message')
        worker.postMessage(order)
        return (await answer)[0]
      })
      return await Promise.all(answers)
    },
    async close() {
      await Promise.all(workers.map(worker => worker.terminate()))
    },
  }
}

/**
 * For the job's file, in each thread.
 *
 * @typedef {object} Member
 * @property {import('busbar').Registry} registry
 * @property {number} index
 * @property {number} threads
 * @property {() => void} meet         returns when all members have called it
 * @property {() => void} startTogether   the same, and when all are awake, if that is soon: within
 *   a microsecond, where each has a core
 *
 * @param {(member: Member) => (order: any) => unknown} job
 */
export function serve(job) {
  const { handle, index, threads } = workerData
  const gate = new Int32Array(workerData.gate)
  const registry = attachRegistry(handle)
  let starts = 0
  const meet = () => meetAt(gate, threads)
  const startTogether = () => {
    meet()
    starts++
    spinUntil(gate, starts * threads)
  }
  const work = job({ registry, index, threads, meet, startTogether })
  parentPort.on('message', order => parentPort.postMessage(work(order)))
}

/** The last to come wakes the others. */
function meetAt(gate, threads) {
  const round = Atomics.load(gate, ROUND)
  if (Atomics.add(gate, ARRIVED, 1) + 1 === threads) {
    Atomics.store(gate, ARRIVED, 0)
    Atomics.add(gate, ROUND, 1)
    Atomics.notify(gate, ROUND)
    return
  }
  while (Atomics.load(gate, ROUND) === round) Atomics.wait(gate, ROUND, round)
}

/** Waking takes longer than much of what is measured, so who wakes first waits for the others. */
function spinUntil(gate, awake) {
  Atomics.add(gate, AWAKE, 1)
  for (let spin = 0; spin < SPINS; spin++) if (Atomics.load(gate, AWAKE) >= awake) return
}
