/**
 * Core calls, no promise, on 1 and on all cores, of crews in JavaScript and of other programs.
 *
 * @typedef {object} Entry
 * @property {string} label
 * @property {'floor' | 'busbar' | 'peer' | 'sketch'} role
 * @property {string} [floor]   the label of the floor that it stands beside
 * @property {(threads: number, warmMs: number, measureMs: number) => Promise<number>} measure
 *   nanoseconds of a thread for each of its operations
 */
import { Crews } from './crews.mjs'
import { row, shuffled } from './result.mjs'
import { nanosecondsOf } from './threads.mjs'

const FIRST_WARM_MS = 50

/** @returns {Entry} */
export function inCrew(crews, design) {
  return {
    ...design,
    async measure(threads, warmMs, measureMs) {
      return nanosecondsOf(await crews.run(design, { threads, warmMs, measureMs }))
    },
  }
}

/**
 * The same, each run by threads of its own that have done nothing else, on a registry of their own:
 * as in a process that has one registry. A thread that has used several knows several kernels, and
 * V8 inlines none of them.
 *
 * @returns {Entry}
 */
export function inFreshCrew(design) {
  return {
    ...design,
    async measure(threads, warmMs, measureMs) {
      const crews = new Crews(threads)
      try {
        return await inCrew(crews, design).measure(threads, warmMs, measureMs)
      } finally {
        await crews.close()
      }
    },
  }
}

/**
 * Rounds of all entries with all numbers of threads, each round in an order of its own: a panel.
 *
 * @param {readonly Entry[]} entries
 * @param {readonly number[]} counts
 * @param {{ rounds: number, warmRounds: number, warmMs: number, coreMs: number }} plan
 */
export async function timesOf(entries, counts, plan, say, random) {
  const cells = entries.flatMap(entry => counts.map(threads => ({ entry, threads, runs: [] })))
  for (let round = 0; round < plan.warmRounds; round++) {
    for (const { entry, threads } of cells) {
      await entry.measure(threads, FIRST_WARM_MS, plan.warmMs)
    }
  }
  for (let round = 1; round <= plan.rounds; round++) {
    say(`core calls, round ${round} of ${plan.rounds}`)
    for (const { entry, threads, runs } of shuffled(cells, random)) {
      runs.push(await entry.measure(threads, plan.warmMs, plan.coreMs))
    }
  }
  return {
    title: "Core calls, no promise: a thread's time for each",
    unit: 'ns',
    better: 'lower',
    x: 'threads',
    rows: cells.map(({ entry: { label, role, floor }, threads, runs }) =>
      row(label, runs, { x: threads, role, ...(floor && { floor }) }),
    ),
  }
}
