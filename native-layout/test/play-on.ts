/** One step of a random history, done on one of several regions that are to stay alike. */
import type { CircuitBreaker, LiveOptions } from '../../src/index.ts'
import type { History, Step } from '../../test/model/histories.ts'
import type { Random } from '../../test/model/random.ts'
import type { NativeBreaker } from './addon.ts'

/** Whose calls `caller` makes, and JavaScript's hands on the same breaker, for commands. */
export interface Player {
  readonly caller: CircuitBreaker | NativeBreaker
  readonly breaker: CircuitBreaker
  readonly permits: Map<number, number>
}

const RECORD = { success: 'recordSuccess', failure: 'recordFailure' } as const

/** What the calls of the step were answered. */
export function playOn({ caller, breaker, permits }: Player, step: Step): number[] {
  switch (step.do) {
    case 'acquire': {
      const permit = caller.tryAcquire()
      if (permit >= 0) permits.set(step.id, permit)
      return [permit]
    }
    case 'settle':
      settle(caller, permits.get(step.of), step)
      return []
    case 'calls': {
      const answers = Array.from({ length: step.times }, () => {
        const permit = caller.tryAcquire()
        settle(caller, permit < 0 ? undefined : permit, step)
        return permit
      })
      return answers
    }
    case 'command':
      if (step.op !== 'forceOpen') breaker[step.op]()
      else breaker.forceOpen(step.ttlMs === undefined ? undefined : { ttlMs: step.ttlMs })
      return []
    default:
      return []
  }
}

function settle(
  caller: Player['caller'],
  permit: number | undefined,
  { how, durationMs }: Step & { do: 'settle' | 'calls' },
): void {
  if (permit === undefined) return
  if (how === 'ignored') caller.release(permit)
  else caller[RECORD[how]](permit, durationMs)
}

const CHANGES_PER_STEP = 0.05

/** Other options for the breaker, before some of the steps. */
export function otherOptions(random: Random): LiveOptions | undefined {
  if (!random.chance(CHANGES_PER_STEP)) return undefined
  return {
    failureRateThreshold: random.pick([0.1, 0.3, 0.5, 0.9, 1]),
    minimumNumberOfCalls: random.between(1, 12),
    slowCallDurationThresholdMs: random.pick([null, 0, 20, 1000]),
    slowCallRateThreshold: random.pick([0.2, 1]),
    permittedNumberOfCallsInHalfOpenState: random.between(1, 6),
    halfOpenFailureRateThreshold: random.pick([null, 0.5]),
    waitDurationInOpenStateMs: { initialMs: random.between(0, 50), maxMs: 100, jitter: 0.2 },
    trialTimeoutMs: random.between(1, 100),
  }
}

/** Every other history with a wait that is partly random: drawn from the seed, so the same here. */
export function jittered(seed: number, options: History['options']) {
  const wait = options.waitDurationInOpenStateMs
  if (seed % 2 === 0 || wait === undefined) return options
  const plain = typeof wait === 'number' ? { initialMs: wait } : wait
  return { ...options, waitDurationInOpenStateMs: { ...plain, jitter: 0.5 } }
}
