/** What a worker is in the midst of when it dies. Each job starts on a breaker in a known state. */
import { attachRegistry, type CircuitBreaker, type RegistryHandle } from '../../src/index.ts'

export const WINDOWS = {
  time: { type: 'time', durationMs: 1000, buckets: 2 },
  count: { type: 'count', size: 2 },
  consecutive: { type: 'consecutive', failures: 2 },
} as const

export type WindowName = keyof typeof WINDOWS

type Job = (breaker: CircuitBreaker) => void

function failTwice(breaker: CircuitBreaker): void {
  for (let call = 0; call < 2; call++) breaker.recordFailure(breaker.tryAcquire())
}

export const JOBS: Record<string, Job> = {
  trip: failTwice,
  success: breaker => breaker.recordSuccess(breaker.tryAcquire()),
  'good trial': breaker => breaker.recordSuccess(breaker.tryAcquire()),
  'bad trial': breaker => breaker.recordFailure(breaker.tryAcquire()),
  'released trial': breaker => breaker.release(breaker.tryAcquire()),
  command: breaker => breaker.forceOpen({ reason: 'because', ttlMs: 50 }),
}

/** Jobs that record in the window. */
export const WINDOW_JOBS: readonly string[] = ['trip', 'success']

/** Jobs that start open, with the wait over. */
export const OPEN_JOBS: readonly string[] = ['good trial', 'bad trial', 'released trial']

export function attachFor(handle: RegistryHandle, window: string): CircuitBreaker {
  return attachRegistry(handle).breaker(window)
}
