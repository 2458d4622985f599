/**
 * Nanoseconds a call, each run in a thread of its own: V8 compiles for what a thread has seen so
 * far, so in one thread each case would change the next one's figure, by the order they come in.
 *
 * A question file that measures so exports `cases` besides. A case is made in the fresh thread:
 *
 * @typedef {object} Case
 * @property {'floor' | 'busbar'} role
 * @property {boolean} [keeper]   which of the two registries; none: no registry
 * @property {number} [batch]     calls a sample; BATCH_CALLS unless said otherwise
 * @property {(registry: import('busbar').Registry) => Prepared} prepare
 *
 * @typedef {object} Prepared
 * @property {(calls: number) => number | Promise<number>} run   how many went as they should: all,
 *   or the run is thrown away with an error
 * @property {() => void} [before]             before each sample, not timed
 * @property {(calls: number) => void} check   in the end, `calls` in all: throws if what was
 *   measured is not what was meant
 */
import { Worker } from 'node:worker_threads'
import { registryWith } from './registry.mjs'
import { shuffled } from './result.mjs'

/** Some 0.1 ms at 6 ns a call: two looks at the clock are lost in it. */
export const BATCH_CALLS = 20_000

/** Warm-up: V8 was seen to compile the loops anew until 60 ms after their start. */
const FULL = { warmUpMs: 200, measureMs: 100, budgetMs: 40_000, leastRounds: 3, mostRounds: 15 }
const QUICK = { warmUpMs: 60, measureMs: 15, budgetMs: 2_500, leastRounds: 1, mostRounds: 5 }

/**
 * Rounds of all cases, each round in an order of its own, until the time is over.
 *
 * @param {string} url   of the file that exports `cases`
 * @param {Record<string, Case>} cases
 * @param {{ quick: boolean, say: (text: string) => void, random: () => number }} how
 * @param {object} [more]
 * @param {'p50' | 'mean'} [more.statistic]   of a run's samples. The mean where rare work (a bucket
 *   that turns over) is meant.
 * @param {import('busbar').RegistryOptions} [more.registryOptions]
 * @returns {Promise<Map<string, number[]>>}   runs by case, in nanoseconds a call
 */
export async function askFresh(url, cases, how, more = {}) {
  const plan = how.quick ? QUICK : FULL
  const { statistic = 'p50', registryOptions } = more
  const names = Object.keys(cases)
  const runs = new Map(names.map(name => [name, []]))
  const registries = new Map()
  try {
    for (const keeper of new Set(Object.values(cases).map(one => one.keeper))) {
      if (keeper === undefined) continue
      registries.set(keeper, await registryWith(keeper, registryOptions))
    }
    const startedAt = performance.now()
    for (let round = 1; round <= plan.mostRounds; round++) {
      for (const name of shuffled(names, how.random)) {
        const handle = registries.get(cases[name].keeper)?.handle
        const task = { url, name, handle, statistic, ...plan }
        runs.get(name).push(await runInFreshThread(task))
      }
      const tookMs = performance.now() - startedAt
      how.say(`round ${round}, ${(tookMs / 1000).toFixed(1)} s`)
      const isOver = tookMs * ((round + 1) / round) > plan.budgetMs
      if (round >= plan.leastRounds && isOver) break
    }
  } finally {
    for (const registry of registries.values()) registry.close()
  }
  return runs
}

/** Settles when the thread has ended, so that no two of them are there at once. */
function runInFreshThread(task) {
  const worker = new Worker(new URL('fresh-thread.mjs', import.meta.url), { workerData: task })
  return new Promise((resolve, reject) => {
    let answer
    let fault
    worker.on('message', message => {
      answer = message
    })
    worker.on('error', error => {
      fault = error
    })
    worker.on('exit', code => {
      if (fault === undefined && answer > 0) resolve(answer)
      else reject(new Error(`${task.name}: ${fault?.message ?? `no answer, exit code ${code}`}`))
    })
  })
}
