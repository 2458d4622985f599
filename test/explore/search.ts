/** Exhaustive depth-first search over schedules, deaths included, with an optional preemption bound. */
import { begin, type Choice, stepsOf } from './begin.ts'
import { OUTDATED, Writers } from './conflicts.ts'
import { machine } from './machine.ts'
import { Failure, type Report, resultsOf } from './report.ts'
import type { Mark, Scenario, Setting } from './scenario.ts'
import type { SimThread, Undo } from './thread.ts'
import { Violation } from './violation.ts'

export interface Limits {
  readonly bound: number
  readonly kills: number
  readonly maxStates: number
  /** Every read is a step of its own: to see that conflicts.ts leaves nothing out. */
  readonly everyStep: boolean
}

const ALONE_EVERY = 61
const DETERMINISM_EVERY = 127

/** A short search that comes first: most of what the threads write is met there. */
const FIRST = { bound: 1, maxStates: 20_000 }

/** Searches, and begins anew while it turns out that a read was no private one: conflicts.ts. */
export function search(scenario: Scenario, limits: Limits): Report {
  const start = performance.now()
  const writers = limits.everyStep ? undefined : new Writers(scenario.set().memory.length)
  machine.writers = writers
  try {
    if (writers !== undefined && FIRST.bound < limits.bound) {
      untilNoNews(scenario, { ...limits, ...FIRST }, writers)
    }
    const report = untilNoNews(scenario, limits, writers)
    requireMarks(report)
    return { ...report, milliseconds: performance.now() - start }
  } finally {
    machine.writers = undefined
  }
}

function untilNoNews(scenario: Scenario, limits: Limits, writers?: Writers): Report {
  for (;;) {
    const report = new Search(scenario, limits, writers).run()
    if (report !== undefined) return report
  }
}

function requireMarks({ scenario, marks, complete }: Report): void {
  const missed = [...marks].filter(([, times]) => times === 0).map(([mark]) => mark)
  if (missed.length > 0 && complete) {
    throw new Violation(`${scenario}: never reached: ${missed.join(', ')}`)
  }
}

class Search {
  readonly #scenario: Scenario
  readonly #setting: Setting
  readonly #limits: Limits
  readonly #visited = new Map<number, number>()
  readonly #writers: Writers | undefined
  /** What brought us here, each step with the reads that went along: as a replay takes them. */
  readonly #choices: Choice[][] = []
  readonly #report: Report
  readonly #mark: Mark

  constructor(scenario: Scenario, limits: Limits, writers: Writers | undefined) {
    this.#scenario = scenario
    this.#limits = limits
    this.#writers = writers
    this.#setting = scenario.set()
    if (writers !== undefined) writers.news = false
    this.#choices.push(begin(this.#setting))
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

  /** Undefined when it has to begin anew. */
  run(): Report | undefined {
    if (this.#writers?.news) return undefined
    const report = this.#report
    const steps = machine.steps
    try {
      this.#explore(undefined, this.#limits.bound, this.#limits.kills)
    } catch (error) {
      if (error === OUTDATED) return undefined
      machine.current = undefined
      throw new Failure(this.#scenario.name, this.#choices.flat(), error)
    }
    report.steps = machine.steps - steps
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
    const undo = this.#step(thread)
    this.#explore(thread, preemptions, kills)
    machine.takeBack(undo)
    this.#choices.pop()
  }

  #step(thread: SimThread): Undo {
    let undo: Undo
    try {
      undo = machine.step(thread)
    } finally {
      this.#choices.push(stepsOf(thread))
    }
    if (this.#writers?.news) throw OUTDATED
    return undo
  }

  #kill(thread: SimThread, last: SimThread | undefined, preemptions: number, kills: number): void {
    this.#choices.push([`x${thread.index}`])
    const revive = machine.kill(thread)
    this.#explore(last === thread ? undefined : last, preemptions, kills)
    revive()
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
    report.deepest = Math.max(report.deepest, this.#choices.length - 1)
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
      if (this.#writers?.news) throw OUTDATED
    }
    for (const undo of undos.reverse()) machine.takeBack(undo)
  }

  #end(): void {
    this.#report.schedules++
    machine.untouched(() => this.#setting.finally?.(resultsOf(), this.#mark))
  }
}
