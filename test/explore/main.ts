/**
 * `npm run explore [scenario ...] [--bound n] [--kills n] [--random n] [--seed n] [--replay list]
 *   [--max-states n] [--every-step] [--quiet]`
 *
 * Without arguments: every scenario as CI runs it, on all cores, one line each as they end. Exit
 * code 1 when one does not hold.
 */
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { isMainThread, Worker, workerData } from 'node:worker_threads'
import type { Choice } from './begin.ts'
import { randomWalks } from './random.ts'
import { explain, replay } from './replay.ts'
import { Failure, type Report } from './report.ts'
import type { Scenario } from './scenario.ts'
import * as ages from './scenarios/ages.ts'
import * as budget from './scenarios/budget.ts'
import * as bulkhead from './scenarios/bulkhead.ts'
import * as bulkheadQueue from './scenarios/bulkhead-queue.ts'
import * as crowds from './scenarios/crowds.ts'
import * as deaths from './scenarios/deaths.ts'
import * as definitions from './scenarios/definitions.ts'
import * as editionOutcomes from './scenarios/edition-outcomes.ts'
import * as editions from './scenarios/editions.ts'
import * as holders from './scenarios/holders.ts'
import * as hosts from './scenarios/hosts.ts'
import * as journal from './scenarios/journal.ts'
import * as keeper from './scenarios/keeper.ts'
import * as lateTrials from './scenarios/late-trials.ts'
import * as leases from './scenarios/leases.ts'
import * as making from './scenarios/making.ts'
import * as minimum from './scenarios/minimum.ts'
import * as removal from './scenarios/removal.ts'
import * as rings from './scenarios/rings.ts'
import * as sparing from './scenarios/sparing.ts'
import * as state from './scenarios/state.ts'
import * as sums from './scenarios/sums.ts'
import * as threads from './scenarios/threads.ts'
import * as throttle from './scenarios/throttle.ts'
import * as trials from './scenarios/trials.ts'
import * as windows from './scenarios/windows.ts'
import { search } from './search.ts'
import { Violation } from './violation.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    bound: { type: 'string' },
    kills: { type: 'string' },
    random: { type: 'string' },
    seed: { type: 'string' },
    replay: { type: 'string' },
    'max-states': { type: 'string' },
    'every-step': { type: 'boolean' },
    quiet: { type: 'boolean' },
  },
})

const all = [
  state,
  trials,
  lateTrials,
  leases,
  hosts,
  journal,
  keeper,
  windows,
  minimum,
  rings,
  sparing,
  sums,
  ages,
  threads,
  making,
  definitions,
  removal,
  holders,
  editions,
  editionOutcomes,
  deaths,
  crowds,
  throttle,
  budget,
  bulkhead,
  bulkheadQueue,
].flatMap(group =>
  Object.values(group).filter((value): value is Scenario => typeof value === 'object'),
)
const unknown = positionals.filter(name => !all.some(scenario => scenario.name === name))
if (unknown.length > 0) {
  const names = all.map(({ name }) => name).join(', ')
  console.error(`no scenario ${unknown.join(', ')}; there are: ${names}`)
  process.exit(2)
}
/** What the threads of a run share. */
interface Run {
  readonly seed: number
  /** Which scenario is next, and how many hold so far. */
  readonly counts: Int32Array
}
const [NEXT, HELD] = [0, 1]
/** Of each thread: searches call themselves at each step. */
const STACK_MB = 16

const { seed, counts }: Run = isMainThread
  ? {
      seed: number(values.seed, Date.now() % 2 ** 31),
      counts: new Int32Array(new SharedArrayBuffer(8)),
    }
  : workerData
const chosen = all.filter(({ name }) => positionals.length === 0 || positionals.includes(name))

function number(text: string | undefined, fallback: number): number {
  return text === undefined ? fallback : Number(text)
}

function boundText(bound: number): string {
  return bound === Number.POSITIVE_INFINITY ? 'all' : String(bound)
}

function line(report: Report, bound: string): string {
  const marks = [...report.marks].map(([mark, times]) => `${mark} ${times}`).join(', ')
  return [
    report.scenario.padEnd(16),
    String(report.threads).padStart(2),
    bound.padStart(6),
    String(report.deepest).padStart(6),
    String(report.steps).padStart(10),
    String(report.schedules).padStart(10),
    String(report.states).padStart(9),
    `${(report.milliseconds / 1000).toFixed(1)} s`.padStart(8),
    `  ${marks}${report.complete ? '' : '  NOT COMPLETE'}`,
  ].join(' ')
}

function run(scenario: Scenario): boolean {
  const bound = number(values.bound, scenario.bound ?? Number.POSITIVE_INFINITY)
  const limits = {
    bound,
    kills: number(values.kills, scenario.kills),
    maxStates: number(values['max-states'], 4_000_000),
    everyStep: values['every-step'] ?? false,
  }
  const walks = number(values.random, scenario.walks ?? 0)
  try {
    const report = walks > 0 ? randomWalks(scenario, walks, seed) : search(scenario, limits)
    if (!values.quiet) console.log(line(report, walks > 0 ? 'random' : boundText(bound)))
    return report.complete
  } catch (error) {
    const cause = error instanceof Failure ? error.cause : error
    // Anything else than a check that does not hold is a fault of the explorer, or of a mutant.
    const verdict = cause instanceof Violation ? 'FAILED' : 'BROKEN'
    console.log(`${scenario.name}: ${verdict}\n${error instanceof Error ? error.message : error}`)
    if (error instanceof Failure && !values.quiet) console.log(explain(scenario, error.choices))
    return false
  }
}

function runWhatIsLeft(): void {
  for (;;) {
    const scenario = chosen[Atomics.add(counts, NEXT, 1)]
    if (scenario === undefined) return
    if (run(scenario)) Atomics.add(counts, HELD, 1)
  }
}

async function runInThreads(threads: number): Promise<void> {
  const options = {
    workerData: { seed, counts } satisfies Run,
    argv: process.argv.slice(2),
    resourceLimits: { stackSizeMb: STACK_MB },
  }
  const file = fileURLToPath(import.meta.url)
  const ends = Array.from({ length: threads }, () => once(new Worker(file, options), 'exit'))
  await Promise.all(ends)
}

if (values.replay !== undefined) {
  const [scenario] = chosen
  if (scenario !== undefined) console.log(replay(scenario, values.replay.split(',') as Choice[]))
} else if (!isMainThread) {
  runWhatIsLeft()
} else {
  if (!values.quiet) {
    console.log(`random schedules from --seed ${seed}`)
    console.log(
      'scenario    threads  bound  depth      steps  schedules    states     time   marks reached',
    )
  }
  const threads = Math.min(chosen.length, availableParallelism())
  if (threads > 1) await runInThreads(threads)
  else runWhatIsLeft()
  const held = Atomics.load(counts, HELD)
  process.exitCode = held < chosen.length ? 1 : 0
  if (!values.quiet) console.log(`${held} of ${chosen.length} scenarios hold`)
}
