/** The axis of a panel's values: from where to where, and its ticks. */
import { formatShort, isLog } from '../lib/figures.mjs'

const MOST_TICKS = 7
const STEPS = [1, 2, 5]
/** Room beyond the highest value, as a part of the axis. */
const ROOM = 0.04
/** 1, 2, 5, 10, 20, ...; with no room for these the powers of ten, or every second or third. */
function logTicks(from, to) {
  const decades = []
  for (let power = Math.floor(Math.log10(from)); 10 ** power <= to; power++) decades.push(power)
  const isInside = value => value >= from && value <= to
  const fine = decades.flatMap(power => STEPS.map(step => step * 10 ** power)).filter(isInside)
  if (fine.length <= MOST_TICKS) return fine
  const every = Math.ceil(decades.length / MOST_TICKS)
  return decades
    .filter(power => power % every === 0)
    .map(power => 10 ** power)
    .filter(isInside)
}

function linearTicks(from, to) {
  const rough = (to - from) / (MOST_TICKS - 1)
  const decade = 10 ** Math.floor(Math.log10(rough))
  const step = [...STEPS, 10].map(factor => factor * decade).find(size => size >= rough)
  const ticks = []
  for (let index = Math.ceil(from / step); index * step <= to; index++) ticks.push(index * step)
  return ticks
}

function logAxis(rows, startsAtDecade) {
  const values = rows.flatMap(row => [row.low, row.value]).filter(value => value > 0)
  const low = Math.min(...values)
  const high = Math.max(...rows.map(row => row.high))
  // A bar on a log axis has no zero to start from: it starts at a power of ten below.
  const nearLow = low / (high / low) ** ROOM / 1.1
  const from = startsAtDecade ? 10 ** Math.floor(Math.log10(low) - ROOM) : nearLow
  const to = high * (high / from) ** ROOM
  return { isLog: true, from, to, ticks: logTicks(from, to) }
}

function linearAxis(rows) {
  const low = Math.min(0, ...rows.map(row => row.low))
  const highest = Math.max(0, ...rows.map(row => row.high))
  // All of them 0: an axis of some length all the same.
  const high = highest > low ? highest : 1
  const length = high - low
  const from = low < 0 ? low - length * ROOM : 0
  const to = high + length * ROOM
  return { isLog: false, from, to, ticks: linearTicks(from, to) }
}

/** @param {import('../lib/result.mjs').Panel} panel */
export function axisOf(panel) {
  const isBars = panel.x === undefined
  const axis = isLog(panel) ? logAxis(panel.rows, isBars) : linearAxis(panel.rows)
  return { ...axis, ticks: axis.ticks.map(value => ({ value, label: formatShort(value) })) }
}

/** Where a value stands on the axis, in percent, kept on it. */
export function percentOf(axis, value) {
  const part = axis.isLog
    ? Math.log(Math.max(value, axis.from) / axis.from) / Math.log(axis.to / axis.from)
    : (value - axis.from) / (axis.to - axis.from)
  return Math.round(Math.min(1, Math.max(0, part)) * 10_000) / 100
}
