/**
 * What N threads can do to memory that they share: designs in bare words, and busbar. Each design
 * opens what its job needs for one run, and checks the run's sums.
 *
 * @typedef {object} Design
 * @property {string} label
 * @property {'floor' | 'busbar' | 'sketch'} role
 * @property {string} [floor]  the label of the floor that it stands beside
 * @property {string} crew     designs of one crew run in the same threads
 * @property {string} module   in bench/jobs/
 * @property {string} job
 * @property {(threads: number, breakers: import('./shared-breakers.mjs').SharedBreakers) =>
 *   Promise<Station> | Station} open
 *
 * @typedef {object} Station
 * @property {unknown} input
 * @property {(reports: import('./crew.mjs').Report[]) => void} check   throws when a sum is wrong
 */
import { countersFor, totalOf as totalOfCounters } from '../jobs/counters.mjs'
import { jobModule } from './crew.mjs'
import { totalOf } from './threads.mjs'

/** What a refusal, and a permit with its success, would cost in bare words. */
export const ASKING_FLOOR = 'one load'
export const SETTLING_FLOOR = 'two loads, one add'

/**
 * A design in bare words. `looks` and `adds`: how often one operation looks at the quiet word, and
 * whether it counts.
 *
 * @param {string} job
 * @param {'floor' | 'sketch'} role
 * @param {{ looks: number, adds: boolean, floor?: string }} options
 * @returns {Design}
 */
export function bare(job, role, { looks, adds, floor }) {
  return {
    label: job,
    role,
    floor,
    crew: 'bare',
    module: jobModule('counters'),
    job,
    open(threads) {
      const words = countersFor(threads)
      return {
        input: { words },
        check(reports) {
          const calls = totalOf(reports, report => report.calls)
          requireSum(
            job,
            'looks',
            totalOf(reports, report => report.sum),
            looks * calls,
          )
          requireSum(job, 'counted', totalOfCounters(words), adds ? calls | 0 : 0)
        },
      }
    },
  }
}

/**
 * Core calls of busbar. Those with another window or kernel, or without a keeper, run in other
 * threads: what V8 has learnt from one of them is not to slow the other.
 *
 * @param {'permit + success' | 'refusal'} job
 * @param {{ window?: 'time' | 'count', keeper?: boolean, kernel?: 'js' | 'wasm' }} [options]
 * @returns {Design}
 */
export function busbar(job, { window = 'time', keeper = true, kernel = 'js' } = {}) {
  const state = job === 'refusal' ? 'open' : 'closed'
  const details = [
    job === 'refusal' ? '' : `, ${window} window`,
    keeper ? '' : ', no keeper',
    kernel === 'js' ? '' : `, kernel ${kernel}`,
  ]
  return {
    label: `busbar ${job}${details.join('')}`,
    role: 'busbar',
    floor: job === 'refusal' ? ASKING_FLOOR : SETTLING_FLOOR,
    crew: `${window} window, ${keeper ? 'a' : 'no'} keeper, ${kernel}`,
    module: jobModule('calls'),
    job,
    async open(_threads, breakers) {
      const { input, check } = await breakers.find({ keeper, kernel, state, window })
      return {
        input,
        check(reports) {
          const calls = totalOf(reports, report => report.calls)
          requireSum(
            job,
            'right answers',
            totalOf(reports, report => report.sum),
            calls,
          )
          check(calls)
        },
      }
    },
  }
}

function requireSum(job, what, sum, expected) {
  if (sum !== expected) throw new Error(`${job}: ${what} ${sum}, not ${expected}`)
}

export const FLOORS = [
  bare(ASKING_FLOOR, 'floor', { looks: 1, adds: false }),
  bare(SETTLING_FLOOR, 'floor', { looks: 2, adds: true }),
]
