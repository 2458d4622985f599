/** What the scenarios of half-open breakers share. */
import { Core } from '../../../src/protocol/breaker.ts'
import { openNow, seenOf, type World, world } from '../build.ts'
import { pause } from '../door.ts'
import { note } from '../machine.ts'
import { check } from '../scenario.ts'

/** Open, and its wait is over. */
export function opened(trials: number, slots: number): World {
  const made = world(
    {
      slidingWindow: { type: 'consecutive', failures: 1 },
      waitDurationInOpenStateMs: 100,
      permittedNumberOfCallsInHalfOpenState: trials,
      trialTimeoutMs: 50,
    },
    slots,
  )
  openNow(made, 1)
  made.clock.advance(100)
  return made
}

/** Half-open, with every place free. */
export function halfOpened(trials: number, slots: number): World {
  const made = opened(trials, slots)
  const core = new Core(made.cell, 1)
  core.release(core.tryAcquire())
  return made
}

export type Settle = 'recordSuccess' | 'recordFailure' | 'release'

/** Asks, makes its call, settles. */
export function trial({ cell }: World, slot: number, settle: Settle): () => number {
  return () => {
    const core = new Core(cell, slot)
    const permit = core.tryAcquire()
    if (permit >= 0) {
      makeCall(permit)
      core[settle](permit)
    }
    return permit
  }
}

/** The call itself: a step during which the permit is in flight. */
export function makeCall(permit: number): void {
  note(permit)
  pause()
  note(undefined)
}

/** Whoever asks next, long after: P3 says that it is not half-open any more, or admits. */
export function checkRecovers({ cell, clock }: World): void {
  const long = 1e9
  clock.advance(long)
  const core = new Core(cell, 1)
  let permit = core.tryAcquire()
  if (permit < 0) {
    clock.advance(long)
    permit = core.tryAcquire()
  }
  check(permit >= 0, `refused for ever in ${seenOf(cell).state}`)
}
