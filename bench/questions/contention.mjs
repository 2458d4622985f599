/**
 * Every design does its operation in 1, 2, ... threads at once, as often as it can for the same
 * time. More threads than cores is how a busy server looks: then a thread also waits for a core.
 */
import { Crews } from '../lib/crews.mjs'
import { bare, busbar, FLOORS } from '../lib/designs.mjs'
import { row, shuffled } from '../lib/result.mjs'
import { CORES, fairnessOf, nanosecondsOf, threadCounts, throughputOf } from '../lib/threads.mjs'

export const title = 'What happens when many threads count, settle and refuse at once?'

const FULL = { rounds: 5, totalMs: 26_000, warmRounds: 3, firstWarmMs: 60, warmMs: 15 }
const QUICK = { rounds: 2, totalMs: 1_200, warmRounds: 1, firstWarmMs: 30, warmMs: 4 }
const LEAST_MS = 10
const MOST_MS = 250

/** Counting without sharing anything: as cheap as it gets. */
const COUNTING_FLOOR = 'a counter each, 128 bytes apart'
const COUNTING = { looks: 0, adds: true }
const SKETCH = { ...COUNTING, floor: COUNTING_FLOOR }
const DESIGNS = [
  bare('one shared counter, add', 'sketch', SKETCH),
  bare('one shared counter, compare and exchange', 'sketch', SKETCH),
  bare('two counters on one line', 'sketch', SKETCH),
  bare('a counter each, packed', 'sketch', SKETCH),
  bare(COUNTING_FLOOR, 'floor', COUNTING),
  ...FLOORS,
  busbar('permit + success'),
  busbar('permit + success', { keeper: false }),
  busbar('permit + success', { window: 'count' }),
  busbar('refusal'),
  busbar('refusal', { keeper: false }),
]

/** @typedef {{ throughput: number, nanoseconds: number, fairness: number }} Sample */

export async function ask({ quick, say, random }) {
  const plan = quick ? QUICK : FULL
  const counts = threadCounts()
  const cells = DESIGNS.flatMap(design => counts.map(threads => ({ design, threads })))
  const share = plan.totalMs / (plan.rounds * cells.length) - plan.warmMs
  const measureMs = Math.min(MOST_MS, Math.max(LEAST_MS, share))
  /** @type {Map<object, Sample[]>} */
  const samples = new Map(cells.map(cell => [cell, []]))

  const crews = new Crews(Math.max(...counts))
  try {
    say('warming up all threads with all designs')
    await warmUp(crews, Math.max(...counts), plan)
    for (let round = 1; round <= plan.rounds; round++) {
      say(`round ${round} of ${plan.rounds}: ${cells.length} runs of ${Math.round(measureMs)} ms`)
      for (const cell of shuffled(cells, random)) {
        const times = { threads: cell.threads, warmMs: plan.warmMs, measureMs }
        samples.get(cell).push(sampleOf(await crews.run(cell.design, times)))
      }
    }
  } finally {
    await crews.close()
  }
  return { panels: panelsOf(samples), notes: notesOf() }
}

/** Several runs of each, for V8 takes some of its code back when a job begins anew. */
async function warmUp(crews, threads, { warmRounds, firstWarmMs }) {
  for (let round = 0; round < warmRounds; round++) {
    for (const design of DESIGNS) {
      await crews.run(design, { threads, warmMs: firstWarmMs, measureMs: LEAST_MS })
    }
  }
}

function sampleOf(reports) {
  return {
    throughput: throughputOf(reports),
    nanoseconds: nanosecondsOf(reports),
    fairness: fairnessOf(reports),
  }
}

function panelsOf(samples) {
  const rows = (of, isShown = () => true) =>
    [...samples.entries()]
      .filter(([{ threads }]) => isShown(threads))
      .map(([{ design, threads }, runs]) => rowOf(design, threads, runs.map(of)))
  const x = 'threads'
  const panels = [
    {
      title: 'All threads together',
      unit: 'operations/s',
      better: 'higher',
      x,
      rows: rows(sample => sample.throughput),
    },
    {
      title: "One thread's time for an operation of its own",
      unit: 'ns',
      better: 'lower',
      x,
      rows: rows(sample => sample.nanoseconds),
    },
  ]
  panels.push(fairnessPanel(rows))
  // One core cannot scale.
  if (CORES > 1) panels.push(scalingPanel(samples))
  return panels
}

function rowOf({ label, role, floor }, threads, runs) {
  return row(label, runs, { x: threads, role, ...(floor && { floor }) })
}

function fairnessPanel(rows) {
  return {
    title: "Fairness: the slowest thread's operations for each of the fastest's",
    unit: 'of the fastest',
    better: 'higher',
    x: 'threads',
    scale: 'linear',
    rows: rows(
      sample => sample.fairness,
      threads => threads > 1,
    ),
  }
}

/** Each round's throughput by N threads beside the same round's by one. */
function scalingPanel(samples) {
  const cells = [...samples.entries()]
  const alone = new Map()
  for (const [{ design, threads }, runs] of cells) if (threads === 1) alone.set(design, runs)
  const rows = cells
    .filter(([{ threads }]) => threads > 1 && threads <= CORES)
    .map(([{ design, threads }, runs]) => {
      const ratios = runs.map(
        (sample, round) => sample.throughput / (threads * alone.get(design)[round].throughput),
      )
      return rowOf(design, threads, ratios)
    })
  return {
    title: 'Scaling: throughput for each thread, as a part of what one thread does alone',
    unit: 'of one thread',
    better: 'higher',
    x: 'threads',
    scale: 'linear',
    rows,
  }
}

function notesOf() {
  const notes = [
    'Every run was checked: counters equal the operations that the threads report, and totals and ' +
      'states of the breakers equal the calls made.',
    `With more threads than cores (${CORES} here), a thread's time for an operation contains its ` +
      'waiting for a core, and fairness is that of the system, for runs this short.',
    'With as many threads as cores, the keeper and the rest of the system take their time from the ' +
      'threads that are measured.',
    'Packed counters are 4 bytes each, so 16 of them fill a line.',
  ]
  if (CORES === 1) notes.push('One core: no two threads ever run at once, so nothing contends.')
  return notes
}
