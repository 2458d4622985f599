/** Retry budgets: what all threads together may try again. */
import { RETRY_BUDGET } from '../../../src/memory/controls.ts'
import { BudgetCore } from '../../../src/protocol/retry-budget.ts'
import { checkSound, controlWorld } from '../control-world.ts'
import { check, type Scenario } from '../scenario.ts'

/** One call was made, so one retry is allowed. */
function oneAllowed(slots: number) {
  const made = controlWorld(RETRY_BUDGET, { ratio: 1, minimumPerSecond: 0 }, slots)
  new BudgetCore(made.controlOf(1), 1).recordCall()
  return made
}

export const lastRetry: Scenario = {
  name: 'budget-last',
  about: 'two threads ask for the last retry, either may die: never both have it',
  kills: 1,
  marks: ['one', 'none'],
  alone: 400,
  set() {
    const made = oneAllowed(2)
    const asker = (slot: number) => () => new BudgetCore(made.controlOf(slot), slot).tryRetry()
    return {
      memory: made.memory,
      threads: { a: asker(1), b: asker(2) },
      always: () => checkSound(made),
      finally({ a, b }, mark) {
        check(!(a === true && b === true), 'two retries where one is allowed')
        if (a === undefined || b === undefined) return
        mark(a || b ? 'one' : 'none')
        const left = new BudgetCore(made.controlOf(1), 1).tryRetry()
        check(left === !(a || b), 'the last retry was lost, or given twice')
      },
    }
  },
}

export const noneLeft: Scenario = {
  name: 'budget-none',
  about: 'the last retry has been given; two threads ask, either may die: neither gets one',
  kills: 1,
  marks: ['both refused'],
  alone: 400,
  set() {
    const made = oneAllowed(2)
    const asker = (slot: number) => () => new BudgetCore(made.controlOf(slot), slot).tryRetry()
    asker(1)()
    return {
      memory: made.memory,
      threads: { a: asker(1), b: asker(2) },
      always: () => checkSound(made),
      finally({ a, b }, mark) {
        check(a !== true && b !== true, 'a retry beyond what is allowed')
        if (a === false && b === false) mark('both refused')
      },
    }
  },
}

export const retryAgainstCall: Scenario = {
  name: 'budget-call',
  about: 'a thread asks while another makes the call that allows it, either may die',
  kills: 1,
  marks: ['allowed', 'refused'],
  alone: 400,
  set() {
    const made = controlWorld(RETRY_BUDGET, { ratio: 1, minimumPerSecond: 0 }, 2)
    const core = (slot: number) => new BudgetCore(made.controlOf(slot), slot)
    return {
      memory: made.memory,
      threads: {
        caller: () => {
          core(1).recordCall()
          return true
        },
        asker: () => core(2).tryRetry(),
      },
      always: () => checkSound(made),
      finally({ caller, asker }, mark) {
        if (asker !== undefined) mark(asker === true ? 'allowed' : 'refused')
        if (caller === undefined || asker !== false) return
        check(core(2).tryRetry(), 'a retry was refused that a call allows')
      },
    }
  },
}
