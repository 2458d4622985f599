/** A breaker whose permits and outcomes the WebAssembly kernel carries out. */
import { Core, NOT_MEASURED } from '../protocol/breaker.ts'
import { makeCore } from '../protocol/breaker-aged.ts'
import type { Cell } from '../protocol/cell.ts'
import type { Entry } from '../protocol/directory.ts'
import type { Kernel, KernelCalls } from './kernel.ts'

/** When the thread has given its slot back, its area is another's. */
const NOT_HELD = 0

class KernelCore extends Core {
  readonly #calls: KernelCalls
  #breaker: number
  /** The last permit or refusal: another one may be of another generation. At first none. */
  #last = Number.NaN

  constructor(cell: Cell, slot: number, calls: KernelCalls, breaker: number) {
    super(cell, slot)
    this.#calls = calls
    this.#breaker = breaker
  }

  override get refusedBy(): number {
    return this.#isHeld() ? this.#calls.refusedBy(this.#breaker) : super.refusedBy
  }

  override moveToOverflow(): void {
    this.#breaker = NOT_HELD
    super.moveToOverflow()
  }

  #isHeld(): boolean {
    return this.#breaker !== NOT_HELD
  }

  override tryAcquire(): number {
    if (!this.#isHeld()) return super.tryAcquire()
    const permit = this.#calls.tryAcquire(this.#breaker)
    if (permit !== this.#last) this.#meet(permit)
    return permit
  }

  #meet(permit: number): void {
    this.#last = permit
    this.cell.news.notice()
  }

  // A BigInt or a Symbol would throw on its way into the kernel; in JavaScript it counts as late.

  override recordSuccess(permit: number, durationMs = NOT_MEASURED): boolean {
    return this.#isHeld() && typeof permit === 'number' && typeof durationMs === 'number'
      ? this.#calls.recordSuccess(this.#breaker, permit, durationMs) !== 0
      : super.recordSuccess(permit, durationMs)
  }

  override recordFailure(permit: number, durationMs = NOT_MEASURED): boolean {
    return this.#isHeld() && typeof permit === 'number' && typeof durationMs === 'number'
      ? this.#calls.recordFailure(this.#breaker, permit, durationMs) !== 0
      : super.recordFailure(permit, durationMs)
  }

  override release(permit: number): void {
    if (this.#isHeld() && typeof permit === 'number') this.#calls.release(this.#breaker, permit)
    else super.release(permit)
  }
}

/** The core of a breaker: the kernel's where the thread has one with room, else JavaScript's. */
export function coreOf(kernel: Kernel | undefined, entry: Entry, cell: Cell, slot: number): Core {
  const breaker = kernel?.hold(entry)
  if (kernel === undefined || breaker === undefined) return makeCore(cell, slot)
  return new KernelCore(cell, slot, kernel.calls, breaker)
}
