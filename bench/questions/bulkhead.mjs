/**
 * A permit and its release, beside the shared counter that an unsafe limit would be: one addition
 * when a call begins, one when it ends. Then `execute` beside cockatiel's bulkhead, which counts for
 * one thread.
 */
import { bulkhead as cockatielBulkhead } from 'cockatiel'
import { inCrew, timesOf } from '../lib/core-calls.mjs'
import { jobModule } from '../lib/crew.mjs'
import { Crews } from '../lib/crews.mjs'
import { registryWith } from '../lib/registry.mjs'
import { row, shuffled } from '../lib/result.mjs'
import { totalOf } from '../lib/threads.mjs'

export const title = 'What does a bulkhead cost?'

const FULL = { rounds: 9, warmRounds: 2, calls: 20_000, warmCalls: 5_000, coreMs: 90, warmMs: 20 }
const QUICK = { rounds: 2, warmRounds: 1, calls: 2_000, warmCalls: 500, coreMs: 15, warmMs: 5 }
const THREADS = [1, 2]
/** More than there are threads: nothing is refused. */
const LIMITS = { maxConcurrentCalls: 10 }
const FLOOR = 'a shared counter, up and down'
const module = jobModule('bulkhead')

/** Checks that every call was let in. */
function station(job, input) {
  return {
    input,
    check(reports) {
      const [calls, sum] = ['calls', 'sum'].map(key => totalOf(reports, report => report[key]))
      if (sum !== calls) throw new Error(`${job}: ${sum} calls of ${calls} were let in`)
    },
  }
}

const floor = {
  label: FLOOR,
  role: 'floor',
  crew: 'bare',
  module,
  job: FLOOR,
  open: () => station(FLOOR, { words: new Int32Array(new SharedArrayBuffer(128)) }),
}

function busbar(registry, label, limits) {
  const job = 'permit + release'
  const { handle } = registry
  registry.bulkhead(label, { ...LIMITS, ...limits })
  const open = () => station(label, { handle, bulkhead: label })
  return { label, role: 'busbar', floor: FLOOR, crew: label, module, job, open }
}

async function askCore(registry, plan, say, random) {
  const designs = [
    floor,
    busbar(registry, 'busbar', {}),
    busbar(registry, 'busbar, with a queue', { maxQueuedCalls: 10 }),
  ]
  const crews = new Crews(Math.max(...THREADS))
  try {
    const entries = designs.map(design => inCrew(crews, design))
    const panel = await timesOf(entries, THREADS, plan, say, random)
    return { ...panel, title: "A permit and its release: a thread's time for each" }
  } finally {
    await crews.close()
  }
}

const call = async () => 1

/** @returns {Record<string, { role: string, run: () => Promise<number> }>} */
function contestantsOf(registry) {
  const { maxConcurrentCalls } = LIMITS
  const plain = registry.bulkhead('execute', LIMITS)
  const queued = registry.bulkhead('execute, queue', { ...LIMITS, maxQueuedCalls: 10 })
  const peer = cockatielBulkhead(maxConcurrentCalls)
  return {
    'await fn()': { role: 'floor', run: call },
    busbar: { role: 'busbar', run: () => plain.execute(call) },
    'busbar, with a queue': { role: 'busbar', run: () => queued.execute(call) },
    'cockatiel, which counts for one thread': { role: 'peer', run: () => peer.execute(call) },
  }
}

async function timeOf(run, calls) {
  let done = 0
  const begun = process.hrtime.bigint()
  for (let made = 0; made < calls; made++) done += await run()
  const nanoseconds = Number(process.hrtime.bigint() - begun) / calls
  if (done !== calls) throw new Error(`${done} calls of ${calls} were made`)
  return nanoseconds
}

async function askPeers(registry, plan, say, random) {
  const contestants = Object.entries(contestantsOf(registry))
  const runs = new Map(contestants.map(([label]) => [label, []]))
  // The first round warms up and does not count.
  for (let round = 0; round <= plan.rounds; round++) {
    say(`execute, round ${round} of ${plan.rounds}`)
    for (const [label, { run }] of shuffled(contestants, random)) {
      await timeOf(run, plan.warmCalls)
      const nanoseconds = await timeOf(run, plan.calls)
      if (round > 0) runs.get(label).push(nanoseconds)
    }
  }
  const rows = contestants.map(([label, { role }]) => row(label, runs.get(label), { role }))
  return { title: 'A call through it, one thread', unit: 'ns', better: 'lower', rows }
}

/** @param {{ quick: boolean, say: (text: string) => void, random: () => number }} how */
export async function ask({ quick, say, random }) {
  const plan = quick ? QUICK : FULL
  const registry = await registryWith(true)
  try {
    const panels = [
      await askCore(registry, plan, say, random),
      await askPeers(registry, plan, say, random),
    ]
    return { panels, notes }
  } finally {
    registry.close()
  }
}

const notes = [
  'The counter says how many calls are in flight. It does not hold the limit at every instant, and ' +
    'what a dead thread had counted stays counted.',
  'A bulkhead with few places has them all on one cache line, as the counter is on one: threads on ' +
    'several cores take turns at it. From 16 places on they begin on lines of their own.',
]
