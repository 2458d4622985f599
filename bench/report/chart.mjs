/** A panel with x: what page.js needs to draw its lines. */
import { formatValue, formatX, isLog, labelsOf, xsOf } from '../lib/figures.mjs'
import { axisOf } from './axis.mjs'

/** From this many times the lowest x on, an x axis is better read in logarithms. */
const WIDE = 20
const LINEAR_ROOM = 0.05
const LOG_ROOM = 0.06

function xAxisOf(name, xs) {
  const low = xs[0]
  const high = xs[xs.length - 1]
  const countsThreads = /thread|worker|core/i.test(name)
  const log = low > 0 && (countsThreads || high / low >= WIDE)
  if (!log) {
    const room = (high - low || 1) * LINEAR_ROOM
    return { name, log: 0, from: low - room, to: high + room }
  }
  const room = high > low ? (high / low) ** LOG_ROOM : 2
  return { name, log: countsThreads ? 2 : 10, from: low / room, to: high * room }
}

/** Floors first, so that they lie under the others. */
function seriesOf(panel, xs) {
  const roleOf = label => panel.rows.find(row => row.label === label).role ?? 'fact'
  const isFloor = label => roleOf(label) === 'floor'
  const labels = labelsOf(panel)
  const ordered = [...labels.filter(isFloor), ...labels.filter(label => !isFloor(label))]
  return ordered.map(label => {
    const rows = xs.map(x => panel.rows.find(row => row.label === label && row.x === x))
    return {
      label,
      role: roleOf(label),
      values: rows.map(row => row?.value ?? null),
      lows: rows.map(row => row?.low ?? null),
      highs: rows.map(row => row?.high ?? null),
      texts: rows.map(row =>
        row === undefined
          ? ''
          : `${formatValue(row.value)} (${formatValue(row.low)}..${formatValue(row.high)})`,
      ),
    }
  })
}

/** Whether there are lines to draw; with one x, or none, bars say more. */
export function isChart(panel) {
  return xsOf(panel).length > 1
}

/** @param {import('../lib/result.mjs').Panel} panel */
export function chartOf(panel) {
  const xs = xsOf(panel)
  return {
    xs,
    xTexts: xs.map(formatX),
    x: xAxisOf(panel.x, xs),
    y: { ...axisOf(panel), name: `${panel.unit}${isLog(panel) ? ', log scale' : ''}` },
    series: seriesOf(panel, xs),
  }
}
