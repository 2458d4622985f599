/**
 * How long does one call take, and how long do the slowest take? Each call is timed by itself in
 * one thread, alone and while others make the same calls as fast as they can. The empty measurement
 * has nothing between its two looks at the clock: what it shows is not the breaker's doing.
 */
import { jobModule, openCrew } from '../lib/crew.mjs'
import { row, shuffled } from '../lib/result.mjs'
import { SharedBreakers } from '../lib/shared-breakers.mjs'
import { CORES, totalOf } from '../lib/threads.mjs'

export const title = 'How long do the slowest calls take?'

const FULL = { rounds: 5, totalMs: 28_000, warmRounds: 3, firstWarmMs: 200, warmMs: 30 }
const QUICK = { rounds: 2, totalMs: 2_200, warmRounds: 2, firstWarmMs: 60, warmMs: 10 }
const LEAST_MS = 50

const PERCENTILES = [
  ['p50', 'p50'],
  ['p99', 'p99'],
  ['p99.9', 'p99_9'],
  ['p99.99', 'p99_99'],
  ['slowest', 'max'],
]
const NS_PER_SECOND = 1e9
const NS_PER_US = 1e3

const KINDS = [
  { label: 'empty measurement', job: 'empty', role: 'floor' },
  { label: 'refusal', job: 'refusal', state: 'open', role: 'busbar' },
  { label: 'permit + success', job: 'permit + success', state: 'closed', role: 'busbar' },
]

export async function ask({ quick, say, random }) {
  const plan = quick ? QUICK : FULL
  const counts = [...new Set([1, CORES, 1 + 2 * CORES])]
  const cells = KINDS.flatMap(kind => counts.map(threads => ({ kind, threads })))
  const share = plan.totalMs / (plan.rounds * cells.length) - plan.warmMs
  const measureMs = Math.max(LEAST_MS, share)
  const samples = new Map(cells.map(cell => [cell, []]))

  const crew = openCrew(Math.max(...counts))
  const breakers = new SharedBreakers(crew.threads)
  try {
    say('warming up')
    for (let round = 0; round < plan.warmRounds; round++) {
      for (const kind of KINDS) {
        const times = { threads: crew.threads, warmMs: plan.firstWarmMs, measureMs: LEAST_MS }
        await runOnce(crew, breakers, kind, times)
      }
    }
    for (let round = 1; round <= plan.rounds; round++) {
      say(`round ${round} of ${plan.rounds}: ${cells.length} runs of ${Math.round(measureMs)} ms`)
      for (const cell of shuffled(cells, random)) {
        const times = { threads: cell.threads, warmMs: plan.warmMs, measureMs }
        samples.get(cell).push(await runOnce(crew, breakers, cell.kind, times))
      }
    }
  } finally {
    await crew.close()
    breakers.close()
  }
  return { panels: [...percentilePanels(samples), outlierPanel(samples)], notes: notesOf(samples) }
}

/** The first thread measures, the others are the load. */
async function runOnce(crew, breakers, { job, state }, times) {
  const breaker = state && (await breakers.find({ keeper: true, state }))
  const single = { module: jobModule('single'), job, input: breaker?.input }
  const load = state ? { ...single, module: jobModule('calls') } : single
  const reports = await crew.run({ ...times, assign: index => (index === 0 ? single : load) })
  const calls = totalOf(reports, report => report.calls)
  const sum = totalOf(reports, report => report.sum)
  if (sum !== calls) throw new Error(`${job}: ${sum} of ${calls} calls came out right`)
  breaker?.check(calls)
  const [{ result, operations, startedNs, endedNs }] = reports
  if (result.total !== operations) throw new Error(`${job}: measured ${result.total} times`)
  return { ...result, elapsedNs: endedNs - startedNs }
}

function percentilePanels(samples) {
  const [empty] = KINDS
  return KINDS.map(kind => ({
    title: `${kind.label}: one at a time, both looks at the clock included`,
    unit: 'ns',
    better: 'lower',
    x: 'threads',
    rows:
      kind === empty
        ? percentileRows(samples, empty, {})
        : [
            ...percentileRows(samples, kind, { floor: `${empty.label}, ` }),
            ...percentileRows(samples, empty, { prefix: `${empty.label}, ` }),
          ],
  }))
}

/** `floor`: what the labels of the floors begin with. */
function percentileRows(samples, kind, { prefix = '', floor }) {
  return [...samples.entries()]
    .filter(([cell]) => cell.kind === kind)
    .flatMap(([{ threads }, runs]) =>
      PERCENTILES.map(([name, key]) => {
        const values = runs.map(result => result[key])
        const beside = floor && { floor: `${floor}${name}` }
        return row(`${prefix}${name}`, values, { x: threads, role: kind.role, ...beside })
      }),
    )
}

function outlierPanel(samples) {
  return {
    title: 'Measurements longer than 100 microseconds, in a second of measuring',
    unit: 'a second',
    better: 'lower',
    x: 'threads',
    scale: 'linear',
    rows: [...samples.entries()].map(([{ kind, threads }, runs]) => {
      const rates = runs.map(({ outliers, elapsedNs }) => (outliers / elapsedNs) * NS_PER_SECOND)
      return row(kind.label, rates, { x: threads, role: kind.role })
    }),
  }
}

function notesOf(samples) {
  const notes = KINDS.map(kind => collectionNote(kind, samples))
  notes.push(
    'Outliers that meet no collection are most likely the time in which the system ran something ' +
      'else on the core (preemption), or compiled code was replaced: a breaker that waits for ' +
      'nobody cannot cause them, and the empty measurement shows them too.',
    `Alone, with ${CORES - 1} and with ${2 * CORES} other threads that do the same without looking ` +
      'at the clock (in the empty measurement: that look at it as well). With more threads than ' +
      'cores the slowest are those during which the thread had to give its core away.',
    'Every run was checked: totals and states of the breakers equal the calls made.',
  )
  return notes
}

function collectionNote(kind, samples) {
  const results = [...samples.entries()]
    .filter(([cell]) => cell.kind === kind)
    .flatMap(([, runs]) => runs)
  const sum = key => results.reduce((total, result) => total + result[key], 0)
  const longest = Math.max(...results.map(result => result.longestNs)) / NS_PER_US
  const collections = sum('collections')
  const pauses = collections === 0 ? '' : `, the longest ${longest.toFixed(0)} microseconds`
  return (
    `${kind.label}: ${sum('total').toLocaleString('en-US')} measured. Garbage collections in the ` +
    `measuring thread meanwhile: ${collections}${pauses}. Longer than 100 microseconds: ` +
    `${sum('outliers')}, of which ${sum('collected')} met a collection.`
  )
}
