import { expect } from 'vitest'
import { type CircuitBreaker, createRegistry, type Registry } from '../../src/index.ts'
import { type Case, type CaseOutcome, type CaseStep, optionsOf } from './cases.ts'
import { type CallInFlight, classifyError, type Face } from './faces.ts'

/**
 * Where a case reads the state and expects that reading to have ended a half-open period: in
 * busbar reading moves nothing, so one call is tried first, and must be refused.
 */
const ASK_FIRST = new Map([
  ['HO-13', 6150],
  ['TH-01', 6150],
])

export async function replay(
  { id, config, steps }: Case,
  faceOf: (breaker: CircuitBreaker, registry: Registry) => Face,
  threads: readonly number[] = [],
): Promise<void> {
  const registry = createRegistry({ clock: 'manual', maxBreakers: 8, maxThreads: 16 })
  const breaker = registry.breaker('case', { ...optionsOf(config), classifyError })
  if (config.metricsOnly) breaker.metricsOnly()
  const face = faceOf(breaker, registry)
  for (const thread of threads) await face.startThread?.(thread)
  const replayer = new Replayer(registry, breaker, face, steps)
  const realNow = Date.now
  try {
    for (const [index, step] of steps.entries()) {
      if (step.t === ASK_FIRST.get(id)) await replayer.expectRejected(step)
      await replayer.play(step, `${id}, step ${index}: ${JSON.stringify(step)}`)
    }
  } finally {
    Date.now = realNow
    registry.close()
  }
}

class Replayer {
  readonly #registry: Registry
  readonly #breaker: CircuitBreaker
  readonly #face: Face
  readonly #steps: CaseStep[]
  readonly #calls = new Map<string, { call: CallInFlight; startedAt: number }>()
  readonly #transitionsBefore: number

  constructor(registry: Registry, breaker: CircuitBreaker, face: Face, steps: CaseStep[]) {
    this.#registry = registry
    this.#breaker = breaker
    this.#face = face
    this.#steps = steps
    this.#transitionsBefore = breaker.snapshot().transitions
  }

  async play(step: CaseStep, where: string): Promise<void> {
    this.#advanceTo(step.t)
    if (step.do !== undefined) await this.#do(step, where)
    else if (step.expectRejected) await this.expectRejected(step)
    else this.#check(step, where)
  }

  async expectRejected(step: CaseStep): Promise<void> {
    this.#advanceTo(step.t)
    for (let left = step.n ?? 1; left > 0; left -= 1) {
      const call = await this.#face.start(step.thread ?? 0)
      expect(call, `refused at ${step.t}`).toBeUndefined()
    }
  }

  #advanceTo(t: number): void {
    const ms = t - this.#registry.now()
    if (ms > 0) this.#registry.advance(ms)
  }

  async #do(step: CaseStep, where: string): Promise<void> {
    switch (step.do) {
      case 'call':
        return this.#callTimes(step, where)
      case 'start':
        this.#keep(step, await this.#start(step, endingOf(step.id, this.#steps), where))
        return
      case 'end':
        return this.#end(step)
      case 'race':
        return this.#race(step, where)
      case 'control':
        if (step.op === 'reset') this.#breaker.reset()
        else this.#breaker.forceOpen()
        return
      case 'wallJump': {
        const before = Date.now
        Date.now = () => before() + (step.byMs ?? 0)
        return
      }
      case 'threadClock':
        // The clock of a thread begins when the thread does, so it is started only now.
        return this.#face.startThread?.(step.thread ?? 0)
      case 'kill':
        return this.#face.kill?.(step.thread ?? 0)
      default:
        throw new Error(`${where}: no translation`)
    }
  }

  async #start(step: CaseStep, ending: CaseOutcome | undefined, where: string) {
    const call = await this.#face.start(step.thread ?? 0, ending)
    if (call === undefined) expect.fail(`${where}: was refused`)
    return call
  }

  #keep(step: CaseStep, call: CallInFlight): void {
    this.#calls.set(step.id ?? '', { call, startedAt: step.t })
  }

  async #callTimes(step: CaseStep, where: string): Promise<void> {
    const outcome = step.outcome ?? 'success'
    for (let left = step.n ?? 1; left > 0; left -= 1) {
      const call = await this.#start(step, outcome, where)
      const startedAt = this.#registry.now()
      this.#advanceTo(startedAt + (step.durationMs ?? 0))
      await call.end(outcome, this.#registry.now() - startedAt)
    }
  }

  async #end(step: CaseStep): Promise<void> {
    const kept = this.#calls.get(step.id ?? '')
    if (kept === undefined) throw new Error(`no call ${step.id}`)
    await kept.call.end(step.outcome ?? 'success', step.t - kept.startedAt)
  }

  async #race(step: CaseStep, where: string): Promise<void> {
    const admitted = await this.#ask(step)
    expect(admitted.length, where).toBe(step.expectAdmitted)
    for (const [index, call] of admitted.entries()) {
      this.#keep({ ...step, id: `${step.id}${index}` }, call)
    }
  }

  async #ask({ n = 1, threads = [] }: CaseStep): Promise<CallInFlight[]> {
    if (this.#face.race) return this.#face.race(n, threads)
    const calls: (CallInFlight | undefined)[] = []
    for (let left = n; left > 0; left -= 1) calls.push(await this.#face.start(0))
    return calls.filter(call => call !== undefined)
  }

  #check(step: CaseStep, where: string): void {
    const snapshot = this.#breaker.snapshot()
    const state = snapshot.state.replace('-', '_').toUpperCase()
    expect(this.#breaker.state).toBe(snapshot.state)
    if (step.expectState !== undefined) expect([step.expectState].flat(), where).toContain(state)
    for (const [name, count] of Object.entries(step.expectCounts ?? {})) {
      expect(countOf(name, snapshot), `${where}: ${name}`).toBe(count)
    }
    const rates = { failure: snapshot.window.failureRate, slow: snapshot.window.slowCallRate }
    for (const [name, percent] of Object.entries(step.expectRate ?? {})) {
      const rate = rates[name === 'slow' ? 'slow' : 'failure']
      expect(rate === null ? null : rate * 100, `${where}: ${name}`).toBe(percent)
    }
    if (step.expectEvents !== undefined) {
      const made = this.#registry.history().slice(this.#transitionsBefore)
      const events = made.map(({ from, to }) => `${from}>${to}`.replaceAll('-', '_').toUpperCase())
      expect(events, where).toEqual(step.expectEvents)
    }
  }
}

/** How the call that starts here will end, since a deadline has to be set when it starts. */
function endingOf(id: string | undefined, steps: CaseStep[]): CaseOutcome | undefined {
  return steps.find(step => step.do === 'end' && step.id === id)?.outcome
}

function countOf(name: string, snapshot: ReturnType<CircuitBreaker['snapshot']>): number {
  const { window, trials, totals } = snapshot
  // The counts of a half-open period are those of its trials; the window of the period is empty.
  const calls = trials ? trials.succeeded + trials.failed : window.calls
  const failures = trials ? trials.failed : window.failures
  const counts: Record<string, number> = {
    total: calls,
    failure: failures,
    success: calls - failures,
    slow: window.slowCalls,
    slowFailure: window.slowFailures,
    slowSuccess: window.slowCalls - window.slowFailures,
    inFlight: totals.inFlight,
    rejected: totals.refused,
  }
  return counts[name] ?? Number.NaN
}
