// Type tests of `retry`: compiled, never run.
import { type Registry, type RetryAttempt, type RetryOptions, retry } from '../../src/index.ts'
import { type Equal, expectType } from './expect.ts'

declare const registry: Registry
declare const thenable: PromiseLike<Date>

export async function inference(): Promise<void> {
  const number = retry(() => 1)
  expectType<Equal<typeof number, Promise<number>>>()
  const text = retry(async ({ attempt, signal }) => {
    expectType<Equal<typeof attempt, number>>()
    expectType<Equal<typeof signal, AbortSignal>>()
    return 'text'
  })
  expectType<Equal<typeof text, Promise<string>>>()
  const date = retry(() => thenable)
  expectType<Equal<typeof date, Promise<Date>>>()
  const response = await retry(attempt => fetch('http://localhost', attempt))
  expectType<Equal<typeof response, Response>>()
  const nothing = retry(() => {})
  expectType<Equal<typeof nothing, Promise<void>>>()
  const guarded = retry(() => registry.breaker('b').execute(() => thenable))
  expectType<Equal<typeof guarded, Promise<Date>>>()
  expectType<Equal<keyof RetryAttempt, 'attempt' | 'signal'>>()

  // @ts-expect-error a result is no function
  retry(fetch('http://localhost'))
  // @ts-expect-error which attempt it is, is for retry to say
  retry(attempt => (attempt.attempt = 1))
  // @ts-expect-error what the function needs besides, it has to bring along
  retry((_attempt: RetryAttempt, _path: string) => 1)
}

export function options(controller: AbortController): void {
  retry(() => 1, {
    attempts: 5,
    backoff: { initialMs: 100, multiplier: 2, maxMs: 10_000, jitter: 'full' },
    budget: registry.retryBudget('service', { ratio: 0.2, minimumPerSecond: 3 }),
    signal: controller.signal,
    retryOn: error => {
      expectType<Equal<typeof error, unknown>>()
      return error instanceof TypeError
    },
    maxRetryAfterMs: 5000,
  })
  retry(() => 1, { attempts: undefined, backoff: undefined, budget: undefined, signal: undefined })
  retry(() => 1, { retryOn: undefined, maxRetryAfterMs: undefined })
  retry(() => 1, { backoff: { initialMs: undefined, multiplier: undefined, maxMs: undefined } })
  retry(() => 1, { backoff: { jitter: undefined } })
  const shared: RetryOptions = { attempts: 2 }
  retry(() => 'text', shared)

  // @ts-expect-error a controller is no signal
  retry(() => 1, { signal: controller })
  // @ts-expect-error unknown options are refused
  retry(() => 1, { retries: 3 })
  // @ts-expect-error in the backoff too
  retry(() => 1, { backoff: { minMs: 3 } })
  // @ts-expect-error there are two kinds of jitter
  retry(() => 1, { backoff: { jitter: 'half' } })
  // @ts-expect-error a ratio is no budget
  retry(() => 1, { budget: 0.2 })
  // @ts-expect-error the answer has to be there at once
  retry(() => 1, { retryOn: async () => true })
  // @ts-expect-error RetryOptions are read-only
  shared.attempts = 3
}
