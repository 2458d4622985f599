/** A rate against its threshold: a bar with a mark, and the same in words. */
import { make, setAttribute, setStyle, setText } from './elements.js'
import { count, NOTHING, percent, plural } from './format.js'

export function makeMeter(label) {
  const value = make('b', { class: 'value' })
  const note = make('span', { class: 'note' })
  const bar = make('div', { class: 'bar', 'aria-hidden': 'true' }, make('i'), make('s'))
  const words = make('div', { class: 'words' }, value, ' ', note)
  const cell = make('td', { class: 'meter', 'data-label': label }, words, bar)
  return Object.assign(cell, { parts: { value, note, bar } })
}

/** `part` and `threshold` are parts of 1; a part of undefined is not known. */
function show(cell, { value, note, part, threshold, tone }) {
  const { parts } = cell
  setText(parts.value, value)
  setText(parts.note, note)
  // Where the threshold is low, the bar's end is not 100 % but four times the threshold.
  const end = threshold < 0.2 ? threshold * 4 : 1
  const width = part === undefined ? 0 : Math.min(1, part / end)
  setStyle(parts.bar, '--part', width.toFixed(3))
  setStyle(parts.bar, '--threshold', Math.min(1, threshold / end).toFixed(3))
  setAttribute(cell, 'data-tone', tone ?? toneOf(part, threshold))
}

function toneOf(part, threshold) {
  if (part === undefined) return 'none'
  if (part >= threshold) return 'over'
  return part >= threshold * 0.75 ? 'near' : 'under'
}

function showNothing(cell) {
  show(cell, { value: NOTHING, note: '', threshold: 1, tone: 'off' })
}

/** A rate of the window, or that of the window that opened the breaker. */
export function updateMeter(cell, breaker, kind) {
  const { introduction, openedBy, state, calls } = breaker
  const isFailures = kind === 'failures'
  if (!isFailures && introduction.slowCallDurationThresholdMs === null) return showNothing(cell)
  if (isFailures && introduction.failuresInARow !== null) return showInARow(cell, breaker)
  const threshold = isFailures
    ? introduction.failureRateThreshold
    : introduction.slowCallRateThreshold
  if (state === 'disabled') return showNothing(cell)
  if (openedBy !== null) {
    const [all, failures, slowCalls] = openedBy
    const part = all > 0 ? (isFailures ? failures : slowCalls) / all : 0
    return show(cell, { value: percent(part), note: `of ${plural(all, 'call')}`, part, threshold })
  }
  const part = isFailures ? breaker.failureRate : breaker.slowCallRate
  if (part !== null) {
    return show(cell, {
      value: percent(part),
      note: `limit ${percent(threshold)}`,
      part,
      threshold,
    })
  }
  if (state !== 'closed' && state !== 'metrics-only') return showNothing(cell)
  const note = `${count(calls)} of ${plural(introduction.minimumNumberOfCalls, 'call')}`
  return show(cell, { value: NOTHING, note, threshold })
}

function showInARow(cell, { introduction: { failuresInARow }, openedBy, failures }) {
  const found = openedBy === null ? failures : openedBy[1]
  const part = found / failuresInARow
  const note = `of ${count(failuresInARow)} in a row`
  show(cell, { value: count(found), note, part, threshold: 1 })
}
