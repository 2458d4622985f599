/** Regions in known states, and their words by the names of src's own layout. */
import { type CircuitBreaker, createRegistry, REFUSED, type Registry } from '../../src/index.ts'
import { type Memory, viewsOf } from '../../src/memory/atomics.ts'
import { attachRegion, type Region } from '../../src/memory/region.ts'
import type { Cell } from '../../src/protocol/cell.ts'
import { Directory } from '../../src/protocol/directory.ts'

export interface Made {
  readonly registry: Registry
  readonly region: Region
  readonly memory: Memory
  readonly time: CircuitBreaker
  readonly count: CircuitBreaker
  readonly row: CircuitBreaker
  readonly cells: Record<'time' | 'count' | 'row', Cell>
}

const TRIALS = 2
const WAIT_MS = 100
const TRIAL_TIMEOUT_MS = 1000

const COMMON = {
  waitDurationInOpenStateMs: { initialMs: WAIT_MS, multiplier: 2, jitter: 0.5, maxMs: 1000 },
  permittedNumberOfCallsInHalfOpenState: TRIALS,
  trialTimeoutMs: TRIAL_TIMEOUT_MS,
  slowCallDurationThresholdMs: 50,
} as const

/** Of "row". */
export const ROW_OPTIONS = {
  ...COMMON,
  slidingWindow: { type: 'consecutive', failures: 5 },
} as const

/** A region with one breaker for each window, at 5 s of a manual clock, slot 1 of 3 taken. */
export function makeRegion(maxThreads = 3): Made {
  const registry = createRegistry({ clock: 'manual', maxThreads, maxBreakers: 6 })
  registry.advance(5000)
  const time = registry.breaker('time', { ...COMMON, minimumNumberOfCalls: 10 })
  const count = registry.breaker('count', {
    ...COMMON,
    slidingWindow: { type: 'count', size: 10 },
    minimumNumberOfCalls: 10,
  })
  const row = registry.breaker('row', ROW_OPTIONS)
  const region = attachRegion(registry.handle)
  const [first, second, third] = new Directory(region, { thread: 0, parent: 0 }).cells()
  if (!(first && second && third)) throw new Error('three breakers were made')
  const cells = { time: first, count: second, row: third }
  return { registry, region, memory: viewsOf(registry.handle.buffer), time, count, row, cells }
}

export function breakersOf({ time, count, row }: Made): CircuitBreaker[] {
  return [time, count, row]
}

/** Outcomes of every kind, and not enough bad ones to open. */
export function use(made: Made, calls = 24): void {
  for (const breaker of breakersOf(made)) {
    for (let call = 0; call < calls; call++) {
      const permit = breaker.tryAcquire()
      if (permit === REFUSED) continue
      if (call % 12 === 5) breaker.recordFailure(permit, 60)
      else if (call % 12 === 9) breaker.recordFailure(permit)
      else if (call % 12 === 11) breaker.release(permit)
      else breaker.recordSuccess(permit, call % 12 === 2 ? 60 : 1)
      if (call % 5 === 0) made.registry.advance(100)
    }
  }
}

/** Fails until the breaker is open. */
export function fail(breaker: CircuitBreaker): void {
  for (let call = 0; call < 100 && breaker.state === 'closed'; call++) {
    breaker.recordFailure(breaker.tryAcquire())
  }
}

/** Open, then half-open with one trial in flight; the trial's permit. */
export function halfOpen(made: Made, breaker: CircuitBreaker): number {
  fail(breaker)
  made.registry.advance(WAIT_MS * 2)
  return breaker.tryAcquire()
}

export function close(breaker: CircuitBreaker, trial: number): void {
  breaker.recordSuccess(trial)
  while (breaker.state === 'half-open') breaker.recordSuccess(breaker.tryAcquire())
}
