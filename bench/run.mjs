/**
 * npm run bench [-- --quick] [--only refuse,permit] [--seed n] [--out dir]
 *
 * Asks the questions of bench/questions/ one after the other, each in a process of its own, so that
 * no question's compiled code or garbage disturbs the next. Prints a table for each panel; writes
 * latest.json and latest.html. Ten minutes at most on two cores, one with --quick.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { askQuestion } from './lib/ask.mjs'
import { RESULT_KIND, RESULT_VERSION } from './lib/check.mjs'
import { readLoad, readMachine } from './lib/machine.mjs'
import { answerText } from './lib/text.mjs'
import { renderPage } from './report/render.mjs'

const QUESTIONS = [
  'refuse',
  'permit',
  'windows',
  'execute',
  'contention',
  'latency',
  'peers',
  'pipeline',
  'throttle',
  'bulkhead',
  'hosts',
  'keyed',
  'native',
  'detect',
  'sum',
  'scale',
  'keeper',
  'coherence',
]
const RESULTS = fileURLToPath(new URL('results', import.meta.url))
/** Above this the cores have other things to do, and it shows. */
const BUSY_LOAD_A_CORE = 0.25
const MAX_SEED = 2 ** 31
const MS_A_MINUTE = 60_000
const USAGE = 'usage: npm run bench [-- --quick] [--only name,name] [--seed n] [--out directory]'

function readArguments() {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      seed: { type: 'string' },
      out: { type: 'string', default: RESULTS },
    },
  })
  const names = values.only?.split(',').map(name => name.trim()) ?? QUESTIONS
  const unknown = names.filter(name => !QUESTIONS.includes(name))
  if (unknown.length > 0) {
    throw new TypeError(`no question "${unknown.join('", "')}"; there are ${QUESTIONS.join(', ')}`)
  }
  const seed = Number(values.seed ?? Math.floor(Math.random() * MAX_SEED))
  if (!Number.isSafeInteger(seed)) throw new TypeError(`--seed ${values.seed} is no whole number`)
  const ordered = QUESTIONS.filter(name => names.includes(name))
  return { quick: values.quick, out: values.out, seed, names: ordered }
}

async function askAll(plan) {
  const answers = {}
  const faults = {}
  const seconds = {}
  for (const [index, name] of plan.names.entries()) {
    console.error(`[${index + 1}/${plan.names.length}] ${name}`)
    const startedAt = performance.now()
    const { answer, fault } = await askQuestion(name, plan)
    seconds[name] = Math.round((performance.now() - startedAt) / 100) / 10
    if (answer !== undefined) {
      answers[name] = answer
      console.log(answerText(answer))
    }
    if (fault !== undefined) {
      faults[name] = fault
      console.log(`${name} FAILED: ${fault}\n`)
    }
    console.error(`  ${name}: ${seconds[name]} s`)
  }
  return { answers, faults, seconds }
}

async function run(plan) {
  const machine = readMachine()
  const loadBefore = readLoad()
  const startedAt = new Date().toISOString()
  const start = performance.now()
  if (loadBefore[0] > BUSY_LOAD_A_CORE * machine.cores) {
    console.error(`This machine is at work (load ${loadBefore[0]}): the figures will be noisy.`)
  }
  const { answers, faults, seconds } = await askAll(plan)
  const flags = process.argv.slice(2)
  const result = {
    kind: RESULT_KIND,
    version: RESULT_VERSION,
    startedAt,
    command: ['npm run bench', ...(flags.length > 0 ? ['--', ...flags] : [])].join(' '),
    seed: plan.seed,
    quick: plan.quick,
    machine,
    load: { before: loadBefore, after: readLoad() },
    minutes: Math.round(((performance.now() - start) / MS_A_MINUTE) * 100) / 100,
    seconds,
    faults,
    answers,
  }
  await mkdir(plan.out, { recursive: true })
  await writeFile(`${plan.out}/latest.json`, `${JSON.stringify(result, undefined, 1)}\n`)
  await writeFile(`${plan.out}/latest.html`, renderPage(result))
  console.error(`seed ${plan.seed}, ${result.minutes} minutes, written to ${plan.out}/latest.*`)
  if (Object.keys(faults).length > 0) process.exitCode = 1
}

let plan
try {
  plan = readArguments()
} catch (error) {
  console.error(`${error.message}\n${USAGE}`)
  process.exit(2)
}
await run(plan)
