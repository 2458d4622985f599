/** What the scenarios of windows share. */
import { Core } from '../../../src/protocol/breaker.ts'
import { type FAILED_KIND, GOOD } from '../../../src/protocol/window.ts'
import type { World } from '../build.ts'

export type Kind = typeof GOOD | typeof FAILED_KIND

/** Records one outcome of the generation that it finds. */
export function outcome({ cell }: World, slot: number, kind: Kind, times = 1): () => number {
  return () => {
    const core = new Core(cell, slot)
    let admitted = 0
    for (let time = 0; time < times; time++) {
      const permit = core.tryAcquire()
      if (permit < 0) break
      admitted++
      if (kind === GOOD) core.recordSuccess(permit)
      else core.recordFailure(permit)
    }
    return admitted
  }
}
