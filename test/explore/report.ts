/** What a search or a walk comes to. */
import type { Choice } from './begin.ts'
import { machine } from './machine.ts'

export interface Report {
  readonly scenario: string
  readonly threads: number
  schedules: number
  states: number
  steps: number
  deepest: number
  readonly marks: Map<string, number>
  milliseconds: number
  complete: boolean
}

/** A schedule that breaks a check, to be replayed. */
export class Failure extends Error {
  readonly choices: readonly Choice[]

  constructor(scenario: string, choices: readonly Choice[], cause: unknown) {
    const text = cause instanceof Error ? cause.message : String(cause)
    super(`${scenario}: ${text}\n  --replay ${choices.join(',')}`, { cause })
    this.choices = choices
  }
}

export function resultsOf(): Record<string, unknown> {
  return Object.fromEntries(
    machine.threads.map(thread => [thread.name, thread.done ? thread.result : undefined]),
  )
}
