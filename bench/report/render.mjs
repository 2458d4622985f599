/** The page of a run: one HTML file with all that it needs in it, for file:// and no network. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { readingOf, tableOf } from '../lib/figures.mjs'
import { renderBars } from './bars.mjs'
import { chartOf, isChart } from './chart.mjs'
import { anchorOf, html, raw } from './html.mjs'

const require = createRequire(import.meta.url)
const UPLOT = require.resolve('uplot/dist/uPlot.iife.min.js')
const UPLOT_STYLE = require.resolve('uplot/dist/uPlot.min.css')
const ROLES = ['busbar', 'floor', 'peer', 'sketch']
const ROLE_TEXTS = {
  busbar: 'busbar',
  floor: 'bare floor: what nothing can do without',
  peer: 'another library',
  sketch: 'a design that busbar is not',
}

function readHere(file) {
  return readFileSync(new URL(file, import.meta.url), 'utf8')
}

/** JSON that can stand in a script element: there is no `<` in it. */
function inlineJson(value) {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}

function renderLine([label, ...cells]) {
  return html`<tr><th>${label}</th>${cells.map(cell => html`<td>${cell}</td>`)}</tr>
`
}

function renderTable(panel) {
  const { head, lines } = tableOf(panel)
  return html`<details><summary>Table</summary><div class="scroll"><table>
<thead><tr>${head.map(cell => html`<th>${cell}</th>`)}</tr></thead>
<tbody>${lines.map(renderLine)}</tbody>
</table></div></details>`
}

/** Charts are drawn in the browser: `charts` collects what each needs, by the panel's anchor. */
function renderPanel(name, panel, charts) {
  const anchor = anchorOf(name, panel.title)
  const hasLines = isChart(panel)
  if (hasLines) charts[anchor] = chartOf(panel)
  return html`<section class="panel" id="${anchor}">
<h3>${panel.title}</h3>
<p class="reading">${readingOf(panel)}</p>
${hasLines ? html`<div class="chart" data-chart="${anchor}"></div>` : renderBars(panel)}
${renderTable(panel)}
</section>
`
}

function renderAnswer(name, answer, charts) {
  return html`<section class="question" id="${anchorOf(name)}">
<h2>${answer.title}</h2>
${answer.panels.map(panel => renderPanel(name, panel, charts))}${
  answer.notes.length > 0 &&
  html`<ul class="notes">${answer.notes.map(note => html`<li>${note}</li>`)}</ul>`
}
</section>
`
}

function renderEntry(name, { title, panels }) {
  const items = panels.map(
    panel => html`<li><a href="#${anchorOf(name, panel.title)}">${panel.title}</a></li>`,
  )
  return html`<li><a href="#${anchorOf(name)}">${title}</a><ul>${items}</ul></li>
`
}

function renderContents(answers) {
  return html`<ol>${Object.entries(answers).map(entry => renderEntry(...entry))}</ol>`
}

function factsOf(result) {
  const { machine, load, minutes, seed } = result
  const packages = Object.entries(machine.packages).map(([name, version]) => `${name} ${version}`)
  return {
    measured: `${result.startedAt.replace('T', ' ').slice(0, 16)} UTC, ${minutes} minutes`,
    command: result.command,
    seed,
    processor: `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB`,
    platform: machine.platform,
    node: `${machine.node} (V8 ${machine.v8})`,
    versions: packages.join(', '),
    load: `${load.before.join(', ')} before; ${load.after.join(', ')} after`,
  }
}

function renderWarnings(result) {
  const faults = Object.entries(result.faults ?? {})
  return [
    result.quick && html`<p class="warning">A quick run: too short to be relied on.</p>`,
    ...faults.map(([name, fault]) => html`<p class="warning"><b>${name}</b> failed: ${fault}</p>`),
  ]
}

function renderFacts(result) {
  return html`<dl>${Object.entries(factsOf(result)).map(
    ([name, fact]) => html`<div><dt>${name}</dt><dd>${fact}</dd></div>`,
  )}</dl>`
}

function renderRoles(answers) {
  const rows = Object.values(answers).flatMap(({ panels }) => panels.flatMap(panel => panel.rows))
  const used = ROLES.filter(role => rows.some(row => row.role === role))
  return html`<p class="roles">${used.map(
    role => html`<span class="${role}"><i></i>${ROLE_TEXTS[role]}</span>`,
  )}</p>`
}

/**
 * @param {object} result   as run.mjs writes it
 * @returns {string}
 */
export function renderPage(result) {
  const charts = {}
  const { answers } = result
  const questions = Object.entries(answers).map(([name, answer]) =>
    renderAnswer(name, answer, charts),
  )
  const parts = {
    styles: html`<style>${raw(readFileSync(UPLOT_STYLE, 'utf8'))}</style>
<style>${raw(readHere('page.css'))}</style>`,
    warnings: html`${renderWarnings(result)}`,
    facts: renderFacts(result),
    roles: renderRoles(answers),
    contents: renderContents(answers),
    questions: html`${questions}`,
    scripts: html`<script type="application/json" id="charts">${raw(inlineJson(charts))}</script>
<script>${raw(readFileSync(UPLOT, 'utf8'))}</script>
<script>${raw(readHere('page.js'))}</script>`,
  }
  return readHere('template.html').replace(/<!-- here: (\w+) -->/g, (_, part) =>
    String(parts[part]),
  )
}
