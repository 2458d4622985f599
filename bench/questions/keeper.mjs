/** What does the keeper cost: its start, its memory, its time at work and asleep? */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { cpuShares } from '../lib/keeper-share.mjs'
import { median, row, shuffled } from '../lib/result.mjs'

export const title = 'What does the keeper cost?'

const FULL = { rounds: 15, share: { rounds: 5, workMs: 2_000, restMs: 3_000 } }
const QUICK = { rounds: 3, share: { rounds: 1, workMs: 300, restMs: 300 } }
const JOB = fileURLToPath(new URL('../jobs/keeper-start.mjs', import.meta.url))
const BREAKERS = 10

const run = promisify(execFile)

async function starts(rounds, say, random) {
  const found = { on: [], off: [] }
  for (let round = 1; round <= rounds; round++) {
    say(`start ${round} of ${rounds}`)
    for (const which of shuffled(['on', 'off'], random)) {
      const { stdout } = await run(process.execPath, [JOB, which])
      found[which].push(JSON.parse(stdout))
    }
  }
  return found
}

function startPanel({ on, off }) {
  return {
    title: 'Its start',
    unit: 'ms',
    better: 'lower',
    rows: [
      row(
        'createRegistry() without a keeper',
        off.map(({ makingMs }) => makingMs),
        { role: 'floor' },
      ),
      row(
        'createRegistry() with one',
        on.map(({ makingMs }) => makingMs),
        { role: 'busbar' },
      ),
      row(
        'until it ticks',
        on.map(({ tickingMs }) => tickingMs),
        { role: 'busbar' },
      ),
    ],
  }
}

function memoryPanel({ on, off }) {
  const without = median(off.map(({ residentBytes }) => residentBytes))
  return {
    title: 'Its memory: what a process with one has resident beyond one without',
    unit: 'bytes',
    better: 'lower',
    rows: [
      row(
        'a keeper',
        on.map(({ residentBytes }) => residentBytes - without),
        { role: 'busbar' },
      ),
    ],
  }
}

async function sharePanel(plan, say) {
  const rows = []
  for (const keeper of [true, false]) {
    say(`its share of a core: ${keeper ? 'on' : 'off'}`)
    const { atWork, atRest } = await cpuShares({ ...plan, keeper, breakers: BREAKERS })
    const who = keeper ? 'a keeper' : 'no keeper'
    const role = keeper ? 'busbar' : 'floor'
    rows.push(row(`${who}, a few calls`, atWork, { role, floor: 'no keeper, a few calls' }))
    rows.push(row(`${who}, no calls`, atRest, { role, floor: 'no keeper, no calls' }))
  }
  return { title: 'Its share of a core', unit: '%', better: 'lower', scale: 'linear', rows }
}

export async function ask({ quick, say, random }) {
  const plan = quick ? QUICK : FULL
  const found = await starts(plan.rounds, say, random)
  return {
    panels: [startPanel(found), memoryPanel(found), await sharePanel(plan.share, say)],
    notes: [
      'Each start is a process of its own. The main thread goes on while the keeper starts.',
      'The share: CPU time of the whole process, whose main thread makes two calls every 2 ms, which ' +
        `keep the keeper awake, or none, and it sleeps. ${BREAKERS} breakers; questions/scale.mjs ` +
        'has more.',
    ],
  }
}
