/** What a scenario says: a region, threads, and what must hold always, at the end, and sometimes. */
import type { Memory } from '../../src/memory/atomics.ts'
import { Violation } from './violation.ts'

export interface Setting {
  readonly memory: Memory
  /** The threads' bodies by name, re-run from the start for every step: no state outside them. */
  readonly threads: Record<string, () => unknown>
  /** Threads that go first, alone and one after the other, until each calls `ready`. */
  readonly first?: readonly string[]
  /** Threads that start when another, which is named, has died. */
  readonly afterDeathOf?: Record<string, string>
  /** Words that one thread alone may write. */
  readonly ownedWord?: (word: number) => boolean
  /** Whether the journal is looked at: else what is done to it belongs to the step before. */
  readonly observesJournal?: boolean
  /** Whether somebody decides by counters for people: else counting belongs to the step before. */
  readonly observesCounts?: boolean
  /** Checked after every step: throws, or marks what it sees. What checks write is taken back. */
  readonly always?: (mark: Mark) => void
  /** Checked when no thread can go on; results of threads that were killed are undefined. */
  readonly finally?: (results: Record<string, unknown>, mark: Mark) => void
}

/** Notes that an interesting state was reached. */
export type Mark = (name: string) => void

export interface Scenario {
  readonly name: string
  readonly about: string
  /** How many threads may be killed, each at any step. */
  readonly kills: number
  /** The threads that can be killed; all unless said. */
  readonly mortal?: readonly string[]
  /** Preemptions allowed in CI; undefined: every schedule. */
  readonly bound?: number
  /** More threads than can be searched: so many random schedules. */
  readonly walks?: number
  /** Marks that must be reached. */
  readonly marks: readonly string[]
  /** The most operations that any thread needs to finish alone. */
  readonly alone: number
  set(): Setting
}

export function check(holds: boolean, text: string): void {
  if (!holds) throw new Violation(text)
}
