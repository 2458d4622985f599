// Type tests of throttles: compiled, never run.
import {
  type ExecuteResult,
  type Registry,
  type Throttle,
  ThrottledError,
  type ThrottleOptions,
} from '../../src/index.ts'
import { type Equal, expectType } from './expect.ts'

export async function decisions(registry: Registry) {
  const throttle = registry.throttle('backend')
  expectType<Equal<typeof throttle, Throttle>>()
  const permit = throttle.tryAcquire()
  expectType<Equal<typeof permit, number>>()
  throttle.recordAccepted(permit)
  throttle.recordRejected(permit)
  throttle.release(permit)
  expectType<Equal<typeof throttle.rejectionProbability, number>>()

  const { window, totals, rejectionProbability } = throttle.snapshot()
  const counts: number[] = [window.requests, window.accepts, window.refused, rejectionProbability]
  counts.push(totals.admitted, totals.accepted, totals.rejected, totals.ignored)
  counts.push(totals.refused, totals.abandoned, totals.inFlight)

  const { k, windowMs, minimumRequestsPerSecond, maxRejectionProbability } = throttle.options
  const numbers: number[] = [k, windowMs, minimumRequestsPerSecond, maxRejectionProbability]

  // @ts-expect-error there are no durations
  throttle.recordAccepted(permit, 12)
  // @ts-expect-error options are fixed
  throttle.options.k = 3
  // @ts-expect-error a throttle has no state
  throttle.state
  return [counts, numbers]
}

export async function calls(throttle: Throttle) {
  const value = await throttle.execute(async ({ signal }) => signal.aborted, { timeoutMs: 100 })
  expectType<Equal<typeof value, boolean>>()
  const result = await throttle.tryExecute(() => 'text')
  expectType<Equal<typeof result, ExecuteResult<string>>>()
  const wrapped = throttle.wrap((id: number, name: string) => `${id} ${name}`)
  expectType<Equal<typeof wrapped, (id: number, name: string) => Promise<string>>>()
  // @ts-expect-error arguments keep their types
  wrapped('1', 'one')
}

export function refused(error: unknown) {
  if (!(error instanceof ThrottledError)) return undefined
  expectType<Equal<typeof error.code, 'ERR_THROTTLED'>>()
  expectType<Equal<typeof error.rejectionProbability, number>>()
  return error.throttle
}

export function options(registry: Registry) {
  registry.throttle('t', { k: 2, windowMs: 60_000, isFailure: result => result === 503 })
  registry.throttle('t', { k: undefined, windowMs: undefined, classifyError: () => 'ignored' })
  const shared: ThrottleOptions = { minimumRequestsPerSecond: 10, maxRejectionProbability: 0.9 }
  registry.throttle('t', shared)

  // @ts-expect-error unknown options are refused
  registry.throttle('t', { threshold: 1 })
  // @ts-expect-error a verdict is one of two
  registry.throttle('t', { classifyError: () => 'accepted' })
  // @ts-expect-error a throttle has no timeout of its own
  registry.throttle('t', { timeoutMs: 100 })
  // @ts-expect-error ThrottleOptions are read-only
  shared.k = 3
}
