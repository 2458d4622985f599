/**
 * Checks the Promela models beside this file with Spin and prints one table.
 *
 *   node test/spin/run.mjs [--required] [model ...]
 *
 * Three kinds of row. A property must hold over all states within its bounds. A mark is an
 * interesting state that must be reachable, so that a property does not hold for want of doing
 * anything. A fault is planted by a macro and must be caught. Two checks run at a time.
 *
 * Nothing is installed: where spin or gcc is missing it says how to get them, and fails only with
 * --required.
 */
import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CHECKS } from './checks.mjs'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const MAX_DEPTH = 200_000
const MAX_MEGABYTES = 4000
const MAX_SECONDS = 300
/** Processes that weak fairness has room for: 8 a unit. */
const FAIR_UNITS = 2

const required = process.argv.includes('--required')
const wanted = process.argv.slice(2).filter(word => !word.startsWith('--'))

function isMissing(program, flag) {
  return spawnSync(program, [flag], { stdio: 'ignore' }).error !== undefined
}

function run(program, args, folder) {
  const options = { cwd: folder, maxBuffer: 2 ** 28, timeout: MAX_SECONDS * 1000 }
  return new Promise(resolve => {
    execFile(program, args, options, (error, stdout, stderr) => {
      resolve({ text: stdout + stderr, ok: error === null, late: error?.killed === true })
    })
  })
}

/** Generates, compiles and runs one verifier; what it said. */
async function verify(check) {
  const folder = mkdtempSync(join(tmpdir(), 'busbar-spin-'))
  try {
    const macros = (check.live ? ['LIVE', ...check.macros] : check.macros).map(name => `-D${name}`)
    const made = await run('spin', [...macros, '-a', join(HERE, `${check.model}.pml`)], folder)
    if (!made.ok || /\bError\b/i.test(made.text)) return { failure: `spin: ${made.text}` }
    const kind = check.live ? [`-DNFAIR=${FAIR_UNITS}`, '-DCOLLAPSE'] : ['-DSAFETY']
    const limits = [`-DMEMLIM=${MAX_MEGABYTES}`]
    const built = await run('gcc', ['-O2', '-w', ...kind, ...limits, '-o', 'pan', 'pan.c'], folder)
    if (!built.ok) return { failure: `gcc: ${built.text}` }
    const started = performance.now()
    const search = check.live ? ['-a', '-f'] : []
    const ran = await run('./pan', [`-m${MAX_DEPTH}`, ...search], folder)
    return { ...readReport(ran), seconds: (performance.now() - started) / 1000 }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function numberIn(text, pattern) {
  const found = text.match(pattern)
  return found === null ? Number.NaN : Number(found[1])
}

function readReport({ text, late }) {
  const errors = numberIn(text, /errors: (\d+)/)
  const complaints =
    text.match(/^(?:pan|error).*(?:bound|too small|out of memory|NFAIR).*$/gim) ?? []
  if (late) complaints.push(`not done after ${MAX_SECONDS} s`)
  if (Number.isNaN(errors) && complaints.length === 0) complaints.push(text.slice(-400))
  return {
    errors,
    states: numberIn(text, /^\s*([\d.e+]+) states, stored/m),
    depth: numberIn(text, /depth reached (\d+)/),
    megabytes: numberIn(text, /^\s*([\d.]+)\s+total actual memory usage/m),
    wrong: text.match(/^pan:\d+: (.*?)(?: \(at depth|$)/m)?.[1],
    incomplete: complaints.join('; '),
    unreached: unreachedIn(text),
  }
}

/** Lines of the model that no state of this search was at; ends of endless processes apart. */
function unreachedIn(text) {
  const found = text.matchAll(/^\s+\S*\.pml:(\d+), state \d+, "(.*)"$/gm)
  return [...found]
    .filter(([, , code]) => code !== '-end-')
    .map(([, line, code]) => `${line}: ${code}`)
}

/** What the row says, and whether that is what it must say. */
function judge(check, report) {
  if (report.failure !== undefined) return { ok: false, result: report.failure }
  if (check.kind !== 'holds') {
    // By an assertion or an endless run, not by a slip of the model.
    const ok = /^(?:assertion violated [(o]|acceptance cycle)/.test(report.wrong ?? '')
    const [good, bad] =
      check.kind === 'fault' ? ['caught', 'NOT CAUGHT'] : ['reached', 'NOT REACHED']
    return { ok, result: ok ? good : `${bad} ${report.incomplete}` }
  }
  if (report.errors > 0) return { ok: false, result: `FAILS: ${report.wrong}` }
  if (report.incomplete !== '') return { ok: false, result: `INCOMPLETE: ${report.incomplete}` }
  return { ok: report.errors === 0, result: 'holds' }
}

/** Lines that none of a model's searches reached: code that the properties say nothing about. */
function neverReached(rows) {
  const failures = []
  for (const model of new Set(rows.map(({ check }) => check.model))) {
    const searches = rows.filter(
      ({ check, ok }) => check.model === model && check.kind === 'holds' && !check.live && ok,
    )
    const [first, ...others] = searches.map(({ report }) => report.unreached)
    const never = (first ?? []).filter(line => others.every(lines => lines.includes(line)))
    failures.push(...never.map(line => `${model}.pml:${line}`))
  }
  return failures
}

function cells({ check, report, result }) {
  const { states, depth, megabytes, seconds } = report
  const figure = (value, digits = 0) =>
    Number.isFinite(value)
      ? value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
      : ''
  const what = check.kind === 'holds' ? check.says : `${check.kind}: ${check.says}`
  return [
    check.model,
    what,
    figure(states),
    figure(depth),
    figure(megabytes),
    figure(seconds, 1),
    result,
  ]
}

const TITLES = ['model', 'property', 'states', 'depth', 'MB', 's', 'result']
const RIGHT = new Set([2, 3, 4, 5])

/** Rows are printed as they come, so widths are fixed beforehand. */
function lineOf(values) {
  const widths = [7, Math.max(...CHECKS.map(check => check.says.length)) + 7, 11, 6, 6, 6, 0]
  return values
    .map((value, at) => (RIGHT.has(at) ? value.padStart(widths[at]) : value.padEnd(widths[at])))
    .join('  ')
    .trimEnd()
}

async function main() {
  const missing = [
    ['spin', '-V'],
    ['gcc', '--version'],
  ].filter(([program, flag]) => isMissing(program, flag))
  if (missing.length > 0) {
    const names = missing.map(([program]) => program).join(' and ')
    console.log(`The Spin models were not checked: ${names} not found.`)
    console.log(
      'Get them with `apt-get install spin gcc` on Debian or Ubuntu; see https://spinroot.com',
    )
    return required ? 1 : 0
  }
  console.log(lineOf(TITLES))
  const rows = []
  const queue = CHECKS.filter(({ model }) => wanted.length === 0 || wanted.includes(model))
  const work = async () => {
    for (let check = queue.shift(); check !== undefined; check = queue.shift()) {
      const report = await verify(check)
      const row = { check, report, ...judge(check, report) }
      rows.push(row)
      console.log(lineOf(cells(row)))
    }
  }
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work))
  const bad = rows.filter(({ ok }) => !ok).length
  const never = neverReached(rows)
  for (const line of never) console.log(`never reached: ${line}`)
  const count = kind => rows.filter(({ check }) => check.kind === kind).length
  console.log(
    `${count('holds')} properties, ${count('mark')} marks, ${count('fault')} planted faults: ` +
      (bad + never.length === 0
        ? 'all as they must be'
        : `${bad + never.length} not as they must be`),
  )
  return rows.length === 0 || bad + never.length > 0 ? 1 : 0
}

process.exitCode = await main()
