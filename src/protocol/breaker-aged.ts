/**
 * A breaker that counts calls which hang: as any other, but that it tells its calls in flight by
 * age (ages.ts), and judges its window also when time alone has changed it. Its permits while
 * closed name the bucket in which the call was counted (memory/words/ages.ts).
 */
import { load } from '#atomics'
import { isAgedPermit, isAgedPermitOf, packAgelessPermit } from '../memory/words/ages.ts'
import { CLOSED, generationOf, METRICS_ONLY, stateOf } from '../memory/words/state.ts'
import { FIRST_TRIAL_PERMIT } from '../memory/words/trials.ts'
import { Ages } from './ages.ts'
import { Core, NOT_MEASURED } from './breaker.ts'
import type { Cell } from './cell.ts'
import type { Home } from './follower.ts'

/** The permit, for the core beneath, of a call whose generation is over. */
const OVER = -1

class AgedCore extends Core {
  /** Undefined once the breaker has been made again without them. */
  #ages: Ages | undefined

  constructor(cell: Cell, slot: number, home?: Home) {
    super(cell, slot, home)
    this.#ages = new Ages(cell, slot)
  }

  protected override settle(): void {
    super.settle()
    this.#ages = this.cell.shape.ages === 0 ? undefined : new Ages(this.cell, this.slot)
  }

  override moveToOverflow(): void {
    this.#ages?.moveToOverflow()
    super.moveToOverflow()
  }

  override tryAcquire(): number {
    // ATOMIC aged.ask
    //   observes: closed: then calls may hang that nobody has counted yet.
    if (!this.knows(this.#seen())) this.follow()
    const seen = this.#seen()
    if (stateOf(seen) === CLOSED && this.knows(seen)) this.window.lookAtHanging?.(seen)
    const permit = super.tryAcquire()
    if (this.#ages === undefined) return permit
    return permit >= 0 && permit < FIRST_TRIAL_PERMIT ? this.#begin(permit, this.#ages) : permit
  }

  /** Where a window is kept its calls have an age. */
  #begin(generation: number, ages: Ages): number {
    const seen = this.#seen()
    const state = stateOf(seen)
    const hasWindow = state === CLOSED || state === METRICS_ONLY
    // Else it is disabled, or the generation has ended since and the outcome will be late.
    if (!(hasWindow && generationOf(seen) === generation)) return packAgelessPermit(generation)
    return ages.begin(generation)
  }

  override recordSuccess(permit: number, durationMs = NOT_MEASURED): boolean {
    const generation = this.#generation()
    this.#takeOut(permit, generation)
    // With a success no rate has risen, and as many calls count as before.
    return super.recordSuccess(plainPermit(permit, generation), durationMs)
  }

  override recordFailure(permit: number, durationMs = NOT_MEASURED): boolean {
    const generation = this.#generation()
    const hung = this.#end(permit, generation)
    const counted = super.recordFailure(plainPermit(permit, generation), durationMs)
    if (hung) this.#judge()
    return counted
  }

  override release(permit: number): void {
    const generation = this.#generation()
    const hung = this.#end(permit, generation)
    super.release(plainPermit(permit, generation))
    if (hung) this.#judge()
  }

  #seen(): number {
    return load(this.cell.memory, this.cell.state)
  }

  #generation(): number {
    return generationOf(this.#seen())
  }

  /** Takes the call out of those in flight; whether it hung. Its outcome may count after that. */
  #end(permit: number, generation: number): boolean {
    this.cell.clock.refresh()
    return this.#takeOut(permit, generation)
  }

  #takeOut(permit: number, generation: number): boolean {
    const ages = this.#ages
    return ages !== undefined && isAgedPermitOf(permit, generation) && ages.end(permit, generation)
  }

  /** A call that hangs no more has changed the window, besides its outcome. */
  #judge(): void {
    const seen = this.#seen()
    if (this.knows(seen)) this.window.judgeAgain?.(seen)
  }
}

/** The permit as the core beneath gave it. */
function plainPermit(permit: number, generation: number): number {
  if (!isAgedPermit(permit)) return permit
  return isAgedPermitOf(permit, generation) ? generation : OVER
}

/** The core that a breaker's options ask for. */
export function makeCore(cell: Cell, slot: number, home?: Home): Core {
  return cell.shape.ages === 0 ? new Core(cell, slot, home) : new AgedCore(cell, slot, home)
}
