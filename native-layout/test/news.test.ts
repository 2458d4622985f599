/** Transitions that native threads make, as JavaScript's listeners and its history tell them. */
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  type CircuitBreaker,
  createRegistry,
  type Registry,
  type StateChange,
} from '../../src/index.ts'
import { attachRegion } from '../../src/memory/region.ts'
import { FIRST_NATIVE_THREAD, threadOf } from '../../src/memory/words/threads.ts'
import { type NativeBreaker, NativeRegion } from './addon.ts'
import { expectSound, needAddon, until } from './support.ts'

const WAIT_MS = 100
let registry: Registry
let breaker: CircuitBreaker
let native: NativeBreaker
let changes: StateChange[]

beforeEach(context => {
  needAddon(context)
  registry = createRegistry({ clock: 'manual', maxThreads: 2 })
  registry.breaker('another')
  breaker = registry.breaker('b', {
    slidingWindow: { type: 'count', size: 4 },
    minimumNumberOfCalls: 4,
    failureRateThreshold: 0.5,
    waitDurationInOpenStateMs: WAIT_MS,
    permittedNumberOfCallsInHalfOpenState: 2,
  })
  native = new NativeRegion(registry.handle.buffer).join().find('b')
  changes = []
  registry.on('stateChange', change => changes.push(change))
})
afterEach(() => {
  expectSound(registry, { quiet: false })
  registry.close()
})

function trip(): void {
  for (const fails of [false, false, true, true]) {
    const permit = native.tryAcquire()
    if (fails) native.recordFailure(permit, 3)
    else native.recordSuccess(permit)
  }
}

/** The number by which the region knows the native thread. */
function nativeThread(): number {
  const { memory, shape } = attachRegion(registry.handle)
  const word = memory.longs[shape.threadsLong + native.member.slot] ?? 0n
  return threadOf(word).thread
}

const TRIP = {
  ...{ breaker: 'b', from: 'closed', to: 'open', generation: 1, at: 0, reason: 'failure rate' },
  counts: { calls: 4, failures: 2, slowCalls: 0, failureRate: 0.5, slowCallRate: 0 },
}

it('are told at the next call of a thread that listens', async () => {
  trip()
  await setImmediate()
  expect(changes).toEqual([])
  breaker.tryAcquire()
  await setImmediate()
  expect(nativeThread()).toBeGreaterThan(FIRST_NATIVE_THREAD)
  // Nobody listens in the thread that made it, so the first to hear of it has it as its own.
  expect(changes).toEqual([{ ...TRIP, thread: nativeThread(), origin: 'self' }])
})

it('are told within about a second without one', async () => {
  trip()
  await until(() => changes.length > 0)
  expect(changes).toEqual([{ ...TRIP, thread: nativeThread(), origin: 'self' }])
})

it('stand in the history with what the ended state had counted', () => {
  trip()
  registry.advance(WAIT_MS)
  const trials = [native.tryAcquire(), native.tryAcquire()]
  for (const trial of trials) native.recordSuccess(trial)
  breaker.open()
  const thread = nativeThread()
  const trialCounts = { calls: 2, failures: 0, slowCalls: 0, failureRate: 0, slowCallRate: 0 }
  const at = WAIT_MS
  expect(registry.history()).toMatchObject([
    { ...TRIP, thread },
    { from: 'open', to: 'half-open', at, thread, reason: 'wait over', counts: undefined },
    {
      from: 'half-open',
      to: 'closed',
      at,
      thread,
      reason: 'trials succeeded',
      counts: trialCounts,
    },
    { from: 'closed', to: 'open', thread: 0, reason: 'by hand' },
  ])
})

it('a thread that finds no slot is counted, and its transitions bear its number', () => {
  const another = new NativeRegion(registry.handle.buffer).join()
  expect(another.slot).toBe(0)
  expect(registry.snapshot().threadsWithoutSlot).toBe(1)
  native = another.find('b')
  trip()
  const [{ thread } = { thread: 0 }] = registry.history()
  expect(thread).toBeGreaterThan(FIRST_NATIVE_THREAD)
})

it('refusals are counted by the state that refused', () => {
  trip()
  for (const _ of [1, 2, 3]) native.tryAcquire()
  registry.advance(WAIT_MS)
  for (const _ of [1, 2, 3, 4]) native.tryAcquire()
  breaker.forceOpen()
  for (const _ of [1, 2, 3, 4, 5]) native.tryAcquire()
  const refusals = { refused: 3 + 2 + 5, refusedHalfOpen: 2, refusedForcedOpen: 5 }
  expect(breaker.snapshot().totals).toMatchObject(refusals)
  breaker.reset()
  trip()
  native.tryAcquire()
  expect(breaker.snapshot().totals).toMatchObject({ ...refusals, refused: 11 })
})
