/** A dependency that falls ill and gets well again, and how long its breaker takes to notice. */
import type { CircuitBreaker } from '../../src/index.ts'
import type { Random } from '../model/random.ts'
import { JITTER, MAX_WAIT_MS, TRIAL_TIMEOUT_MS } from './setup.ts'

/** A machine with more work than cores runs threads in turns. */
const SCHEDULING_MS = 2000

type Phase = 'well' | 'falling ill' | 'ill' | 'recovering'

export class Patient {
  /**
   * Recovered means: the dependency is well, and the breaker closed. The longest way there: a wait,
   * trials that a stalled thread holds until their leases end (twice: two threads may stall), and
   * the wait after each of them.
   */
  static readonly BOUND_MS = 3 * MAX_WAIT_MS * (1 + JITTER) + 2 * TRIAL_TIMEOUT_MS + SCHEDULING_MS

  readonly recoveries: number[] = []
  readonly faults: string[] = []
  readonly #breaker: CircuitBreaker
  readonly #sick: Int32Array
  readonly #index: number
  readonly #random: Random
  #phase: Phase = 'well'
  #since = 0
  #until = 0

  constructor(breaker: CircuitBreaker, sick: Int32Array, index: number, random: Random) {
    this.#breaker = breaker
    this.#sick = sick
    this.#index = index
    this.#random = random
  }

  get isRecovering(): boolean {
    return this.#phase === 'recovering'
  }

  #enter(phase: Phase, now: number, forMs: number): void {
    this.#phase = phase
    this.#since = now
    this.#until = now + forMs
    Atomics.store(this.#sick, this.#index, phase === 'falling ill' || phase === 'ill' ? 1 : 0)
  }

  /** From now on the dependency is well, and stays so. */
  cure(): void {
    this.#enter('recovering', performance.now(), Patient.BOUND_MS)
  }

  tick(now: number): void {
    const { state } = this.#breaker
    switch (this.#phase) {
      case 'well':
        if (this.#until === 0) this.#until = now + this.#random.between(100, 1000)
        if (now >= this.#until) this.#enter('falling ill', now, Patient.BOUND_MS)
        break
      case 'falling ill':
        if (state !== 'closed') this.#enter('ill', now, this.#random.between(20, 500))
        else if (now >= this.#until) this.#fault(now, 'closed although every call fails')
        break
      case 'ill':
        if (now >= this.#until) this.#enter('recovering', now, Patient.BOUND_MS)
        break
      case 'recovering':
        if (state === 'closed') {
          this.recoveries.push(now - this.#since)
          this.#enter('well', now, this.#random.between(100, 600))
        } else if (now >= this.#until) this.#fault(now, `${state} although every call succeeds`)
        break
    }
  }

  #fault(now: number, what: string): void {
    const ms = Math.round(now - this.#since)
    this.faults.push(`${this.#breaker.name}: ${what}, for ${ms} ms`)
    this.#enter('well', now, 1000)
  }
}
