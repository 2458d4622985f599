// Type tests of busbar/cockatiel against cockatiel's own types: compiled, never run.
import {
  CircuitState,
  type Event as CockatielEvent,
  fallback,
  handleAll,
  type IDefaultPolicyContext,
  type IFailureEvent,
  type IPolicy,
  type ISuccessEvent,
  retry,
  TimeoutStrategy,
  timeout,
  wrap,
} from 'cockatiel'
import { cockatielPolicy, type SharedPolicy } from '../../src/cockatiel/cockatiel.ts'
import type { CircuitBreaker, StateChange } from '../../src/index.ts'
import { type Equal, expectType } from './expect.ts'

declare const breaker: CircuitBreaker
declare const throttle: {
  readonly name: string
  execute<T>(
    fn: (call: { readonly signal: AbortSignal }) => T | PromiseLike<T>,
    options?: { signal?: AbortSignal; timeoutMs?: number },
  ): Promise<T>
}

const policy = cockatielPolicy(breaker)
const retries = retry(handleAll, { maxAttempts: 2 })

export function policies(): void {
  const plain: IPolicy = policy
  const withContext: IPolicy<IDefaultPolicyContext, never> = policy
  const success: CockatielEvent<ISuccessEvent> = policy.onSuccess
  const failure: CockatielEvent<IFailureEvent> = policy.onFailure
  void [plain, withContext, success, failure]
}

export async function wrapped(): Promise<void> {
  const inRetries = wrap(retries, policy).execute(({ attempt, signal }) => {
    expectType<Equal<typeof attempt, number>>()
    expectType<Equal<typeof signal, AbortSignal>>()
    return 'text'
  })
  expectType<Equal<typeof inRetries, Promise<string>>>()
  const withFallback = wrap(fallback(handleAll, 0), retries, policy).execute(async () => 'text')
  expectType<Equal<typeof withFallback, Promise<string | number>>>()
  const outermost = wrap(policy, timeout(100, TimeoutStrategy.Aggressive)).execute(() => true)
  expectType<Equal<typeof outermost, Promise<boolean>>>()
  const alone = policy.execute(async ({ signal }) => signal.aborted)
  expectType<Equal<typeof alone, Promise<boolean>>>()

  // @ts-expect-error options are the breaker's, or a policy's of cockatiel
  policy.execute(() => 1, { timeoutMs: 5 })
}

export function events(): void {
  policy.onBreak(change => expectType<Equal<typeof change, StateChange>>())
  policy.onReset(() => {}).dispose()
  policy.onStateChange((state: CircuitState) => state === CircuitState.Open)
  void (policy.state === CircuitState.HalfOpen)
  // @ts-expect-error cockatiel has no fifth state
  void (policy.state === 4)
}

export function otherParts(): void {
  const plain = cockatielPolicy(throttle)
  expectType<Equal<typeof plain, SharedPolicy>>()
  void wrap(retries, plain, policy)
  // @ts-expect-error only breakers have a state
  plain.state
  // @ts-expect-error what has no execute guards nothing
  cockatielPolicy({ name: 'throttle' })
}
