/** A polluted Object.prototype has no effect: options, and objects of ours, are read by own fields. */
import { afterEach, expect, it } from 'vitest'
import {
  BusbarError,
  type CircuitBreaker,
  CircuitOpenError,
  createRegistry,
} from '../../src/index.ts'

const boom = new Error('boom')

function fail(): never {
  throw boom
}

function told(error: unknown): unknown {
  if (error === boom) return 'boom'
  if (!(error instanceof Error)) return String(error)
  const own = error instanceof CircuitOpenError ? { ...error, lastError: undefined } : {}
  return [error.name, BusbarError.is(error) && error.code, error.message, own]
}

async function attempt(what: () => unknown): Promise<unknown> {
  try {
    return await what()
  } catch (error) {
    return told(error)
  }
}

/** Every face and every command, in every state. Only promise callbacks run while it goes on. */
async function play(): Promise<string> {
  const trace: unknown[] = []
  const registry = createRegistry({ clock: 'manual', maxBreakers: 3, maxThreads: 1, defaults: {} })
  const breaker = registry.breaker('plain', {
    slidingWindow: { type: 'count' },
    minimumNumberOfCalls: 2,
    permittedNumberOfCallsInHalfOpenState: 1,
  })
  registry.breaker('time', {
    slidingWindow: { type: 'time' },
    waitDurationInOpenStateMs: { initialMs: 7 },
  })
  registry.breaker('row', { slidingWindow: { type: 'consecutive' } })
  const rounds: ((breaker: CircuitBreaker) => unknown)[] = [
    b => b.execute(() => 'value'),
    b => b.execute(() => 'value', {}),
    b => b.execute(fail, {}),
    b => b.execute(fail, { signal: new AbortController().signal }),
    b => b.execute(fail, { timeoutMs: 60_000 }),
    b => b.tryExecute(fail, {}),
    b => b.executeSync(fail),
    b => b.execute(() => 'value', { signal: AbortSignal.abort('aborted') }),
    b => b.open(),
    b => b.open({}),
    b => b.execute(() => 'value', {}),
    () => registry.advance(30_000),
    b => b.execute(() => 'value', {}),
    b => b.forceOpen({}),
    b => b.execute(() => 'value', {}),
    b => b.forceOpen(),
    () => registry.advance(400_000_000),
    b => b.execute(() => 'value'),
    b => b.disable(),
    b => b.metricsOnly(),
    b => b.reset(),
    b => b.recordFailure(b.tryAcquire()),
    b => b.recordFailure(b.tryAcquire()),
  ]
  for (const round of rounds) {
    trace.push(await attempt(() => round(breaker)))
    trace.push(await attempt(() => breaker.snapshot()))
  }
  trace.push(await attempt(() => registry.snapshot()))
  registry.close()
  return JSON.stringify(trace, (_key, value: unknown) => (value === Infinity ? 'Infinity' : value))
}

const KEYS = [
  ['maxBreakers', 'maxThreads', 'clock', 'defaults', 'keeper'],
  ['slidingWindow', 'failureRateThreshold', 'minimumNumberOfCalls'],
  ['slowCallDurationThresholdMs', 'slowCallRateThreshold', 'waitDurationInOpenStateMs'],
  ['permittedNumberOfCallsInHalfOpenState', 'halfOpenFailureRateThreshold', 'trialTimeoutMs'],
  ['isFailure', 'classifyError', 'timeoutMs', 'signal', 'fallback', 'reason', 'ttlMs'],
  ['type', 'durationMs', 'buckets', 'size', 'failures'],
  ['initialMs', 'multiplier', 'maxMs', 'jitter'],
  // Fields that objects within the package may lack.
  ['untilMs', 'sinceMs', 'trip', 'from', 'target', 'trials', 'openedBy'],
  ['breaker', 'state', 'lastError', 'refused', 'code', 'local', 'core', 'done', 'late', 'verdict'],
].flat()

const VALUES: [string, unknown][] = [
  ['a number', 1],
  ['a string', 'polluted'],
  ['a function', () => 'polluted'],
  ['an object', {}],
]

afterEach(() => {
  for (const key of KEYS) Reflect.deleteProperty(Object.prototype, key)
})

it.each(KEYS)('%s', async key => {
  const clean = await play()
  const traces: [string, string][] = []
  for (const [what, value] of VALUES) {
    Object.defineProperty(Object.prototype, key, { value, configurable: true, writable: true })
    traces.push([what, await play()])
    Reflect.deleteProperty(Object.prototype, key)
  }
  expect(traces).toEqual(VALUES.map(([what]) => [what, clean]))
})

it('an enumerable one too', async () => {
  const clean = await play()
  Object.assign(Object.prototype, { polluted: true, failureRateThreshold: 7 })
  const trace = await play()
  Reflect.deleteProperty(Object.prototype, 'polluted')
  Reflect.deleteProperty(Object.prototype, 'failureRateThreshold')
  expect(trace).toBe(clean)
})
