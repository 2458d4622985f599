/** A panel without x, or with one only: horizontal bars with their noise, beside the floor. */
import { floorOf, formatRatio, formatValue, ratioToFloor } from '../lib/figures.mjs'
import { axisOf, percentOf } from './axis.mjs'
import { html } from './html.mjs'

function lines(axis, floor) {
  return [
    ...axis.ticks.map(
      ({ value }) => html`<i class="grid" style="left:${percentOf(axis, value)}%"></i>`,
    ),
    floor && html`<i class="floor-line" style="left:${percentOf(axis, floor.value)}%"></i>`,
  ]
}

function bar(panel, axis, row) {
  const ratio = ratioToFloor(panel, row)
  const zero = axis.isLog ? 0 : percentOf(axis, 0)
  const end = percentOf(axis, row.value)
  const [left, width] = [Math.min(zero, end), Math.abs(end - zero)]
  const low = percentOf(axis, row.low)
  const noise = percentOf(axis, row.high) - low
  const what = `${row.label}: ${formatValue(row.value)} ${panel.unit}`
  const range = `${formatValue(row.low)}..${formatValue(row.high)}`
  return html`<div class="bar-row ${row.role ?? 'fact'}" title="${what} (${range})">
<span class="bar-label">${row.label}</span>
<span class="track">
${lines(axis, floorOf(panel, row))}
<i class="bar" style="left:${left}%;width:${width}%"></i>
<i class="noise" style="left:${low}%;width:${noise}%"></i>
</span>
<span class="bar-value">${formatValue(row.value)}
${ratio !== undefined && html`<small>${formatRatio(ratio)}</small>`}</span>
</div>
`
}

/** @param {import('../lib/result.mjs').Panel} panel */
export function renderBars(panel) {
  const axis = axisOf(panel)
  const ticks = axis.ticks.map(
    ({ value, label }) => html`<b style="left:${percentOf(axis, value)}%">${label}</b>`,
  )
  return html`<div class="bars">
${panel.rows.map(row => bar(panel, axis, row))}
<div class="bar-row axis">
<span class="bar-label">${panel.unit}${axis.isLog && ', log scale'}</span>
<span class="track">${ticks}</span>
<span class="bar-value"></span>
</div>
</div>`
}
