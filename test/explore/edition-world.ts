/** One breaker of which threads replace the options. */
import { load64 } from '#atomics'
import { isOfEdition } from '../../src/memory/words/state.ts'
import { editionOfEntry } from '../../src/memory/words/threads.ts'
import type { SharedOptions } from '../../src/options/types.ts'
import type { Core } from '../../src/protocol/breaker.ts'
import { checkState } from './build.ts'
import { machine, ready } from './machine.ts'
import { checkDirectory, Holder, maker, onlooker, type Records, records } from './removal-world.ts'
import { check } from './scenario.ts'

export const COUNT: SharedOptions = {
  slidingWindow: { type: 'count', size: 3 },
  failureRateThreshold: 1,
  minimumNumberOfCalls: 3,
  waitDurationInOpenStateMs: 100,
}

/** Opens at the second failure instead of the third. */
export const SOONER: SharedOptions = { ...COUNT, minimumNumberOfCalls: 2 }
export const LATER: SharedOptions = {
  ...COUNT,
  minimumNumberOfCalls: 3,
  waitDurationInOpenStateMs: 200,
}

export interface Configured {
  readonly of: Records
  /** The breaker as it was made; its STATE word is of its edition. */
  readonly core: Core
}

export function configured(options = COUNT): Configured {
  const of = records(2, 1)
  const core = maker(of).make('b', options)
  core.current()
  return { of, core }
}

export function entryEdition({ core }: Configured): number {
  return editionOfEntry(load64(core.cell.memory, core.cell.entryLong))
}

export function stateWord({ core }: Configured): number {
  return core.cell.memory[core.cell.state] as number
}

/** A thread that has met the breaker and gives it other options. */
export function configures(
  made: Configured,
  thread: number,
  options: SharedOptions,
): () => boolean {
  return () => {
    const holder = new Holder(made.of, thread)
    const core = holder.make('b', COUNT)
    core.current()
    ready()
    return holder.configure(core, options)
  }
}

/** Afterwards: whoever looks next sees to it that all go by the options that are in force. */
export function checkEdition(made: Configured): Core {
  const core = onlooker(made.of).make('b', COUNT)
  core.current()
  const edition = entryEdition(made)
  check(isOfEdition(stateWord(made), edition), 'STATE is of another edition than the entry')
  check(editionOfEntry(core.cell.entry) === edition, 'the options are not those in force')
  checkState(made.core.cell)
  checkDirectory(made.of)
  return core
}

export function someDied(): boolean {
  return machine.threads.some(({ alive }) => !alive)
}
