/** What docs/migration/cockatiel.md says of cockatiel, asked of cockatiel itself. */
import {
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  CountBreaker,
  circuitBreaker,
  handleAll,
  handleWhen,
  type IBreaker,
  retry,
  SamplingBreaker,
} from 'cockatiel'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import {
  type CircuitBreaker,
  createRegistry,
  type Registry,
  type SlidingWindow,
} from '../../src/index.ts'

let registry: Registry

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  registry = createRegistry({ keeper: false, clock: 'manual', maxBreakers: 4, maxThreads: 2 })
})
afterEach(() => {
  vi.useRealTimers()
  registry.close()
})

const WAIT_MS = 1_000

function theirs(breaker: IBreaker, handled = handleAll): CircuitBreakerPolicy {
  return circuitBreaker(handled, { breaker, halfOpenAfter: WAIT_MS })
}

function ours(slidingWindow: SlidingWindow): CircuitBreaker {
  return registry.breaker('b', {
    slidingWindow,
    waitDurationInOpenStateMs: WAIT_MS,
    permittedNumberOfCallsInHalfOpenState: 1,
    minimumNumberOfCalls: 5,
    classifyError: error => (String(error).includes('404') ? 'ignored' : 'failure'),
  })
}

type Faces = { execute(fn: () => unknown): Promise<unknown> }

async function call(breaker: Faces, error?: string): Promise<void> {
  const answer = () => (error === undefined ? 'found' : Promise.reject(new Error(error)))
  await breaker.execute(answer).catch(() => {})
}

/** Both breakers, opened by one failure, with their waits over. */
async function halfOpened(): Promise<[CircuitBreakerPolicy, CircuitBreaker]> {
  const handled = handleWhen(error => !error.message.includes('404'))
  const before = theirs(new ConsecutiveBreaker(1), handled)
  const after = ours({ type: 'consecutive', failures: 1 })
  for (const breaker of [before, after]) await call(breaker, '503')
  vi.setSystemTime(Date.now() + WAIT_MS)
  registry.advance(WAIT_MS)
  return [before, after]
}

it('a threshold is exceeded there and reached here', async () => {
  const before = theirs(new CountBreaker({ threshold: 0.5, size: 4 }))
  const after = ours({ type: 'count', size: 4 })
  for (const breaker of [before, after]) {
    for (const error of [undefined, undefined, '503', '503']) await call(breaker, error)
  }
  expect(before.state).toBe(CircuitState.Closed)
  expect(after.state).toBe('open')
  expect(() => new CountBreaker({ threshold: 1, size: 4 })).toThrow(RangeError)
})

it('a success may open it here', async () => {
  const before = theirs(new CountBreaker({ threshold: 0.5, size: 4 }))
  const after = ours({ type: 'count', size: 4 })
  for (const breaker of [before, after]) {
    for (const error of ['503', '503', '503', undefined]) await call(breaker, error)
  }
  expect([before.state, after.state]).toEqual([CircuitState.Closed, 'open'])
})

it('a burst long gone helps to open it there, and is forgotten here', async () => {
  const before = theirs(new SamplingBreaker({ threshold: 0.2, duration: 5_000, minimumRps: 1 }))
  const after = ours({ type: 'time', durationMs: 5_000, buckets: 5 })
  const fails = async (calls: number): Promise<void> => {
    for (let i = 0; i < calls; i++) await Promise.all([before, after].map(b => call(b, '503')))
  }
  await fails(4)
  vi.setSystemTime(Date.now() + 300_000)
  registry.advance(300_000)
  await fails(1)
  expect([before.state, after.state]).toEqual([CircuitState.Open, 'closed'])
  expect(after.snapshot().window.calls).toBe(1)
})

it('an error that is not handled closes it there, and says nothing here', async () => {
  const [before, after] = await halfOpened()
  for (const breaker of [before, after]) await call(breaker, '404')
  expect([before.state, after.state]).toEqual([CircuitState.Closed, 'half-open'])
  await call(after)
  expect(after.state).toBe('closed')
})

it('calls that meet a test wait for it there and are made, and are refused here', async () => {
  const [before, after] = await halfOpened()
  for (const [breaker, expected] of [
    [before, 'made'],
    [after, 'refused'],
  ] as const) {
    let answer = (_: string): void => {}
    const test = breaker.execute(() => new Promise(resolve => (answer = resolve)))
    const other = breaker.execute(() => 'made').catch(() => 'refused')
    answer('found')
    await test
    expect(await other).toBe(expected)
  }
})

it("a caller's abort is a failure there where its rejection is handled, and nothing here", async () => {
  const before = theirs(new ConsecutiveBreaker(1))
  const after = ours({ type: 'consecutive', failures: 1 })
  const controller = new AbortController()
  const untilAborted = ({ signal }: { signal: AbortSignal }): Promise<never> =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error))
    })
  const calls = [
    before.execute(untilAborted, controller.signal),
    after.execute(untilAborted, { signal: controller.signal }),
  ]
  controller.abort()
  await Promise.allSettled(calls)
  expect([before.state, after.state]).toEqual([CircuitState.Open, 'closed'])
  expect(after.snapshot().totals.ignored).toBe(1)
})

it('maxAttempts counts the retries alone', async () => {
  let calls = 0
  const failing = () => {
    calls++
    throw new Error('503')
  }
  const tried = retry(handleAll, { maxAttempts: 3 }).execute(failing)
  await expect(tried).rejects.toThrow('503')
  expect(calls).toBe(4)
})
