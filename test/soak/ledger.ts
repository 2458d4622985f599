/**
 * What the workers have been told: calls that have returned, counted in memory of their own beside
 * the region. A seat's counts are written by one worker at a time and go on with the next.
 */
import type { Totals } from '../../src/index.ts'

export const KINDS = ['admitted', 'refused', 'succeeded', 'failed', 'ignored'] as const

export type Kind = (typeof KINDS)[number]

/** Orders to a worker, carried out between two of its shifts. */
export const ORDERS = { none: 0, stall: 1, exit: 2, crash: 3, leave: 4, block: 5, stop: 6 } as const

export class Ledger {
  readonly counts: Float64Array<SharedArrayBuffer>
  readonly #seats: number
  readonly #breakers: number

  constructor(seats: number, breakers: number) {
    this.#seats = seats
    this.#breakers = breakers
    this.counts = new Float64Array(new SharedArrayBuffer(seats * breakers * KINDS.length * 8))
  }

  /** Over all seats, for one breaker. */
  of(breaker: number, kind: Kind): number {
    let sum = 0
    for (let seat = 0; seat < this.#seats; seat++) {
      const at = (seat * this.#breakers + breaker) * KINDS.length + KINDS.indexOf(kind)
      sum += this.counts[at] ?? 0
    }
    return sum
  }

  outcomes(): number {
    let sum = 0
    for (let breaker = 0; breaker < this.#breakers; breaker++) sum += this.settled(breaker)
    return sum
  }

  settled(breaker: number): number {
    return this.of(breaker, 'succeeded') + this.of(breaker, 'failed') + this.of(breaker, 'ignored')
  }

  /**
   * Sentences on what does not fit. A worker that is killed in the midst of a call leaves at the
   * most one that was counted and not acknowledged.
   */
  audit(breaker: number, name: string, before: Totals, after: Totals, kills: number): string[] {
    const since = (total: keyof Totals): number => after[total] - before[total]
    const settled = since('succeeded') + since('failed') + since('ignored') + since('late')
    const faults: string[] = []
    const check = (what: string, read: number, acknowledged: number): void => {
      if (read >= acknowledged && read <= acknowledged + kills) return
      faults.push(`${name}: ${what} ${read}, acknowledged ${acknowledged}, kills ${kills}`)
    }
    check('admitted', since('admitted'), this.of(breaker, 'admitted'))
    check('refused', since('refused'), this.of(breaker, 'refused'))
    check('settled', settled, this.settled(breaker))
    for (const kind of ['succeeded', 'failed', 'ignored'] as const) {
      const [read, most] = [since(kind), this.of(breaker, kind) + kills]
      if (read > most) faults.push(`${name}: ${kind} ${read}, acknowledged and killed ${most}`)
    }
    if (since('admitted') !== settled + since('abandoned') + after.inFlight) {
      faults.push(`${name}: admitted ${since('admitted')}, settled ${settled}, not conserved`)
    }
    if (after.inFlight !== 0) faults.push(`${name}: ${after.inFlight} calls in flight at the end`)
    return faults
  }
}
