/**
 * Retries of all threads together, held to a part of their calls (spec: docs/overload.md).
 *
 * Calls are counted in each thread's own buckets. Retries are counted in the shard that all threads
 * share, and given back there by who finds that it was one too many: first count, then look.
 *
 * 1. Who keeps its retry has found, after it had counted it, no more than are allowed. Of the
 *    retries that are kept, the one counted last found all the others. So no more are kept in a
 *    window than are allowed at that moment.
 * 2. What was given back is read before what was taken (window-buckets.ts, 4): a sum that sees a
 *    retry given back sees it taken as well, so it never comes out too low.
 * 3. Two who take the last one at once may both give it back. Who dies in between has taken one
 *    that is never made, until it leaves the window. Both are on the safe side.
 */
import { BUDGET_OPTION } from '../memory/controls.ts'
import { TOTAL } from '../memory/layout.ts'
import type { Control } from './control.ts'
import { RollingCounts } from './rolling.ts'
import { OVERFLOW_SLOT } from './slots.ts'
import { counterOf, countOne } from './totals.ts'

/** What calls and retries are counted over. */
export const BUDGET_WINDOW_MS = 10_000

const CALL = 0
const GIVEN_BACK = 1
const RETRY = 2

/** Retries that a window allows: whole ones. */
function allowedRetries(calls: number, ratio: number, minimumPerSecond: number): number {
  return Math.floor((minimumPerSecond * BUDGET_WINDOW_MS) / 1000 + ratio * calls)
}

/** What the window holds. */
export interface BudgetWindow {
  readonly calls: number
  readonly retries: number
  /** Retries that are allowed with so many calls. */
  readonly allowed: number
}

export class BudgetCore {
  readonly #control: Control
  readonly #counts: RollingCounts
  readonly #kinds = [0, 0, 0, 0]
  #slot: number
  #calls: number

  constructor(control: Control, slot: number) {
    this.#control = control
    this.#counts = new RollingCounts(control, slot, BUDGET_WINDOW_MS)
    this.#slot = slot
    this.#calls = counterOf(control, slot, TOTAL.ADMITTED)
  }

  moveToOverflow(): void {
    this.#slot = OVERFLOW_SLOT
    this.#calls = counterOf(this.#control, OVERFLOW_SLOT, TOTAL.ADMITTED)
    this.#counts.moveToOverflow()
  }

  /** One call more, retries apart. */
  recordCall(): void {
    this.#control.clock.refresh()
    this.#counts.record(CALL)
    countOne(this.#control.memory, this.#calls)
  }

  tryRetry(): boolean {
    this.#control.clock.refresh()
    this.#counts.recordShared(RETRY)
    const { retries, allowed } = this.#sum()
    const isAllowed = retries <= allowed
    if (!isAllowed) this.#counts.recordShared(GIVEN_BACK)
    this.#count(isAllowed ? TOTAL.SUCCEEDED : TOTAL.REFUSED)
    return isAllowed
  }

  window(): BudgetWindow {
    this.#control.clock.refresh()
    return this.#sum()
  }

  #sum(): BudgetWindow {
    const { numbers } = this.#control
    this.#counts.sum(this.#kinds)
    const [calls = 0, givenBack = 0, taken = 0] = this.#kinds
    const ratio = numbers[BUDGET_OPTION.RATIO] as number
    const minimum = numbers[BUDGET_OPTION.MINIMUM_PER_SECOND] as number
    return { calls, retries: taken - givenBack, allowed: allowedRetries(calls, ratio, minimum) }
  }

  #count(total: number): void {
    countOne(this.#control.memory, counterOf(this.#control, this.#slot, total))
  }
}
