import { onTestFinished } from 'vitest'
import {
  type CircuitBreaker,
  createRegistry,
  type Registry,
  type RegistryExport,
  type RegistryOptions,
} from '../../src/index.ts'

export const OPTIONS = {
  slidingWindow: { type: 'consecutive', failures: 1 },
  waitDurationInOpenStateMs: { initialMs: 1_000, multiplier: 10, maxMs: 1_000_000 },
  permittedNumberOfCallsInHalfOpenState: 1,
} as const

/** A process: its time begins at zero. */
export function start(options: RegistryOptions = {}): Registry {
  const limits = { maxBreakers: 16, maxControls: 1, maxThreads: 2 }
  const registry = createRegistry({ keeper: false, clock: 'manual', ...limits, ...options })
  onTestFinished(() => registry.close())
  return registry
}

/** Ends a process and starts the next from what was kept, as a file keeps it. */
export function restart(before: Registry, ageMs?: number): Registry {
  const kept = JSON.parse(JSON.stringify(before.export())) as RegistryExport
  before.close()
  return start({ import: ageMs === undefined ? kept : { ...kept, ageMs } })
}

export function fail(breaker: CircuitBreaker): void {
  breaker.recordFailure(breaker.tryAcquire())
}

export function succeed(breaker: CircuitBreaker): void {
  breaker.recordSuccess(breaker.tryAcquire())
}
