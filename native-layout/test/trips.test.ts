/** Trips and recoveries are seen both ways: those of native threads and those of JavaScript. */
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type CircuitBreaker, createRegistry, REFUSED, type Registry } from '../../src/index.ts'
import { closedGate } from '../../test/threads/crew.ts'
import { type NativeBreaker, NativeRegion } from './addon.ts'
import { needAddon, openGate, startWorker, sumOf, until } from './support.ts'

beforeEach(needAddon)

const MINIMUM = 10
const TRIALS = 5
const WAIT_MS = 50
const OPTIONS = {
  minimumNumberOfCalls: MINIMUM,
  failureRateThreshold: 0.5,
  waitDurationInOpenStateMs: WAIT_MS,
  permittedNumberOfCallsInHalfOpenState: TRIALS,
  trialTimeoutMs: 60_000,
}
const WINDOWS = [
  { type: 'time', durationMs: 60_000, buckets: 60 },
  { type: 'count', size: 100 },
  { type: 'consecutive', failures: MINIMUM },
] as const

function opened(registry: Registry): Registry {
  onTestFinished(() => registry.close())
  return registry
}

function fail(breaker: CircuitBreaker | NativeBreaker, times: number): void {
  for (let call = 0; call < times; call += 1) breaker.recordFailure(breaker.tryAcquire())
}

/** A breaker at a clock that stands still, in the hands of both sides. */
function stepwise(slidingWindow: (typeof WINDOWS)[number]) {
  const registry = opened(createRegistry({ clock: 'manual' }))
  const breaker = registry.breaker('b', { ...OPTIONS, slidingWindow })
  const native = new NativeRegion(registry.handle.buffer).join().find('b')
  return { registry, breaker, native }
}

describe.each(WINDOWS)('a window of $type', slidingWindow => {
  it('native threads trip it; JavaScript is refused at once, in every thread', async () => {
    const registry = opened(createRegistry({ keeper: true }))
    const wait = { waitDurationInOpenStateMs: 600_000 }
    const breaker = registry.breaker('b', { ...OPTIONS, ...wait, slidingWindow })
    const region = new NativeRegion(registry.handle.buffer)
    const gate = closedGate()
    const askers = [1, 2].map(() =>
      startWorker(registry, 'askUntilRefused', { breaker: 'b', milliseconds: 10_000 }, gate),
    )
    const options = { threads: 2, mode: 'untilRefused', milliseconds: 10_000 } as const
    const crew = region.crew('b', gate, options)
    await openGate(gate, 4)
    const counts = await crew.counts()
    expect(breaker.tryAcquire()).toBe(REFUSED)
    expect(sumOf(counts, 'refused')).toBe(2)
    const asked = await Promise.all(askers.map(({ result }) => result))
    expect(asked.map(({ refused }) => refused)).toEqual([1, 1])
    // At most one more for each thread that was in the midst of a record.
    const { failed } = breaker.snapshot().totals
    expect(failed).toBeGreaterThanOrEqual(MINIMUM)
    expect(failed).toBeLessThanOrEqual(MINIMUM + 2)
    expect(breaker.snapshot().openedBy?.failures).toBeGreaterThanOrEqual(MINIMUM)
  })

  it('JavaScript trips it; native threads are refused at once', () => {
    const { breaker, native } = stepwise(slidingWindow)
    fail(breaker, MINIMUM - 1)
    expect(native.state).toBe('closed')
    native.recordFailure(native.tryAcquire())
    expect(breaker.state).toBe('open')
    expect([native.tryAcquire(), breaker.tryAcquire()]).toEqual([REFUSED, REFUSED])
    breaker.reset()
    fail(native, MINIMUM - 1)
    breaker.recordFailure(breaker.tryAcquire())
    expect(native.state).toBe('open')
    expect([native.tryAcquire(), breaker.tryAcquire()]).toEqual([REFUSED, REFUSED])
  })

  it('closes by trials that succeed in C, and opens again by one that fails there', () => {
    const { registry, breaker, native } = stepwise(slidingWindow)
    fail(native, MINIMUM)
    registry.advance(WAIT_MS)
    const trials = Array.from({ length: TRIALS }, () => native.tryAcquire())
    expect([breaker.state, breaker.tryAcquire()]).toEqual(['half-open', REFUSED])
    for (const trial of trials) expect(native.recordSuccess(trial)).toBe(true)
    expect(breaker.state).toBe('closed')
    fail(breaker, MINIMUM)
    registry.advance(WAIT_MS)
    expect(native.recordFailure(native.tryAcquire())).toBe(true)
    expect(breaker.state).toBe('open')
    expect(breaker.retryAfterMs()).toBe(WAIT_MS)
  })

  it('after the wait all threads together get the permitted trials', async () => {
    const registry = opened(createRegistry({ keeper: true }))
    const breaker = registry.breaker('b', { ...OPTIONS, slidingWindow })
    fail(breaker, MINIMUM)
    expect(breaker.state).toBe('open')
    const gate = closedGate()
    const args = { breaker: 'b', milliseconds: 200 }
    const workers = [1, 2].map(() => startWorker(registry, 'keepTrials', args, gate))
    const region = new NativeRegion(registry.handle.buffer)
    const options = { threads: 2, mode: 'keepTrials', milliseconds: 200 } as const
    const crew = region.crew('b', gate, options)
    await openGate(gate, 4)
    const natives = await crew.counts()
    const counts = [...natives, ...(await Promise.all(workers.map(({ result }) => result)))]
    expect(sumOf(counts, 'trials')).toBe(TRIALS)
    expect(sumOf(counts, 'admitted')).toBe(TRIALS)
    expect(breaker.snapshot().trials).toMatchObject({ permitted: TRIALS, inFlight: TRIALS })
  })
})

describe('commands by hand', () => {
  it('are seen by C', () => {
    const { registry, breaker, native } = stepwise(WINDOWS[0])
    breaker.forceOpen({ ttlMs: 20 })
    expect([native.state, native.tryAcquire()]).toEqual(['forced-open', REFUSED])
    registry.advance(20)
    expect(native.recordSuccess(native.tryAcquire())).toBe(true)
    expect([native.state, breaker.state]).toEqual(['half-open', 'half-open'])
    breaker.disable()
    fail(native, 2 * MINIMUM)
    expect(native.state).toBe('disabled')
    breaker.metricsOnly()
    fail(native, 2 * MINIMUM)
    expect(native.state).toBe('metrics-only')
    expect(breaker.snapshot().window.failures).toBe(2 * MINIMUM)
    breaker.open()
    expect([native.state, native.tryAcquire()]).toEqual(['open', REFUSED])
    breaker.reset()
    expect(native.state).toBe('closed')
    expect(native.recordSuccess(native.tryAcquire())).toBe(true)
  })

  it('are seen by native threads at work', async () => {
    const registry = opened(createRegistry({ keeper: true }))
    const breaker = registry.breaker('b', OPTIONS)
    const gate = closedGate()
    const options = { threads: 2, mode: 'succeed', milliseconds: 20_000 } as const
    const crew = new NativeRegion(registry.handle.buffer).crew('b', gate, options)
    await openGate(gate, 2)
    await until(() => breaker.snapshot().totals.succeeded > 100)
    breaker.forceOpen()
    await until(() => breaker.snapshot().totals.refused > 100)
    const { succeeded } = breaker.snapshot().totals
    breaker.reset()
    await until(() => breaker.snapshot().totals.succeeded > succeeded)
    crew.end()
    const counts = await crew.counts()
    expect(breaker.snapshot().totals.refused).toBe(sumOf(counts, 'refused'))
  })
})
