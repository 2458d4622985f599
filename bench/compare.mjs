/**
 * npm run bench:compare -- before.json after.json
 *
 * Two results of `npm run bench`, figure by figure: how many times what it was, and whether that is
 * more than noise. To compare two days, look at the columns beside the floor.
 */
import { readFileSync } from 'node:fs'
import { checkResult } from './lib/check.mjs'
import { compareResults, countVerdicts, differencesOf } from './lib/compare.mjs'
import { formatRatio, formatValue, formatX, readingOf } from './lib/figures.mjs'
import { textTable } from './lib/text.mjs'

const USAGE = 'usage: npm run bench:compare -- before.json after.json'
const VERDICT_TEXTS = {
  better: 'better',
  worse: 'WORSE',
  other: 'differs',
  noise: '',
  unknown: '?',
}
const HEAD = ['', 'before', 'after', 'ratio', '', 'beside the floor', '']

/** What the caller can mend: another file. */
class ResultError extends Error {}

function readResult(file) {
  try {
    const result = JSON.parse(readFileSync(file, 'utf8'))
    checkResult(file, result)
    return result
  } catch (error) {
    const message = error.message.startsWith(file) ? error.message : `${file}: ${error.message}`
    throw new ResultError(message)
  }
}

function describe(which, file, { startedAt, machine, seed, quick }) {
  const { cpu, cores, platform, node, packages } = machine
  const versions = Object.entries(packages).map(([name, version]) => `${name} ${version}`)
  return (
    `${which.padEnd(7)}${file}: ${startedAt}, seed ${seed}${quick ? ', quick' : ''}\n` +
    `       ${cpu}, ${cores} cores, ${platform}, node ${node}, ${versions.join(', ')}`
  )
}

function nameOf({ label, x }) {
  return x === undefined ? label : `${label}, ${formatX(x)}`
}

const changeCells = change =>
  change === undefined
    ? ['', '']
    : [change.ratio === undefined ? '-' : formatRatio(change.ratio), VERDICT_TEXTS[change.verdict]]

function tableOf(figures) {
  const lines = figures.map(({ before, after, change, besideFloor }) => [
    nameOf(after),
    formatValue(before.value),
    formatValue(after.value),
    ...changeCells(change),
    ...changeCells(besideFloor),
  ])
  return textTable(HEAD, lines)
}

function printPanels(both) {
  for (const [panel, figures] of byPanel(both)) {
    const heading = `${figures[0].title} ${panel.title} (${readingOf(panel)})`
    console.log(`${heading}\n\n${tableOf(figures)}\n`)
  }
}

/** Map.groupBy, which Node 20 does not have. */
function byPanel(both) {
  const panels = new Map()
  for (const figure of both) {
    const figures = panels.get(figure.panel) ?? []
    figures.push(figure)
    panels.set(figure.panel, figures)
  }
  return panels
}

function printMissing(where, figures) {
  if (figures.length === 0) return
  console.log(`Only ${where}:`)
  for (const { name, panel, row } of figures) {
    console.log(`* ${name}, ${panel.title}: ${nameOf(row)}`)
  }
  console.log()
}

function sentence(changes) {
  const { better, worse, other, noise, unknown } = countVerdicts(changes)
  const others = other > 0 ? `, ${other} differ` : ''
  const rest = unknown > 0 ? `, ${unknown} of one run (?)` : ''
  return `${better} better, ${worse} worse${others}, ${noise} within the noise${rest}`
}

function summary({ both, onlyBefore, onlyAfter }) {
  const beside = both.map(({ besideFloor }) => besideFloor).filter(change => change !== undefined)
  return (
    `${both.length} figures: ${sentence(both.map(({ change }) => change))}. ` +
    `${beside.length} beside their floors: ${sentence(beside)}. ` +
    `${onlyBefore.length} only before, ${onlyAfter.length} only after.`
  )
}

function compare(files, before, after) {
  console.log(describe('before', files[0], before))
  console.log(describe('after', files[1], after))
  for (const { fact, before: then, after: now } of differencesOf(before, after)) {
    console.log(`WARNING: ${fact} differs: ${then} before, ${now} after`)
  }
  console.log()
  const compared = compareResults(before, after)
  printPanels(compared.both)
  printMissing('before', compared.onlyBefore)
  printMissing('after', compared.onlyAfter)
  console.log(summary(compared))
}

function main(files) {
  if (files.length !== 2) throw new ResultError(USAGE)
  const [before, after] = files.map(readResult)
  compare(files, before, after)
}

try {
  main(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof ResultError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
