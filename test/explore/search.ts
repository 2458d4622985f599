/** Exhaustive depth-first search over schedules, deaths included, with an optional preemption bound. */
import { machine, type SimThread } from './machine.ts'
import { type Mark, type Scenario, type Setting, Violation } from './scenario.ts'

/** One decision of the scheduler: let thread n take a step, or kill it. */
export type Choice = `${number}` | `x${number}`

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

export interface Limits {
  readonly bound: number
  readonly kills: number
  readonly maxStates: number
}

const ALONE_EVERY = 61
const DETERMINISM_EVERY = 127

export function search(scenario: Scenario, limits: Limits): Report {
  return new Search(scenario, limits).run()
}

class Search {
  readonly #scenario: Scenario
  readonly #setting: Setting
  readonly #limits: Limits
  readonly #visited = new Map<number, number>()
  readonly #choices: Choice[] = []
  readonly #report: Report
  readonly #mark: Mark

  constructor(scenario: Scenario, limits: Limits) {
    this.#scenario = scenario
    this.#limits = limits
    this.#setting = scenario.set()
    machine.ownedWord = this.#setting.ownedWord ?? (() => false)
    machine.reset(this.#setting.memory, this.#setting.threads)
    this.#report = {
      scenario: scenario.name,
      threads: machine.threads.length,
      schedules: 0,
      states: 0,
      steps: 0,
      deepest: 0,
      marks: new Map(scenario.marks.map(mark => [mark, 0])),
      milliseconds: 0,
      complete: true,
    }
    this.#mark = name => {
      const { marks } = this.#report
      marks.set(name, (marks.get(name) ?? 0) + 1)
    }
  }

  run(): Report {
    const report = this.#report
    const start = performance.now()
    const steps = machine.steps
    try {
      this.#explore(undefined, this.#limits.bound, this.#limits.kills)
    } catch (error) {
      machine.current = undefined
      throw new Failure(this.#scenario.name, [...this.#choices], error)
    }
    report.steps = machine.steps - steps
    report.milliseconds = performance.now() - start
    const missed = [...report.marks].filter(([, times]) => times === 0).map(([mark]) => mark)
    if (missed.length > 0 && report.complete) {
      throw new Violation(`${this.#scenario.name}: never reached: ${missed.join(', ')}`)
    }
    return report
  }

  #explore(last: SimThread | undefined, preemptions: number, kills: number): void {
    machine.untouched(() => this.#setting.always?.(this.#mark))
    if (!this.#isNew(last, preemptions, kills)) return
    const enabled = machine.enabled()
    if (enabled.length === 0) {
      this.#end()
      return
    }
    const mustStay = preemptions === 0 && last !== undefined && enabled.includes(last)
    for (const thread of enabled) {
      const switches = last !== undefined && thread !== last && enabled.includes(last)
      if (mustStay && switches) continue
      this.#take(thread, switches ? preemptions - 1 : preemptions, kills)
    }
    if (kills === 0) return
    for (const thread of enabled) {
      if (this.#scenario.mortal?.includes(thread.name) ?? true) {
        this.#kill(thread, last, preemptions, kills - 1)
      }
    }
  }

  #take(thread: SimThread, preemptions: number, kills: number): void {
    this.#choices.push(`${thread.index}`)
    const undo = machine.step(thread)
    this.#explore(thread, preemptions, kills)
    machine.takeBack(undo)
    this.#choices.pop()
  }

  #kill(thread: SimThread, last: SimThread | undefined, preemptions: number, kills: number): void {
    this.#choices.push(`x${thread.index}`)
    thread.alive = false
    this.#explore(last === thread ? undefined : last, preemptions, kills)
    thread.alive = true
    this.#choices.pop()
  }

  /** False when this state was met before with as many preemptions left. */
  #isNew(last: SimThread | undefined, preemptions: number, kills: number): boolean {
    const bounded = this.#limits.bound !== Number.POSITIVE_INFINITY
    const key = machine.key(kills * 64 + (bounded && last !== undefined ? last.index + 1 : 0))
    const before = this.#visited.get(key)
    if (before !== undefined && before >= preemptions) return false
    this.#visited.set(key, preemptions)
    const report = this.#report
    if (before === undefined) report.states++
    report.deepest = Math.max(report.deepest, this.#choices.length)
    if (report.states > this.#limits.maxStates) {
      report.complete = false
      return false
    }
    if (report.states % ALONE_EVERY === 0)
      for (const thread of machine.enabled()) this.#alone(thread)
    if (report.states % DETERMINISM_EVERY === 0) {
      for (const thread of machine.threads) if (thread.alive) machine.requireDeterminism(thread)
    }
    return true
  }

  /** Obstruction freedom: with all others stopped for ever, the thread ends in so many steps. */
  #alone(thread: SimThread): void {
    const undos = []
    while (!thread.done) {
      if (undos.length > this.#scenario.alone) {
        throw new Violation(`${thread.name} alone did not end within ${undos.length} steps`)
      }
      undos.push(machine.step(thread))
    }
    for (const undo of undos.reverse()) machine.takeBack(undo)
  }

  #end(): void {
    this.#report.schedules++
    machine.untouched(() => this.#setting.finally?.(resultsOf(), this.#mark))
  }
}

export function resultsOf(): Record<string, unknown> {
  return Object.fromEntries(
    machine.threads.map(thread => [thread.name, thread.done ? thread.result : undefined]),
  )
}
