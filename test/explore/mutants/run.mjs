/** `npm run mutants [name ...]`: shows for each planted fault which scenario catches it. */
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { buildExplorer } from '../bundle.mjs'
import { ageMutants } from './ages.mjs'
import { budgetMutants } from './budget.mjs'
import { bulkheadMutants } from './bulkhead.mjs'
import { hostMutants } from './hosts.mjs'
import { journalMutants } from './journal.mjs'
import { makingMutants } from './making.mjs'
import { removalMutants } from './removal.mjs'
import { stateMutants } from './state.mjs'
import { stockMutants } from './stock.mjs'
import { threadMutants } from './threads.mjs'
import { throttleMutants } from './throttle.mjs'
import { windowMutants } from './windows.mjs'

const mutants = [
  ...stateMutants,
  ...windowMutants,
  ...ageMutants,
  ...stockMutants,
  ...threadMutants,
  ...makingMutants,
  ...removalMutants,
  ...journalMutants,
  ...hostMutants,
  ...throttleMutants,
  ...budgetMutants,
  ...bulkheadMutants,
]
const named = process.argv.slice(2)
const chosen = mutants.filter(({ name }) => named.length === 0 || named.includes(name))

function explore(file, scenario) {
  return new Promise(resolve => {
    const args = ['--stack-size=4000', file, scenario, '--quiet', '--max-states', '1500000']
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.on('data', chunk => {
      output += chunk
    })
    child.on('exit', code => resolve({ code, output }))
  })
}

/** The first of the mutant's scenarios in which a check fails, and how. Other errors do not count. */
async function tryMutant(mutant) {
  const { file, remove } = await buildExplorer(mutant)
  try {
    for (const scenario of mutant.scenarios) {
      const { code, output } = await explore(file, scenario)
      if (code === 1 && output.startsWith(`${scenario}: FAILED`)) {
        return { scenario, how: output.split('\n')[1]?.replace(`${scenario}: `, '') ?? '' }
      }
    }
    return undefined
  } finally {
    remove()
  }
}

const queue = [...chosen]
let missed = 0

async function work() {
  for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
    const caught = await tryMutant(mutant)
    if (caught === undefined) missed++
    const verdict = caught === undefined ? 'NOT CAUGHT' : `caught by ${caught.scenario}`
    console.log(`${mutant.name.padEnd(24)}${verdict.padEnd(28)}${caught?.how ?? mutant.about}`)
  }
}

await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work))
console.log(`${chosen.length - missed} of ${chosen.length} planted faults caught`)
process.exitCode = missed > 0 ? 1 : 0
