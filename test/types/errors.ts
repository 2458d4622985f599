// Type tests of the errors: compiled, never run.
import {
  BulkheadFullError,
  BusbarError,
  CallTimeoutError,
  CircuitOpenError,
  type ErrorCode,
  InvalidOptionError,
  isRefusal,
  type NoRegistryError,
  OptionsMismatchError,
  type RegionError,
  RegistryFullError,
  type State,
  ThrottledError,
} from '../../src/index.ts'
import { type Equal, expectType } from './expect.ts'

export function byClass(error: unknown): void {
  if (error instanceof CircuitOpenError) {
    expectType<Equal<typeof error.code, 'ERR_CIRCUIT_OPEN'>>()
    expectType<Equal<typeof error.state, State>>()
    expectType<Equal<typeof error.retryAfterMs, number>>()
    const reason: string | undefined = error.reason
    const last: unknown = error.lastError
    void [reason, last]
    // @ts-expect-error what an error says, it says
    error.retryAfterMs = 0
  }
  if (error instanceof ThrottledError) {
    expectType<Equal<typeof error.code, 'ERR_THROTTLED'>>()
    expectType<Equal<typeof error.throttle, string>>()
    expectType<Equal<typeof error.rejectionProbability, number>>()
  }
  if (error instanceof BulkheadFullError) {
    expectType<Equal<typeof error.code, 'ERR_BULKHEAD_FULL'>>()
    expectType<Equal<typeof error.maxConcurrentCalls, number>>()
    expectType<Equal<typeof error.waitedMs, number>>()
  }
  if (isRefusal(error)) {
    expectType<Equal<typeof error, CircuitOpenError | ThrottledError | BulkheadFullError>>()
  }
  if (error instanceof CallTimeoutError) expectType<Equal<typeof error.timeoutMs, number>>()
  if (error instanceof InvalidOptionError) {
    expectType<Equal<typeof error.option, string>>()
    expectType<Equal<typeof error.value, unknown>>()
  }
  if (error instanceof OptionsMismatchError) {
    expectType<Equal<typeof error.existing, Readonly<Record<string, unknown>>>>()
    expectType<Equal<typeof error.requested, Readonly<Record<string, unknown>>>>()
  }
  if (error instanceof RegistryFullError) expectType<Equal<typeof error.limit, number>>()
}

export function byCode(error: unknown): void {
  // @ts-expect-error nothing is known of an error before it was looked at
  error.code
  if (!BusbarError.is(error)) return
  expectType<Equal<typeof error, BusbarError>>()
  const breaker: string | undefined = error.breaker
  void breaker
  // @ts-expect-error there is no such code
  if (error.code === 'ERR_BUSBAR') return
}

/** Every code belongs to a class: a new code without one does not compile. */
type Coded =
  | CircuitOpenError
  | ThrottledError
  | BulkheadFullError
  | CallTimeoutError
  | InvalidOptionError
  | OptionsMismatchError
  | RegistryFullError
  | RegionError
  | NoRegistryError
expectType<Equal<Coded['code'], ErrorCode>>()

// @ts-expect-error BusbarError is what the others have in common
new BusbarError('text')
