/**
 * What does adding a window up cost, and how often is it done?
 *
 * The sum is timed by itself, in one thread that has filled as many slots as it says: their numbers
 * of threads are made up, their shards and buckets are real, and every bucket holds an outcome. How
 * often it is done is counted in real threads, by putting a counter in front of it.
 */
import { availableParallelism } from 'node:os'
import { timeEach } from '../lib/each.mjs'
import { openPackage, takeSlots } from '../lib/inside.mjs'
import { registryWith } from '../lib/registry.mjs'
import { row } from '../lib/result.mjs'
import { openTeam } from '../lib/team.mjs'

export const title = 'What does the sum of a window cost, and how often is it made?'

const USUAL = { slots: 2, buckets: 10, breakers: 1 }
/** One thing of the usual shape at a time. */
const VARIED = {
  slots: {
    title: 'One sum, by threads with a slot',
    x: 'threads',
    values: [1, 2, 4, 8, 16, 32, 64],
  },
  buckets: { title: 'One sum, by buckets', x: 'buckets', values: [1, 10, 100, 1000] },
  breakers: {
    title: 'One sum, by breakers that are summed in turn',
    x: 'breakers',
    values: [1, 100, 10_000],
  },
}
const BUCKET_MS = 1000

const FAILURE_PERCENTS = [0, 1, 10, 49, 100]
/** More, and the failures that threads are ahead with could open a window of that size. */
const MOST_THREADS = 8
const WINDOWS = {
  'time window': { type: 'time', durationMs: 10_000, buckets: 10 },
  'count window of 1,000': { type: 'count', size: 1000 },
}
const HEALTHY_CALLS = 100_000

/** Breakers with an outcome in every bucket of every slot. */
function filled(parts, { slots, buckets, breakers }) {
  const slidingWindow = { type: 'time', durationMs: buckets * BUCKET_MS, buckets }
  const made = takeSlots(parts, { slots, breakers, options: { slidingWindow } })
  for (let bucket = 0; bucket < buckets; bucket++) {
    if (bucket > 0) made.region.clock.advance(BUCKET_MS)
    for (const seats of made.breakers) {
      for (const core of seats) core.recordSuccess(core.tryAcquire())
    }
  }
  const { clock, handle } = made.region
  return { cores: made.breakers.map(([core]) => core), now: clock.now(), buffer: handle.buffer }
}

/** Takes the breakers in turn. Returns how many outcomes a sum found. */
function sumOf(parts, shape) {
  const { cores, now, buffer } = filled(parts, shape)
  const counts = { calls: 0, failures: 0, slowCalls: 0, slowFailures: 0 }
  const expected = shape.slots * shape.buckets
  return {
    cores,
    buffer,
    work(call) {
      cores[call % cores.length].window.sum(0, now, counts)
      if (counts.calls !== expected) throw new Error(`${counts.calls} of ${expected} outcomes`)
      return counts.calls
    },
  }
}

/** The words that a sum looks at, in its order, and nothing done with them but added up. */
function loadsOf(parts, { cores, buffer }, { slots, buckets }) {
  const { BUCKET, BUCKET_WORDS, KINDS, SHARD_BUCKETS } = parts.layout
  const kinds = Array.from({ length: KINDS }, (_, kind) => BUCKET.KINDS + kind)
  const order = [BUCKET.STAMP, BUCKET.TURN, ...kinds, BUCKET.STAMP, BUCKET.TURN]
  const starts = cores.map(({ cell }) =>
    Array.from({ length: slots }, (_, slot) => parts.shardOf(cell, slot + 1) + SHARD_BUCKETS),
  )
  const words = new Int32Array(buffer)
  return call => {
    let sum = 0
    for (const start of starts[call % starts.length]) {
      for (let bucket = 0; bucket < buckets; bucket++) {
        const at = start + bucket * BUCKET_WORDS
        for (let step = 0; step < order.length; step++) sum += Atomics.load(words, at + order[step])
      }
    }
    return sum
  }
}

/** Shapes that differ in one thing, each timed beside its bare loads. */
function costPanel(parts, varied, { quick, random }) {
  const { title, x, values } = VARIED[varied]
  const works = values.flatMap(x => {
    const shape = { ...USUAL, [varied]: x }
    const summed = sumOf(parts, shape)
    return [
      { x, label: 'a sum', role: 'busbar', work: summed.work },
      { x, label: 'its loads written out', role: 'floor', work: loadsOf(parts, summed, shape) },
    ]
  })
  const runs = timeEach(works, { ms: quick ? 3 : 30, rounds: quick ? 3 : 9, random })
  return {
    title,
    unit: 'ns',
    better: 'lower',
    x,
    rows: works.map(one => row(one.label, runs.get(one), { x: one.x, role: one.role })),
  }
}

/** Sums for 1,000 outcomes, over the first outcomes of a breaker or until it opens. */
async function countSums(registry, team, { name, percent, slidingWindow, outcomes }) {
  const breaker = registry.breaker(name, { slidingWindow, waitDurationInOpenStateMs: 3_600_000 })
  const opens = percent === 100
  if (opens) {
    const healthy = { breaker: name, failurePercent: 0, outcomes: HEALTHY_CALLS, only: 0 }
    await team.run(healthy)
  }
  const planned = opens ? 2 * HEALTHY_CALLS : outcomes
  const each = Math.ceil(planned / team.threads)
  const answers = await team.run({ breaker: name, failurePercent: percent, outcomes: each })
  const expected = opens ? 'open' : 'closed'
  if (breaker.state !== expected) {
    throw new Error(`${percent} % failures: ${breaker.state}, not ${expected}`)
  }
  const total = key => answers.reduce((sum, answer) => sum + answer[key], 0)
  if (!opens && total('recorded') < outcomes) throw new Error('outcomes are missing')
  return (1000 * total('sums')) / total('recorded')
}

/** @returns {Promise<Map<string, number[]>>}   runs by failure rate, of one window */
async function countAll(registry, team, { window, rounds, outcomes, say }) {
  const runs = new Map(FAILURE_PERCENTS.map(percent => [percent, []]))
  for (let round = 0; round < rounds; round++) {
    for (const [percent, found] of runs) {
      const name = `${window}, threads: ${team.threads}, failures: ${percent} %, round ${round}`
      say(name)
      const slidingWindow = WINDOWS[window]
      found.push(await countSums(registry, team, { name, percent, slidingWindow, outcomes }))
    }
  }
  return runs
}

async function oftenPanel({ quick, say }) {
  const size = { rounds: quick ? 1 : 5, outcomes: quick ? 100_000 : 1_000_000, say }
  const registry = await registryWith(false)
  const rows = []
  try {
    for (const threads of new Set([1, Math.min(availableParallelism(), MOST_THREADS)])) {
      const team = openTeam(registry.handle, threads, new URL('../jobs/sums.mjs', import.meta.url))
      try {
        for (const window of Object.keys(WINDOWS)) {
          const label = `${window}, ${threads} thread${threads > 1 ? 's' : ''}`
          for (const [x, sums] of await countAll(registry, team, { window, ...size })) {
            rows.push(row(label, sums, { x, role: 'busbar' }))
          }
        }
      } finally {
        await team.close()
      }
    }
  } finally {
    registry.close()
  }
  return {
    title: 'Sums for 1,000 outcomes of a busy breaker',
    unit: 'sums',
    better: 'lower',
    x: 'failures, %',
    rows,
  }
}

export async function ask(how) {
  const parts = await openPackage()
  const panels = Object.keys(VARIED).map(varied => {
    how.say(`the cost of a sum, by ${varied}`)
    return costPanel(parts, varied, how)
  })
  panels.push(await oftenPanel(how))
  return {
    panels,
    notes: [
      `Where nothing else is said: ${USUAL.slots} threads with a slot, ${USUAL.buckets} buckets, ` +
        'one breaker, room for 64 threads.',
      'Sums were timed with the counters in the cache of the core that sums, but for many breakers. ' +
        'While other threads record, each line that they have written since the last sum has to ' +
        'come from their cores; how many do is counted in the question about coherence.',
      'Every bucket held an outcome. An empty one takes one load instead of eight.',
      'How often: the first million outcomes of a breaker with threshold 0.5 and a minimum of 20 ' +
        'calls, as fast as the threads can make them, without a keeper. Periodic sums (10 a second) ' +
        'and the second sum that an opening is held against are counted in. So are sums made again ' +
        'because an outcome of another thread changed the stock meanwhile: with more threads there ' +
        'are more of them the more these really run at the same time.',
      `At 100 % the breaker opens: counted from the first failure after ${HEALTHY_CALLS} ` +
        'successes until then.',
      'The count window has 1,000 places, so that 49 % stay below the threshold however the ' +
        'failures of the threads fall together. Each of its sums reads back 1,000 words.',
    ],
  }
}
