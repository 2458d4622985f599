/**
 * Random schedules for scenarios that are too large to search: a uniform walk and PCT (Burckhardt
 * and others, 2010: random priorities, lowered at d random steps) in turn. Every walk's seed is
 * printed with a failure.
 */
import { begin, type Choice } from './begin.ts'
import { machine } from './machine.ts'
import { Failure, type Report, resultsOf } from './report.ts'
import type { Scenario } from './scenario.ts'
import type { SimThread } from './thread.ts'
import { Violation } from './violation.ts'

const CHANGES = 3
const LENGTH = 200

function randomFrom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

type Pick = (enabled: SimThread[], step: number) => SimThread

function uniform(random: () => number): Pick {
  return enabled => enabled[Math.floor(random() * enabled.length)] as SimThread
}

function byPriority(random: () => number): Pick {
  const priorities = machine.threads.map(() => 1 + random())
  const changes = Array.from({ length: CHANGES }, () => Math.floor(random() * LENGTH))
  return (enabled, step) => {
    const first = enabled.reduce((a, b) =>
      (priorities[a.index] ?? 0) > (priorities[b.index] ?? 0) ? a : b,
    )
    if (changes.includes(step)) priorities[first.index] = random()
    return first
  }
}

export function randomWalks(scenario: Scenario, walks: number, seed: number): Report {
  const start = performance.now()
  const marks = new Map<string, number>(scenario.marks.map(mark => [mark, 0]))
  const mark = (name: string): void => {
    marks.set(name, (marks.get(name) ?? 0) + 1)
  }
  const steps = machine.steps
  let deepest = 0
  for (let walk = 0; walk < walks; walk++) {
    const choices = oneWalk(scenario, seed + walk, walk % 2 === 0 ? uniform : byPriority, mark)
    deepest = Math.max(deepest, choices.length)
  }
  const missed = [...marks].filter(([, times]) => times === 0).map(([name]) => name)
  if (missed.length > 0) {
    throw new Violation(`${scenario.name}: never reached from seed ${seed}: ${missed.join(', ')}`)
  }
  return {
    scenario: scenario.name,
    threads: machine.threads.length,
    schedules: walks,
    states: 0,
    steps: machine.steps - steps,
    deepest,
    marks,
    milliseconds: performance.now() - start,
    complete: true,
  }
}

function oneWalk(
  scenario: Scenario,
  seed: number,
  strategy: (random: () => number) => Pick,
  mark: (name: string) => void,
): Choice[] {
  const random = randomFrom(seed)
  const setting = scenario.set()
  const pick = strategy(random)
  const choices: Choice[] = begin(setting)
  let kills = scenario.kills
  try {
    for (let enabled = machine.enabled(); enabled.length > 0; enabled = machine.enabled()) {
      const thread = pick(enabled, choices.length)
      const isMortal = scenario.mortal?.includes(thread.name) ?? true
      if (kills > 0 && isMortal && random() < 0.02) {
        kills--
        machine.kill(thread)
        choices.push(`x${thread.index}`)
      } else {
        choices.push(`${thread.index}`)
        machine.step(thread)
      }
      machine.untouched(() => setting.always?.(mark))
    }
    machine.untouched(() => setting.finally?.(resultsOf(), mark))
  } catch (error) {
    machine.current = undefined
    throw new Failure(`${scenario.name} (walk of seed ${seed})`, choices, error)
  }
  return choices
}
