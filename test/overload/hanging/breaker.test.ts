/** `countHangingCalls` by the calls that a user makes. */
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  attachRegistry,
  type BreakerOptions,
  type CircuitBreaker,
  createRegistry,
  InvalidOptionError,
  REFUSED,
  type Registry,
} from '../../../src/index.ts'
import { METRICS_ONLY } from '../../../src/memory/words/state.ts'
import { Core } from '../../../src/protocol/breaker.ts'
import { makeCore } from '../../../src/protocol/breaker-aged.ts'
import { carryOutCommand, plainCommand } from '../../../src/protocol/command.ts'
import { snapshotOf, summaryOf } from '../../../src/protocol/look.ts'
import { world } from '../../explore/build.ts'

const SLOW_MS = 160
const STEP_MS = 10
/** In the 17th step after its own. */
const SURELY_MS = SLOW_MS + STEP_MS

const OPTIONS: BreakerOptions = {
  countHangingCalls: true,
  slidingWindow: { type: 'time', durationMs: 1000, buckets: 1 },
  slowCallDurationThresholdMs: SLOW_MS,
  minimumNumberOfCalls: 2,
  permittedNumberOfCallsInHalfOpenState: 1,
  waitDurationInOpenStateMs: 500,
}

interface Made {
  readonly registry: Registry
  readonly breaker: CircuitBreaker
}

function make(options: BreakerOptions = {}): Made {
  const registry = createRegistry({ clock: 'manual', maxBreakers: 4, maxThreads: 2 })
  onTestFinished(() => registry.close())
  return { registry, breaker: registry.breaker('b', { ...OPTIONS, ...options }) }
}

function begin(breaker: CircuitBreaker, calls: number): number[] {
  return Array.from({ length: calls }, () => breaker.tryAcquire())
}

it('opens by calls that have not ended, once they have surely taken too long', () => {
  const { registry, breaker } = make()
  registry.advance(3)
  begin(breaker, 2)
  registry.advance(SURELY_MS - 4)
  expect(breaker.tryAcquire()).not.toBe(REFUSED)
  expect(breaker.snapshot().window).toMatchObject({ calls: 0, hangingCalls: 0 })
  registry.advance(1)
  expect(breaker.snapshot().window).toMatchObject({ calls: 2, slowCalls: 2, hangingCalls: 2 })
  expect(breaker.state).toBe('closed')
  expect(breaker.tryAcquire()).toBe(REFUSED)
  expect(breaker.snapshot()).toMatchObject({
    state: 'open',
    openedBy: { calls: 2, failures: 0, slowCalls: 2 },
  })
})

it('opens and sums without an ask, where a keeper tends it', () => {
  const { cell, clock } = world(OPTIONS)
  const owner = makeCore(cell, 1)
  const keeper = new Core(cell, 0)
  for (let call = 0; call < 2; call++) owner.tryAcquire()
  clock.advance(SURELY_MS - 0.001)
  keeper.tend()
  expect(summaryOf(owner)).toMatchObject({ state: 'closed', window: { calls: 0 } })
  clock.advance(0.001)
  keeper.tend()
  expect(summaryOf(owner).state).toBe('open')
  carryOutCommand(owner, plainCommand(METRICS_ONLY))
  owner.tryAcquire()
  clock.advance(SURELY_MS)
  keeper.tend()
  clock.advance(1)
  const { window, windowAgeMs } = summaryOf(owner)
  expect(window).toMatchObject({ calls: 1, slowCalls: 1, hangingCalls: 1 })
  expect(windowAgeMs).toBe(1)
})

it('counts a call that hung once when it ends, in whatever way', () => {
  const { registry, breaker } = make({ minimumNumberOfCalls: 50 })
  const [first = 0, second = 0, third = 0] = begin(breaker, 3)
  registry.advance(SURELY_MS)
  breaker.recordSuccess(first, SURELY_MS)
  breaker.recordFailure(second, SURELY_MS)
  const { window } = breaker.snapshot()
  expect(window).toMatchObject({ calls: 3, failures: 1, slowCalls: 3, slowFailures: 1 })
  expect(window.hangingCalls).toBe(1)
  breaker.release(third)
  expect(breaker.snapshot().window).toMatchObject({ calls: 2, slowCalls: 2, hangingCalls: 0 })
  expect(breaker.snapshot().totals).toMatchObject({ inFlight: 0, slow: 2, ignored: 1, late: 0 })
})

it('a call that hung in a generation that is over counts in no other', () => {
  const { registry, breaker } = make()
  const [held = 0] = begin(breaker, 2)
  registry.advance(SURELY_MS)
  breaker.reset()
  expect(breaker.snapshot().window).toMatchObject({ calls: 0, hangingCalls: 0 })
  expect(breaker.tryAcquire()).not.toBe(REFUSED)
  breaker.recordSuccess(held, SURELY_MS)
  expect(breaker.snapshot().totals).toMatchObject({ late: 1, succeeded: 0 })
})

it('only shows them while metrics-only, and tells no ages while disabled', () => {
  const { registry, breaker } = make()
  breaker.metricsOnly()
  begin(breaker, 3)
  registry.advance(SURELY_MS)
  expect(breaker.tryAcquire()).not.toBe(REFUSED)
  expect(breaker.snapshot()).toMatchObject({
    state: 'metrics-only',
    window: { calls: 3, slowCalls: 3, hangingCalls: 3 },
  })
  breaker.disable()
  const [permit = 0] = begin(breaker, 3)
  registry.advance(SURELY_MS)
  expect(breaker.snapshot().window).toMatchObject({ calls: 0, hangingCalls: 0 })
  breaker.recordSuccess(permit, SURELY_MS)
  expect(breaker.snapshot().totals).toMatchObject({ succeeded: 1, late: 0 })
})

describe('a trial that hangs', () => {
  it.each([
    ['has failed once it is slow', 60_000, SLOW_MS],
    ['has failed sooner where trials have less time', 40, 40],
  ])('%s', (_what, trialTimeoutMs, leaseMs) => {
    const { registry, breaker } = make({ trialTimeoutMs })
    breaker.open()
    registry.advance(500)
    const trial = breaker.tryAcquire()
    expect(breaker.state).toBe('half-open')
    registry.advance(leaseMs - 0.001)
    expect(breaker.tryAcquire()).toBe(REFUSED)
    expect(breaker.state).toBe('half-open')
    registry.advance(0.002)
    expect(breaker.tryAcquire()).toBe(REFUSED)
    expect(breaker.state).toBe('open')
    breaker.recordSuccess(trial, leaseMs + 0.001)
    expect(breaker.snapshot().totals.late).toBe(1)
  })
})

it('calls after a trial has closed it are told by age again', () => {
  const { registry, breaker } = make()
  breaker.open()
  registry.advance(500)
  breaker.recordSuccess(breaker.tryAcquire(), 1)
  expect(breaker.state).toBe('closed')
  begin(breaker, 2)
  registry.advance(SURELY_MS)
  expect(breaker.tryAcquire()).toBe(REFUSED)
})

it('a thread that gives its slot back tells no ages of calls that go on', () => {
  const { registry, breaker } = make({ minimumNumberOfCalls: 50 })
  const permits = begin(breaker, 3)
  const other = attachRegistry(registry.handle)
  onTestFinished(() => other.close())
  registry.advance(SURELY_MS)
  registry.close()
  // The other registry of this thread keeps the slot.
  expect(other.breaker('b').snapshot().window.hangingCalls).toBe(3)
  breaker.release(permits[0] as number)
  expect(breaker.snapshot().window.hangingCalls).toBe(2)
  other.close()
  const late = attachRegistry(registry.handle)
  onTestFinished(() => late.close())
  expect(late.breaker('b').snapshot().window.hangingCalls).toBe(0)
  breaker.release(permits[1] as number)
  expect(late.breaker('b').snapshot().totals).toMatchObject({ ignored: 2, inFlight: 1 })
})

it('a call in flight for a thousand laps is taken out of those that hang', () => {
  const { registry, breaker } = make({ minimumNumberOfCalls: 50 })
  const [permit = 0] = begin(breaker, 1)
  registry.advance(1000 * 20 * STEP_MS)
  const [young = 0] = begin(breaker, 1)
  expect(breaker.snapshot().window.hangingCalls).toBe(1)
  breaker.recordFailure(permit, 200_000)
  expect(breaker.snapshot().window).toMatchObject({ calls: 1, slowCalls: 1, hangingCalls: 0 })
  registry.advance(SURELY_MS)
  expect(breaker.snapshot().window.hangingCalls).toBe(1)
  breaker.release(young)
  expect(breaker.snapshot().window.hangingCalls).toBe(0)
})

it('a thread does not spare its good outcomes while a call hangs that may be released', () => {
  const { cell, clock } = world({ ...OPTIONS, minimumNumberOfCalls: 5, failureRateThreshold: 0.6 })
  const [first, second] = [makeCore(cell, 1), makeCore(cell, 2)]
  const held = [1, 2, 3].map(() => first.tryAcquire())
  clock.advance(SURELY_MS)
  for (let call = 0; call < 2; call++) second.recordFailure(second.tryAcquire())
  second.recordSuccess(second.tryAcquire())
  expect(snapshotOf(first).window).toMatchObject({ calls: 6, failures: 2, hangingCalls: 3 })
  const [bad, good] = [second.tryAcquire(), second.tryAcquire()]
  for (const permit of held) first.release(permit)
  second.recordFailure(bad)
  expect(snapshotOf(first)).toMatchObject({ state: 'closed', window: { calls: 4 } })
  // The second thread has found the minimum before, which there is only now again.
  second.recordSuccess(good)
  expect(snapshotOf(first)).toMatchObject({
    state: 'open',
    openedBy: { calls: 5, failures: 3, slowCalls: 0 },
  })
})

it('permits used twice, or made up, leave no count below nothing', () => {
  const { registry, breaker } = make({ minimumNumberOfCalls: 50 })
  const [permit = 0] = begin(breaker, 2)
  for (let time = 0; time < 5; time++) breaker.recordFailure(permit, 1)
  for (const forged of [-7, 0.5, Number.NaN, 2 ** 31, 2 ** 40, 2 ** 53 - 1]) {
    breaker.recordFailure(forged, 1)
    breaker.release(forged)
  }
  registry.advance(SURELY_MS)
  expect(breaker.snapshot().window.hangingCalls).toBe(0)
  begin(breaker, 1)
  registry.advance(SURELY_MS)
  expect(breaker.snapshot().window.hangingCalls).toBe(1)
})

it('other breakers say nothing of calls that hang', () => {
  const { breaker } = make({ countHangingCalls: false })
  expect(breaker.snapshot().window).not.toHaveProperty('hangingCalls')
})

it.each([
  ['no slow threshold', { slowCallDurationThresholdMs: undefined }],
  ['a count window', { slidingWindow: { type: 'count', size: 10 } }],
  ['a consecutive window', { slidingWindow: { type: 'consecutive', failures: 3 } }],
] as const)('refuses %s', (_what, options) => {
  expect(() => make(options)).toThrow(InvalidOptionError)
  expect(() => make(options)).toThrow('countHangingCalls')
})

it('is a mismatch where another thread asks for it and the first did not', () => {
  const { registry } = make()
  expect(() => registry.breaker('b', { countHangingCalls: false })).toThrow('countHangingCalls')
})
