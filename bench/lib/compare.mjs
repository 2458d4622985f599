/**
 * Two results side by side. A figure has changed when its two ranges, lowest to highest run, have
 * nothing in common. Beside its floor it has changed when the same holds of its ratio to the floor,
 * for the lowest and highest that the two ranges allow: that takes the machine's day out. One run
 * says nothing about noise, so a figure of one run is never said to have changed.
 */
import { floorOf } from './figures.mjs'

const LEAST_RUNS = 2

/**
 * @typedef {object} Range
 * @property {number} value
 * @property {number} low
 * @property {number} high
 * @property {number} runs   how many
 *
 * @typedef {object} Change
 * @property {number | undefined} ratio   after over before; none over 0
 * @property {'better' | 'worse' | 'other' | 'noise' | 'unknown'} verdict
 */

/**
 * @param {Range} before
 * @param {Range} after
 * @param {'lower' | 'higher' | undefined} better
 * @returns {Change}
 */
export function changeOf(before, after, better) {
  const ratio = before.value > 0 ? after.value / before.value : undefined
  if (Math.min(before.runs, after.runs) < LEAST_RUNS) return { ratio, verdict: 'unknown' }
  const isHigher = after.low > before.high
  const isLower = after.high < before.low
  if (!isHigher && !isLower) return { ratio, verdict: 'noise' }
  if (better === undefined) return { ratio, verdict: 'other' }
  return { ratio, verdict: isHigher === (better === 'higher') ? 'better' : 'worse' }
}

/** @returns {Range} */
function rangeOf({ value, low, high, runs }) {
  return { value, low, high, runs: runs.length }
}

/** The row in floors: what it is over the floor, at the least and at the most. */
function besideFloor(row, floor) {
  if (row.role === 'floor' || !(floor?.low > 0)) return undefined
  return {
    value: row.value / floor.value,
    low: row.low / floor.high,
    high: row.high / floor.low,
    runs: Math.min(row.runs.length, floor.runs.length),
  }
}

function keyOf(name, panel, row) {
  return JSON.stringify([name, panel.title, row.label, row.x])
}

/** Every figure of a result by what it is. */
function figuresOf(result) {
  const figures = new Map()
  for (const [name, answer] of Object.entries(result.answers)) {
    for (const panel of answer.panels) {
      for (const row of panel.rows) {
        figures.set(keyOf(name, panel, row), { name, title: answer.title, panel, row })
      }
    }
  }
  return figures
}

/** What both have, in the order of `after`, and what one of them lacks. */
export function compareResults(before, after) {
  const befores = figuresOf(before)
  const afters = figuresOf(after)
  const both = []
  for (const [key, now] of afters) {
    const then = befores.get(key)
    if (then === undefined) continue
    const { better } = now.panel
    const thenBeside = besideFloor(then.row, floorOf(then.panel, then.row))
    const nowBeside = besideFloor(now.row, floorOf(now.panel, now.row))
    const hasBoth = thenBeside !== undefined && nowBeside !== undefined
    both.push({
      ...now,
      before: then.row,
      after: now.row,
      change: changeOf(rangeOf(then.row), rangeOf(now.row), better),
      besideFloor: hasBoth ? changeOf(thenBeside, nowBeside, better) : undefined,
    })
  }
  const only = (these, others) =>
    [...these].filter(([key]) => !others.has(key)).map(([, one]) => one)
  return { both, onlyBefore: only(befores, afters), onlyAfter: only(afters, befores) }
}

/** Facts of the two runs that differ, and so may be why the figures do. */
export function differencesOf(before, after) {
  const facts = result => {
    const { packages, ...machine } = result.machine
    return { ...machine, ...packages, quick: result.quick }
  }
  const then = facts(before)
  const now = facts(after)
  return [...new Set([...Object.keys(then), ...Object.keys(now)])]
    .filter(fact => then[fact] !== now[fact])
    .map(fact => ({ fact, before: then[fact], after: now[fact] }))
}

/** How many of each verdict. */
export function countVerdicts(changes) {
  const counts = { better: 0, worse: 0, other: 0, noise: 0, unknown: 0 }
  for (const change of changes) {
    if (change !== undefined) counts[change.verdict]++
  }
  return counts
}
