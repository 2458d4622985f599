/**
 * What a question answers, and how runs become one figure. A file in bench/questions/ exports
 *
 *   export const title = 'What does a refusal cost?'
 *   export async function ask({ quick, say, random }) { ...; return { panels, notes } }
 *
 * `quick`: a tenth of the time. `say(text)`: progress, one line. `random()`: in [0, 1), for orders.
 *
 * @typedef {object} Panel   one chart and one table
 * @property {string} title
 * @property {string} unit            of the values: 'ns', 'operations/s', 'bytes', ...
 * @property {'lower' | 'higher'} [better]   none: a fact, neither good nor bad
 * @property {string} [x]             what the rows' x counts: 'threads'; none: bars
 * @property {'linear' | 'log'} [scale]     of the values; log unless said otherwise
 * @property {Row[]} rows
 *
 * @typedef {object} Row     one figure
 * @property {string} label           the same label with another x is one line of the chart
 * @property {number} [x]
 * @property {number} value           the median of `runs`
 * @property {number} low             the lowest and the highest of them: the noise
 * @property {number} high
 * @property {number[]} runs
 * @property {'floor' | 'busbar' | 'peer' | 'sketch'} [role]   sketch: a design that busbar is not
 *
 * @typedef {object} Answer
 * @property {Panel[]} panels
 * @property {string[]} notes         what could not be measured here, and why
 */

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/**
 * One figure from repeated runs.
 *
 * @param {string} label
 * @param {readonly number[]} runs
 * @param {{ x?: number, role?: Row['role'] }} [more]
 * @returns {Row}
 */
export function row(label, runs, more = {}) {
  if (runs.length === 0) throw new RangeError(`no runs of ${label}`)
  return {
    label,
    ...more,
    value: median(runs),
    low: Math.min(...runs),
    high: Math.max(...runs),
    runs: [...runs],
  }
}

/**
 * The items in another order. Each round of a measurement takes its own, so that no design is
 * always the one after a certain other.
 *
 * @template T
 * @param {readonly T[]} items
 * @param {() => number} random
 * @returns {T[]}
 */
export function shuffled(items, random) {
  const order = [...items]
  for (let last = order.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1))
    const held = order[last]
    order[last] = order[other]
    order[other] = held
  }
  return order
}
