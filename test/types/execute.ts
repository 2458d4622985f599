// Type tests of the everyday face: compiled, never run.
import type { Call, CircuitBreaker, ExecuteOptions, ExecuteResult } from '../../src/index.ts'
import { type Equal, expectType } from './expect.ts'

declare const breaker: CircuitBreaker
declare const thenable: PromiseLike<Date>

export async function inference(): Promise<void> {
  const number = breaker.execute(() => 1)
  expectType<Equal<typeof number, Promise<number>>>()
  const text = breaker.execute(async ({ signal }) => {
    expectType<Equal<typeof signal, AbortSignal>>()
    return 'text'
  })
  expectType<Equal<typeof text, Promise<string>>>()
  const date = breaker.execute(() => thenable)
  expectType<Equal<typeof date, Promise<Date>>>()
  const response = await breaker.execute(call => fetch('http://localhost', call))
  expectType<Equal<typeof response, Response>>()
  const nothing = breaker.execute(() => {})
  expectType<Equal<typeof nothing, Promise<void>>>()
  const either = breaker.execute<string | number>(() => 1, { fallback: () => 'none' })
  expectType<Equal<typeof either, Promise<string | number>>>()
  expectType<Equal<Call['signal'], AbortSignal>>()

  // @ts-expect-error a result is no function
  breaker.execute(fetch('http://localhost'))
  // @ts-expect-error the call's signal is the breaker's to give
  breaker.execute(call => call.abort())
  // @ts-expect-error nor can it be replaced
  breaker.execute(call => (call.signal = new AbortController().signal))
}

export function options(controller: AbortController): void {
  breaker.execute(() => 1, { signal: controller.signal, timeoutMs: 5, fallback: () => 2 })
  breaker.execute(() => 1, { fallback: async () => 2 })
  breaker.execute(() => 1, {
    fallback: error => {
      expectType<Equal<typeof error, unknown>>()
      return 2
    },
  })
  breaker.execute(() => 1, { signal: undefined, timeoutMs: undefined, fallback: undefined })
  const shared: ExecuteOptions<number> = { timeoutMs: 5 }
  breaker.execute(() => 1, shared)

  // @ts-expect-error a controller is no signal
  breaker.execute(() => 1, { signal: controller })
  // @ts-expect-error milliseconds are a number
  breaker.execute(() => 1, { timeoutMs: '5' })
  // @ts-expect-error unknown options are refused
  breaker.execute(() => 1, { timeout: 5 })
  // @ts-expect-error a fallback answers with what the call would have
  breaker.execute<number>(() => 1, { fallback: () => 'none' })
  // @ts-expect-error ExecuteOptions are read-only
  shared.timeoutMs = 6
}

export async function union(): Promise<void> {
  const result = await breaker.tryExecute(() => thenable)
  expectType<Equal<typeof result, ExecuteResult<Date>>>()
  // @ts-expect-error there is a value only when it is ok
  result.value
  // @ts-expect-error and an error only when it is not
  result.error
  if (result.ok) {
    expectType<Equal<typeof result.value, Date>>()
    // @ts-expect-error what succeeded was not refused
    result.refused
  } else {
    expectType<Equal<typeof result.refused, boolean>>()
    expectType<Equal<typeof result.error, unknown>>()
  }
  await breaker.tryExecute(() => 1, { timeoutMs: 5, fallback: () => 2 })
}

export function synchronous(): void {
  const number = breaker.executeSync(() => 1)
  expectType<Equal<typeof number, number>>()
  // @ts-expect-error there is no call to be aborted
  breaker.executeSync((call: Call) => call.signal)
  // @ts-expect-error nor any option
  breaker.executeSync(() => 1, { timeoutMs: 5 })
}

export function wrapping(): void {
  const send = breaker.wrap(async (to: string, copies?: number) => to.repeat(copies ?? 1))
  expectType<Equal<typeof send, (to: string, copies?: number) => Promise<string>>>()
  const now = breaker.wrap(() => 1)
  expectType<Equal<typeof now, () => Promise<number>>>()
  const when = breaker.wrap((..._ids: number[]) => thenable)
  expectType<Equal<typeof when, (...ids: number[]) => Promise<Date>>>()

  // `this` is passed on: a wrapped method can stand in its object.
  const client = {
    host: 'a',
    get: breaker.wrap(function (this: { host: string }, path: string) {
      return this.host + path
    }),
  }
  expectType<Equal<ReturnType<typeof client.get>, Promise<string>>>()

  // @ts-expect-error the first parameter is a string
  send(1)
  // @ts-expect-error and is needed
  send()
}

export function core(): void {
  const permit = breaker.tryAcquire()
  expectType<Equal<typeof permit, number>>()
  breaker.recordSuccess(permit)
  breaker.recordSuccess(permit, 5)
  breaker.recordFailure(permit, undefined)
  breaker.release(permit)
  expectType<Equal<ReturnType<CircuitBreaker['canExecute']>, boolean>>()
  expectType<Equal<ReturnType<CircuitBreaker['retryAfterMs']>, number>>()

  // @ts-expect-error which permit?
  breaker.recordSuccess()
  // @ts-expect-error an ignored call has no duration
  breaker.release(permit, 5)
}
