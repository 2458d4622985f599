/** What one attempt holds of the parts of its pipeline, settled together by one verdict. */
import type { QueuedGuard } from '../overload/bulkhead-calls.ts'
import type { Guard, GuardedCore } from '../settlement.ts'

/** The permit of an attempt: the parts' own are kept beside it. */
export const HELD = 0

/** The parts as an attempt asks them, by the guards of their own `execute`. */
export interface Guards {
  readonly throttle: Guard | undefined
  readonly bulkhead: QueuedGuard | undefined
  readonly breaker: Guard | undefined
}

/**
 * Whatever the attempt comes to, each part that let it through hears of it, once: so nothing stays
 * held, and a refusal further in is no verdict for those further out.
 */
export class Held implements GuardedCore {
  readonly cell: GuardedCore['cell']
  readonly measures: boolean
  readonly #guards: Guards
  #throttled = HELD
  #place = HELD
  /** The breaker's core, as whoever traces sees it, and its permit. */
  #breaker: GuardedCore | undefined
  #permit = HELD

  constructor(guards: Guards, cell: GuardedCore['cell']) {
    this.#guards = guards
    this.cell = cell
    this.measures = guards.breaker?.core.measures ?? false
  }

  get lastError(): unknown {
    return this.#breaker?.lastError
  }

  set lastError(error: unknown) {
    if (this.#breaker !== undefined) this.#breaker.lastError = error
  }

  /** The parts are asked one by one, by who makes the attempt. */
  tryAcquire(): number {
    return HELD
  }

  holdThrottled(permit: number): void {
    this.#throttled = permit
  }

  holdPlace(place: number): void {
    this.#place = place
  }

  holdPermit(breaker: GuardedCore, permit: number): void {
    this.#breaker = breaker
    this.#permit = permit
  }

  /** The breaker refused, or was not asked: the others did let it through. */
  releaseOuter(): void {
    this.#guards.bulkhead?.core.release(this.#place)
    this.releaseThrottled()
  }

  /** The bulkhead refused as well. */
  releaseThrottled(): void {
    this.#guards.throttle?.core.release(this.#throttled)
  }

  recordSuccess(_permit: number, durationMs?: number): boolean {
    const { throttle, bulkhead } = this.#guards
    const counted = this.#breaker?.recordSuccess(this.#permit, durationMs) ?? true
    bulkhead?.core.recordSuccess(this.#place)
    throttle?.core.recordSuccess(this.#throttled)
    return counted
  }

  recordFailure(_permit: number, durationMs?: number): boolean {
    const { throttle, bulkhead } = this.#guards
    const counted = this.#breaker?.recordFailure(this.#permit, durationMs) ?? true
    bulkhead?.core.recordFailure(this.#place)
    throttle?.core.recordFailure(this.#throttled)
    return counted
  }

  release(_permit: number): void {
    this.#breaker?.release(this.#permit)
    this.releaseOuter()
  }

  stalled(): void {
    this.#breaker?.stalled?.()
  }
}
