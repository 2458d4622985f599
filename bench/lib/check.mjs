/**
 * Whether an answer is one: it comes from a file that somebody else wrote, or from a JSON file that
 * may be anything. Each check says where it found what.
 */

const ROLES = ['floor', 'busbar', 'peer', 'sketch']
const SCALES = ['linear', 'log']
const BETTER = ['lower', 'higher']

/** The version of the file that a run writes. */
export const RESULT_VERSION = 1
export const RESULT_KIND = 'busbar-bench'

function requireThat(holds, where, what) {
  if (!holds) throw new TypeError(`${where}: ${what}`)
}

const isText = value => typeof value === 'string' && value.length > 0
const isObject = value => typeof value === 'object' && value !== null && !Array.isArray(value)
const isOneOf = (value, allowed) => value === undefined || allowed.includes(value)

function checkRow(where, row, hasX) {
  requireThat(isObject(row) && isText(row.label), where, 'a row without a label')
  const at = `${where}, "${row.label}"`
  requireThat(Array.isArray(row.runs) && row.runs.length > 0, at, 'no runs')
  for (const value of [row.value, row.low, row.high, ...row.runs]) {
    requireThat(Number.isFinite(value), at, `${value} is no figure`)
  }
  requireThat(row.low <= row.value && row.value <= row.high, at, 'value is not in low..high')
  requireThat(isOneOf(row.role, ROLES), at, `role ${row.role}`)
  requireThat(row.floor === undefined || isText(row.floor), at, `floor ${row.floor}`)
  requireThat(row.x === undefined || Number.isFinite(row.x), at, `x is ${row.x}`)
  requireThat(row.x === undefined || hasX, at, 'has an x, but its panel says not of what')
}

function checkPanel(where, panel) {
  requireThat(isObject(panel) && isText(panel.title), where, 'a panel without a title')
  const at = `${where}, "${panel.title}"`
  requireThat(isText(panel.unit), at, 'no unit')
  requireThat(isOneOf(panel.better, BETTER), at, `better ${panel.better}`)
  requireThat(isOneOf(panel.scale, SCALES), at, `scale ${panel.scale}`)
  requireThat(panel.x === undefined || isText(panel.x), at, 'x is no text')
  requireThat(Array.isArray(panel.rows) && panel.rows.length > 0, at, 'no rows')
  const seen = new Set()
  for (const row of panel.rows) {
    checkRow(at, row, panel.x !== undefined)
    const figure = JSON.stringify([row.label, row.x])
    requireThat(!seen.has(figure), at, `two figures of ${figure}`)
    seen.add(figure)
  }
}

/**
 * Throws unless `answer` is what lib/result.mjs says.
 *
 * @param {string} where
 * @param {unknown} answer
 */
export function checkAnswer(where, answer) {
  requireThat(isObject(answer), where, 'no answer')
  requireThat(isText(answer.title), where, 'no title')
  requireThat(Array.isArray(answer.panels), where, 'no panels')
  requireThat(
    Array.isArray(answer.notes) && answer.notes.every(isText),
    where,
    'notes are no texts',
  )
  const titles = new Set()
  for (const panel of answer.panels) {
    checkPanel(where, panel)
    requireThat(!titles.has(panel.title), where, `two panels "${panel.title}"`)
    titles.add(panel.title)
  }
}

/** Throws unless `result` is what a run of this version has written. */
export function checkResult(where, result) {
  const isOurs = isObject(result) && result.kind === RESULT_KIND
  requireThat(isOurs, where, 'this is not a result of `npm run bench`')
  const { version } = result
  requireThat(version === RESULT_VERSION, where, `version ${version}, not ${RESULT_VERSION}`)
  const isWhole = isObject(result.machine?.packages) && isObject(result.answers)
  requireThat(isWhole, where, 'parts are missing')
  for (const [name, answer] of Object.entries(result.answers)) {
    checkAnswer(`${where}, ${name}`, answer)
  }
}
