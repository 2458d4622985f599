/** Where searches and walks begin: fresh memory, and the threads that go first have gone. */
import { journalWords, middleWords } from './background.ts'
import { machine } from './machine.ts'
import type { Setting } from './scenario.ts'
import type { SimThread } from './thread.ts'
import { Violation } from './violation.ts'

/** One decision of the scheduler: let thread n take a step, or kill it. */
export type Choice = `${number}` | `x${number}`

/** The most steps that a thread may take before it is ready. */
const MAX_FIRST = 10_000

/** The choices that were made on the way, every read counted as a step: for replays. */
export function begin(setting: Setting): Choice[] {
  machine.observesCounts = setting.observesCounts ?? false
  machine.middleOfDefinition = middleWords(setting.memory)
  machine.ownedWord = setting.ownedWord ?? (() => false)
  machine.backgroundWord = setting.observesJournal ? () => false : journalWords(setting.memory)
  const reads = machine.reset(setting.memory, setting.threads)
  const choices = reads.flatMap((times, index) => Array<Choice>(times).fill(`${index}`))
  for (const [name, dies] of Object.entries(setting.afterDeathOf ?? {})) {
    machine.threadOf(name).waitsFor = machine.threadOf(dies)
  }
  for (const name of setting.first ?? []) {
    choices.push(...goFirst(machine.threadOf(name)))
  }
  return choices
}

function goFirst(thread: SimThread): Choice[] {
  const choices: Choice[] = []
  while (!thread.ready && !thread.done) {
    if (choices.length > MAX_FIRST) throw new Violation(`${thread.name} is never ready`)
    machine.step(thread)
    choices.push(...stepsOf(thread))
  }
  return choices
}

/** The step just taken, in the steps of a replay. */
export function stepsOf(thread: SimThread): Choice[] {
  return Array<Choice>(machine.taken).fill(`${thread.index}`)
}
