/** RetryBudget: how many retries all threads together may make. */
import { RETRY_BUDGET } from '../memory/controls.ts'
import { describeControl } from '../options/controls.ts'
import type { Control } from '../protocol/control.ts'
import { BudgetCore, type BudgetWindow } from '../protocol/retry-budget.ts'
import { sumCounters } from '../protocol/totals.ts'
import type { ControlKind } from './controls.ts'
import type { RetryBudgetOptions } from './types.ts'

/** The options of a retry budget, complete. */
export type ResolvedRetryBudgetOptions = { readonly [Key in keyof RetryBudgetOptions]-?: number }

/** A retry budget at one moment. */
export interface RetryBudgetSnapshot {
  name: string
  /** Of the last 10 s, over all threads. */
  window: { calls: number; retries: number; allowed: number }
  /** Since it was made: calls that might have been tried again, retries made and refused. */
  totals: { calls: number; retries: number; refused: number }
}

/**
 * One named budget as this thread holds it. All threads spend from it together: in the last 10 s no
 * more retries than `ratio` for each call, and `minimumPerSecond` on top. Give it to `retry`.
 */
export class RetryBudget {
  readonly name: string
  readonly #control: Control
  readonly #core: BudgetCore

  /** @internal */
  constructor(control: Control, core: BudgetCore) {
    this.name = control.name
    this.#control = control
    this.#core = core
  }

  /** The options that it was made with, defaults filled in. A copy. */
  get options(): ResolvedRetryBudgetOptions {
    return describeControl(this.#control.numbers) as ResolvedRetryBudgetOptions
  }

  /** A call is made, for the first time. Cost: one clock reading and one addition. */
  recordCall(): void {
    this.#core.recordCall()
  }

  /**
   * Whether one retry more is allowed: then it counts as made. Cost: a sum over the threads,
   * microseconds. Beyond the limit by nobody, whatever threads ask at once; where several ask for
   * the last one, perhaps none gets it.
   */
  tryRetry(): boolean {
    return this.#core.tryRetry()
  }

  snapshot(): RetryBudgetSnapshot {
    const { calls, retries, allowed }: BudgetWindow = this.#core.window()
    const { admitted, succeeded, refused } = sumCounters(this.#control)
    return {
      name: this.name,
      window: { calls, retries, allowed },
      totals: { calls: admitted, retries: succeeded, refused },
    }
  }

  /** @internal */
  moveToOverflow(): void {
    this.#core.moveToOverflow()
  }
}

/** @internal */
export const RETRY_BUDGETS: ControlKind<RetryBudget> = {
  kind: RETRY_BUDGET,
  what: 'retry budget',
  localKeys: [],
  make: (control, { slot }) => new RetryBudget(control, new BudgetCore(control, slot)),
  withLocal: face => face,
}
