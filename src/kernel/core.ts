/** A breaker whose permits and outcomes the WebAssembly kernel carries out. */
import { Core, NOT_MEASURED } from '../protocol/breaker.ts'
import { makeCore } from '../protocol/breaker-aged.ts'
import type { Cell } from '../protocol/cell.ts'
import type { Home } from '../protocol/follower.ts'
import { OVERFLOW_SLOT } from '../protocol/slots.ts'
import type { Holder, Kernel, KernelCalls } from './kernel.ts'

/** When the thread has given its slot back, its area is another's. */
const NOT_HELD = 0

/** What the kernel says when it meets other options, or another breaker: JavaScript looks. */
const LOOK_AGAIN = -3

class KernelCore extends Core implements Holder {
  readonly #kernel: Kernel
  readonly #calls: KernelCalls
  #breaker: number
  /** The last permit or refusal of the kernel: another one may be of another generation. */
  #last = Number.NaN

  constructor(cell: Cell, slot: number, home: Home, kernel: Kernel) {
    super(cell, slot, home)
    this.#kernel = kernel
    this.#calls = kernel.calls
    this.#breaker = kernel.hold(this) ?? NOT_HELD
  }

  protected override settle(): void {
    super.settle()
    const isOfSlot = this.slot !== OVERFLOW_SLOT
    this.#breaker = (isOfSlot ? this.#kernel.hold(this) : undefined) ?? NOT_HELD
  }

  override get refusedBy(): number {
    const isOfKernel = this.isHeld && !Number.isNaN(this.#last)
    return isOfKernel ? this.#calls.refusedBy(this.#breaker) : super.refusedBy
  }

  override moveToOverflow(): void {
    this.giveUp()
    super.moveToOverflow()
  }

  override vacate(): void {
    super.vacate()
    this.giveUp()
  }

  get isHeld(): boolean {
    return this.#breaker !== NOT_HELD
  }

  giveUp(): void {
    this.#breaker = NOT_HELD
  }

  override tryAcquire(): number {
    if (!this.isHeld) return super.tryAcquire()
    const permit = this.#calls.tryAcquire(this.#breaker)
    if (permit !== this.#last) return this.#meet(permit)
    return permit
  }

  #meet(permit: number): number {
    if (permit === LOOK_AGAIN) {
      // In JavaScript the core finds out what is new, and tells the kernel (settle).
      this.#last = Number.NaN
      return super.tryAcquire()
    }
    this.#last = permit
    this.cell.news.notice()
    return permit
  }

  // A BigInt or a Symbol would throw on its way into the kernel; in JavaScript it counts as late.

  override recordSuccess(permit: number, durationMs = NOT_MEASURED): boolean {
    const isHeld = this.isHeld && typeof permit === 'number' && typeof durationMs === 'number'
    const said = isHeld ? this.#calls.recordSuccess(this.#breaker, permit, durationMs) : LOOK_AGAIN
    return said === LOOK_AGAIN ? super.recordSuccess(permit, durationMs) : said !== 0
  }

  override recordFailure(permit: number, durationMs = NOT_MEASURED): boolean {
    const isHeld = this.isHeld && typeof permit === 'number' && typeof durationMs === 'number'
    const said = isHeld ? this.#calls.recordFailure(this.#breaker, permit, durationMs) : LOOK_AGAIN
    return said === LOOK_AGAIN ? super.recordFailure(permit, durationMs) : said !== 0
  }

  override release(permit: number): void {
    const isHeld = this.isHeld && typeof permit === 'number'
    const said = isHeld ? this.#calls.release(this.#breaker, permit) : LOOK_AGAIN
    if (said === LOOK_AGAIN) super.release(permit)
  }
}

/** The core of a breaker: the kernel's where the thread has one, else JavaScript's. */
export function coreOf(kernel: Kernel | undefined, cell: Cell, slot: number, home: Home): Core {
  const isForKernel = kernel !== undefined && cell.shape.ages === 0
  return isForKernel ? new KernelCore(cell, slot, home, kernel) : makeCore(cell, slot, home)
}
