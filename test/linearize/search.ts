/**
 * The search of Wing and Gong, with Lowe's memory of what was tried: is there an order of the calls'
 * steps that keeps real time (a call that returned before another was invoked comes before it) and
 * that a sequential model allows? A call may take more than one step; all of them lie between its
 * invocation and its return.
 */

export interface Timed {
  /** Stamps of one shared counter, taken just before and just after the call. */
  readonly invoked: number
  readonly returned: number
}

/** A model's state after a step, and the call's own progress. */
export interface Step<M> {
  readonly model: M
  readonly stage: number
}

const START = 0
/** The stage of a call that has taken its last step. */
export const DONE = 99

export interface Rules<M, C extends Timed> {
  /** Every way in which `call` can take its next step; none when the model forbids its result. */
  steps(model: M, call: C, index: number, stage: number): Step<M>[]
  /** What the rest of the search depends on. */
  key(model: M): string
  /** Whether the model may end like this. */
  accepts(model: M): boolean
}

export interface Verdict {
  readonly linearizable: boolean
  /** How many states the search looked at. */
  readonly looked: number
}

export function search<M, C extends Timed>(
  calls: readonly C[],
  initial: M,
  rules: Rules<M, C>,
): Verdict {
  const seen = new Set<string>()
  const stages = new Array<number>(calls.length).fill(START)

  const visit = (model: M): boolean => {
    const key = `${stages.join()} ${rules.key(model)}`
    if (seen.has(key)) return false
    seen.add(key)
    const deadline = firstReturn(calls, stages)
    if (deadline === Number.POSITIVE_INFINITY) return rules.accepts(model)
    for (const [index, call] of calls.entries()) {
      const stage = stages[index] ?? DONE
      if (stage === DONE || call.invoked > deadline) continue
      for (const next of rules.steps(model, call, index, stage)) {
        stages[index] = next.stage
        if (visit(next.model)) return true
      }
      stages[index] = stage
    }
    return false
  }
  return { linearizable: visit(initial), looked: seen.size }
}

/** The first return among the calls that have steps to take: no call invoked later may go first. */
function firstReturn(calls: readonly Timed[], stages: readonly number[]): number {
  let first = Number.POSITIVE_INFINITY
  for (const [index, { returned }] of calls.entries()) {
    if (stages[index] !== DONE && returned < first) first = returned
  }
  return first
}

/** How many pairs of calls overlap in time: none means that there was nothing to order. */
export function overlaps(calls: readonly Timed[]): number {
  let pairs = 0
  for (const [index, a] of calls.entries()) {
    for (const b of calls.slice(index + 1)) {
      if (a.invoked < b.returned && b.invoked < a.returned) pairs++
    }
  }
  return pairs
}
