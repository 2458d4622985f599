/**
 * What is said of a row beside its value, for the tables, the page and the comparison.
 *
 * @typedef {import('./result.mjs').Panel} Panel
 * @typedef {import('./result.mjs').Row} Row
 */

const DIGITS = 3
/** From here on a number has digits enough before its point. */
const WHOLE_FROM = 100
const TINY = 1e-3
const MILLION = 1e6

const compact = new Intl.NumberFormat('en-US', {
  notation: 'compact',
  maximumSignificantDigits: DIGITS,
})

/** Three digits, or all of those before the point: 0.123, 6.12, 61.2, 612, 6,120, 12,345, 1.23M. */
export function formatValue(value) {
  if (value === 0) return '0'
  const size = Math.abs(value)
  if (size >= MILLION) return compact.format(value)
  if (size < TINY) return value.toExponential(DIGITS - 1)
  if (size >= WHOLE_FROM) return Math.round(value).toLocaleString('en-US')
  return String(Number(value.toPrecision(DIGITS)))
}

/** `x` of a row: threads and the like, so as it is. */
export function formatX(x) {
  return x.toLocaleString('en-US', { maximumSignificantDigits: 6 })
}

/** As short as it gets: 12.3K. */
export function formatShort(value) {
  return compact.format(value)
}

/** A ratio as people say it: 1.23x. */
export function formatRatio(ratio) {
  return `${formatValue(ratio)}x`
}

/**
 * The floor that a row stands beside: the panel's first at the same x, or, where there are several,
 * the one whose label the row says in `floor`.
 *
 * @param {Panel} panel
 * @param {Row & { floor?: string }} row
 * @returns {Row | undefined}
 */
export function floorOf(panel, row) {
  const floors = panel.rows.filter(
    other => other.role === 'floor' && (row.floor === undefined || other.label === row.floor),
  )
  return floors.find(floor => floor.x === row.x) ?? floors.find(floor => floor.x === undefined)
}

/** The row's value over its floor's; none without a floor, and for a floor. */
export function ratioToFloor(panel, row) {
  const floor = floorOf(panel, row)
  if (row.role === 'floor' || !(floor?.value > 0)) return undefined
  return row.value / floor.value
}

/** Lines of a chart, or bars: the panel's labels in their order. */
export function labelsOf(panel) {
  return [...new Set(panel.rows.map(row => row.label))]
}

/** Whether values go on a log axis: unless the panel says otherwise, or one is not above 0. */
export function isLog(panel) {
  return panel.scale !== 'linear' && panel.rows.every(row => row.value > 0)
}

/** The panel as a table: its head, and a line for each row. */
export function tableOf(panel) {
  const hasX = panel.x !== undefined
  const hasFloor = panel.rows.some(row => row.role === 'floor')
  const head = ['', ...(hasX ? [panel.x] : []), panel.unit, 'low..high', 'runs']
  const lines = panel.rows.map(row => {
    const ratio = ratioToFloor(panel, row)
    const floorCell = row.role === 'floor' ? 'floor' : ratio === undefined ? '' : formatRatio(ratio)
    return [
      row.label,
      ...(hasX ? [row.x === undefined ? '' : formatX(row.x)] : []),
      formatValue(row.value),
      `${formatValue(row.low)}..${formatValue(row.high)}`,
      String(row.runs.length),
      ...(hasFloor ? [floorCell] : []),
    ]
  })
  return { head: hasFloor ? [...head, 'to the floor'] : head, lines }
}

/** The values of x, in order. */
export function xsOf(panel) {
  const xs = new Set(panel.rows.map(row => row.x).filter(x => x !== undefined))
  return [...xs].sort((a, b) => a - b)
}

/** How it is to be read, in a few words. */
export function readingOf(panel) {
  const xs = xsOf(panel)
  return [
    panel.unit,
    ...(xs.length === 1 ? [`${panel.x}: ${formatX(xs[0])}`] : []),
    ...(panel.better === undefined ? [] : [`${panel.better} is better`]),
  ].join(', ')
}
