import { FORGERIES, type History, type Step, settle } from './histories.ts'
import { ReferenceBreaker } from './reference.ts'
import { type Look, type OutcomeKind, type Permit, REFUSED } from './reference-types.ts'

/** One call on busbar, as data, so that it can travel to a worker thread. */
export type Call =
  | ['tryAcquire']
  | ['recordSuccess' | 'recordFailure', number, number | undefined]
  | ['release', number]
  | ['open' | 'disable' | 'metricsOnly' | 'reset']
  | ['forceOpen', { ttlMs: number } | undefined]
  | ['advance', number]

/** A breaker under test, and the threads that can reach it. */
export interface Subject {
  call(thread: number, call: Call): unknown
  look(thread: number): Look
}

export interface Difference {
  step: number
  differences: string[]
  /** What the history touched up to there, for the count of what was covered. */
  covered: string[]
}

/** Plays a history on both sides and stops at the first step after which they differ. */
export function play(history: History, subject: Subject): Difference {
  const player = new Player(history, subject)
  for (const [index, step] of history.steps.entries()) {
    const differences = player.play(step)
    if (differences.length > 0) return { step: index, differences, covered: player.covered }
  }
  return { step: history.steps.length, differences: [], covered: player.covered }
}

const RECORD = { success: 'recordSuccess', failure: 'recordFailure' } as const

class Player {
  readonly covered: string[] = []
  readonly #subject: Subject
  readonly #model: ReferenceBreaker
  #now: number
  /** Which permit of busbar stands for which of the reference; both ways one to one. */
  #actualOf = new Map<Permit, number>()
  #permitOf = new Map<number, Permit>()
  #acquired = new Map<number, Permit>()
  #differences: string[] = []

  constructor({ options, startMs }: History, subject: Subject) {
    this.#subject = subject
    this.#model = new ReferenceBreaker('b', options, startMs)
    this.#now = startMs
  }

  play(step: Step): string[] {
    this.#differences = []
    const before = this.#model.state
    const lateBefore = this.#model.totals.late
    try {
      this.#do(step)
      this.#compare(step.thread)
    } catch (error) {
      this.#differences.push(`threw ${error instanceof Error ? error.stack : String(error)}`)
    }
    const late = this.#model.totals.late > lateBefore ? ' late' : ''
    this.covered.push(`${before} > ${this.#model.state} by ${step.do}${late}`)
    return this.#differences
  }

  #do(step: Step): void {
    switch (step.do) {
      case 'advance':
        this.#subject.call(step.thread, ['advance', step.ms])
        this.#now += step.ms
        return
      case 'acquire': {
        const permit = this.#acquire(step.thread)
        if (permit !== REFUSED) this.#acquired.set(step.id, permit)
        return
      }
      case 'settle': {
        // A refused acquiring leaves nothing to settle, nor does one that shrinking took out.
        const permit = this.#acquired.get(step.of)
        if (permit !== undefined) this.#settle(step.thread, permit, step.how, step.durationMs)
        return
      }
      case 'settle-forged':
        this.#settleForged(step)
        return
      case 'calls':
        for (let left = step.times; left > 0; left -= 1) {
          const permit = this.#acquire(step.thread)
          if (permit !== REFUSED) this.#settle(step.thread, permit, step.how, step.durationMs)
        }
        return
      case 'command':
        this.#command(step)
        return
    }
  }

  #command(step: Step & { do: 'command' }): void {
    if (step.op !== 'forceOpen') {
      this.#subject.call(step.thread, [step.op])
      this.#model[step.op](this.#now)
      return
    }
    const { ttlMs } = step
    this.#subject.call(step.thread, [step.op, ttlMs === undefined ? undefined : { ttlMs }])
    this.#model.forceOpen(this.#now, ttlMs)
  }

  #acquire(thread: number): Permit {
    const actual = this.#subject.call(thread, ['tryAcquire'])
    const permit = this.#model.tryAcquire(this.#now)
    if (permit === REFUSED || actual === -1) {
      if (permit !== REFUSED) this.#differences.push('tryAcquire: expected a permit, got REFUSED')
      if (actual !== -1) this.#differences.push(`tryAcquire: expected REFUSED, got ${actual}`)
      return REFUSED
    }
    this.#pair(permit, actual)
    return permit
  }

  /** Section 4: one number for a generation while closed, one for each claim of a trial. */
  #pair(permit: Permit, actual: unknown): void {
    if (!Number.isSafeInteger(actual) || typeof actual !== 'number' || actual < 0) {
      this.#differences.push(`tryAcquire: ${actual} is no permit`)
      return
    }
    if (this.#model.state !== 'half-open' && actual >= 2 ** 31) {
      this.#differences.push(`tryAcquire: ${actual} is not small`)
    }
    const known = this.#actualOf.get(permit) ?? actual
    const owner = this.#permitOf.get(actual) ?? permit
    if (known !== actual) this.#differences.push(`permit ${permit} was ${known}, is ${actual}`)
    if (owner !== permit) this.#differences.push(`${actual} is ${permit} and was ${owner}`)
    this.#actualOf.set(permit, actual)
    this.#permitOf.set(actual, permit)
  }

  #settle(thread: number, permit: Permit, how: OutcomeKind, durationMs: number | undefined): void {
    const actual = this.#actualOf.get(permit)
    if (actual === undefined) return
    if (how === 'ignored') this.#subject.call(thread, ['release', actual])
    else this.#subject.call(thread, [RECORD[how], actual, durationMs])
    settle(this.#model, permit, how, this.#now, durationMs)
  }

  #settleForged({ thread, of, forgery, how }: Step & { do: 'settle-forged' }): void {
    const { state, generation } = this.#model
    const known = this.#permitOf.size > 0 && this.#actualOf.has(`${generation}`)
    // While closed the number of the current generation is a permit whoever says it (the core
    // trusts its caller), so forge only where that number is known and can be told from a forgery.
    if (!known && ['closed', 'disabled', 'metrics-only'].includes(state)) return
    const real = this.#actualOf.get(this.#acquired.get(of ?? -1) ?? '') ?? 0
    const forged = FORGERIES[forgery]?.(real) ?? Number.NaN
    const permit = this.#permitOf.get(forged) ?? 'forged'
    if (how === 'ignored') this.#subject.call(thread, ['release', forged])
    else this.#subject.call(thread, [RECORD[how], forged, undefined])
    settle(this.#model, permit, how, this.#now, undefined)
  }

  #compare(thread: number): void {
    const actual = this.#subject.look(thread)
    compare('', this.#model.look(this.#now), actual, this.#differences)
  }
}

/** Fields that the reference does not have are left out; a field it lacks must be undefined. */
function compare(path: string, expected: unknown, actual: unknown, into: string[]): void {
  if (typeof expected !== 'object' || expected === null) {
    if (!same(path, expected, actual)) into.push(`${path}: expected ${expected}, got ${actual}`)
    return
  }
  const [left, right] = [expected, actual ?? {}] as Record<string, unknown>[]
  const optional = path === '.snapshot' ? ['trials', 'openedBy'] : []
  for (const key of new Set([...Object.keys(expected), ...optional])) {
    compare(`${path}.${key}`, left?.[key], right?.[key], into)
  }
}

function same(path: string, expected: unknown, actual: unknown): boolean {
  if (Object.is(expected, actual)) return true
  if (!path.endsWith('.retryAfterMs')) return false
  // busbar stores times in whole microseconds, and a wait can be a fraction of one.
  return Math.abs(Number(expected) - Number(actual)) < 0.001
}

/** The seed, the options and the least steps found that still differ. */
export function report(history: History, play: (history: History) => Difference): string {
  const first = play(history)
  let steps = history.steps.slice(0, first.step + 1)
  // Greedily, from the end: a step whose absence changes nothing says nothing.
  for (let index = steps.length - 1; index >= 0; index -= 1) {
    const without = steps.toSpliced(index, 1)
    const shorter = play({ ...history, steps: without })
    if (shorter.differences.length > 0) steps = without.slice(0, shorter.step + 1)
  }
  const found = play({ ...history, steps })
  return [
    `BUSBAR_SEED=${history.seed}: differs at step ${first.step} of the whole history`,
    `options ${JSON.stringify(history.options)}`,
    `clock starts at ${history.startMs}`,
    ...steps.map(step => `  ${JSON.stringify(step)}`),
    ...found.differences.map(line => `  ! ${line}`),
  ].join('\n')
}
