/**
 * The edges of every counter: words set by hand to just before their wrap, then used as ever.
 * Offsets come from the layout, values from the packers, so a change of either keeps this honest.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CircuitBreaker, createRegistry, REFUSED, type Registry } from '../../src/index.ts'
import { type Memory, viewsOf } from '../../src/memory/atomics.ts'
import { BUCKET, RECORD, SHARD_BUCKETS, TOTAL } from '../../src/memory/layout.ts'
import { attachRegion } from '../../src/memory/region.ts'
import { CLOSED, packNext, packState } from '../../src/memory/words/state.ts'
import { packPlace } from '../../src/memory/words/trials.ts'
import { type Cell, shardOf } from '../../src/protocol/cell.ts'
import { Directory } from '../../src/protocol/directory.ts'

let registry: Registry
let memory: Memory

beforeEach(() => {
  registry = createRegistry({ clock: 'manual', maxThreads: 3 })
  memory = viewsOf(registry.handle.buffer)
})

afterEach(() => registry.close())

function cellOf(breaker: CircuitBreaker): Cell {
  const region = attachRegion(registry.handle)
  const names = registry.names()
  return new Directory(region, { thread: 0, parent: 0 }).cells()[
    names.indexOf(breaker.name)
  ] as Cell
}

function fail(breaker: CircuitBreaker, times: number): void {
  for (let time = 0; time < times; time++) breaker.recordFailure(breaker.tryAcquire())
}

describe('totals', () => {
  it.each([2n ** 31n - 2n, 2n ** 32n - 2n, 2n ** 33n - 1n])('go on past %d exactly', start => {
    const breaker = registry.breaker('b')
    const shard = shardOf(cellOf(breaker), 1) / 2
    memory.longs[shard + TOTAL.ADMITTED] = start
    memory.longs[shard + TOTAL.SUCCEEDED] = start
    for (let call = 0; call < 5; call++) breaker.recordSuccess(breaker.tryAcquire())
    const expected = Number(start) + 5
    expect(breaker.snapshot().totals).toMatchObject({
      admitted: expected,
      succeeded: expected,
      inFlight: 0,
    })
  })
})

describe('generations', () => {
  it('wrap at 2^22 through opening, trials and closing', () => {
    const breaker = registry.breaker('b', {
      slidingWindow: { type: 'consecutive', failures: 2 },
      waitDurationInOpenStateMs: 100,
      permittedNumberOfCallsInHalfOpenState: 1,
    })
    const cell = cellOf(breaker)
    const last = 2 ** 22 - 2
    memory[cell.state] = packState(last, CLOSED, 0)
    memory.longs[cell.recordLong + RECORD.NEXT_LONG + (last & 1)] = packNext(last, CLOSED, 0)
    for (let cycle = 0; cycle < 3; cycle++) {
      const late = breaker.tryAcquire()
      fail(breaker, 2)
      expect(breaker.state).toBe('open')
      expect(breaker.tryAcquire()).toBe(REFUSED)
      breaker.recordFailure(late)
      registry.advance(100)
      const trial = breaker.tryAcquire()
      expect(breaker.state).toBe('half-open')
      breaker.recordSuccess(trial)
      expect(breaker.snapshot()).toMatchObject({ state: 'closed', window: { calls: 0 } })
    }
    expect(breaker.snapshot()).toMatchObject({ generation: 7, totals: { late: 3, failed: 6 } })
  })
})

describe('count window', () => {
  it.each([1, 3, 4, 7])('of %i goes through the wrap of its index at 2^32', size => {
    const breaker = registry.breaker('b', {
      slidingWindow: { type: 'count', size },
      failureRateThreshold: 1,
      minimumNumberOfCalls: size,
    })
    const cell = cellOf(breaker)
    memory[cell.record + cell.shape.head] = -2
    for (let call = 0; call < 3 * size; call++) {
      breaker.recordSuccess(breaker.tryAcquire())
      expect(breaker.snapshot().window.calls).toBe(Math.min(size, call + 1))
    }
    fail(breaker, size - 1)
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', window: { failures: size - 1 } })
    fail(breaker, 1)
    expect(breaker.snapshot()).toMatchObject({ state: 'open', openedBy: { failures: size } })
  })

  it('of one outcome opens on one failure and holds only the last', () => {
    const breaker = registry.breaker('b', { slidingWindow: { type: 'count', size: 1 } })
    breaker.recordSuccess(breaker.tryAcquire())
    breaker.recordSuccess(breaker.tryAcquire())
    expect(breaker.snapshot().window).toMatchObject({ calls: 1, failures: 0, failureRate: 0 })
    fail(breaker, 1)
    expect(breaker.state).toBe('open')
  })
})

describe('time window', () => {
  it('of one bucket starts anew with each bucket', () => {
    const breaker = registry.breaker('b', {
      slidingWindow: { type: 'time', durationMs: 1000, buckets: 1 },
      minimumNumberOfCalls: 2,
    })
    registry.advance(999)
    fail(breaker, 1)
    registry.advance(1)
    fail(breaker, 1)
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', window: { calls: 1 } })
    fail(breaker, 1)
    expect(breaker.state).toBe('open')
  })

  it.each([2 ** 31 - 1, 2 ** 32 - 2])('counts on past %d in one bucket', start => {
    const breaker = registry.breaker('b', { failureRateThreshold: 1 })
    breaker.recordSuccess(breaker.tryAcquire())
    memory[shardOf(cellOf(breaker), 1) + SHARD_BUCKETS + BUCKET.KINDS] = start | 0
    breaker.recordSuccess(breaker.tryAcquire())
    expect(breaker.snapshot().window.calls).toBe(start + 1)
  })

  it('works when bucket numbers have passed 2^31 and 2^32', () => {
    const breaker = registry.breaker('b', {
      slidingWindow: { type: 'time', durationMs: 10, buckets: 10 },
      minimumNumberOfCalls: 3,
    })
    for (const target of [2 ** 30 - 2, 2 ** 31 - 2, 2 ** 32 - 2]) {
      registry.advance(target - registry.now())
      fail(breaker, 2)
      registry.advance(5)
      expect(breaker.snapshot().window.calls).toBe(2)
      fail(breaker, 1)
      expect(breaker.state).toBe('open')
      breaker.reset()
    }
  })
})

describe('time window after long silences', () => {
  const second = { type: 'time', durationMs: 10_000, buckets: 10 } as const
  const millisecond = { type: 'time', durationMs: 10, buckets: 10 } as const
  // Ten years is the longest time that an option, and so one step of the clock, may say.
  const silences = [2 ** 18, 2 ** 19, 2 ** 20, 2 ** 20 + 2 ** 19, 2 ** 30, 2 ** 31]

  describe.each([3, 1])('with %i slots for two threads', maxThreads => {
    it.each(silences)('of %i buckets counts what is new and nothing old', silence => {
      for (const [slidingWindow, bucketMs] of [
        [second, 1000],
        [millisecond, 1],
      ] as const) {
        if (silence * bucketMs > 315_360_000_000) continue
        using region = createRegistry({ clock: 'manual', maxThreads })
        const options = { slidingWindow, minimumNumberOfCalls: 2 }
        const breaker = region.breaker('b', options)
        // A closed registry's breaker records in the overflow shard.
        if (maxThreads === 1) region.close()
        breaker.recordFailure(breaker.tryAcquire())
        region.advance(silence * bucketMs)
        expect(breaker.snapshot().window.calls).toBe(0)
        breaker.recordFailure(breaker.tryAcquire())
        expect(breaker.snapshot()).toMatchObject({ state: 'closed', window: { calls: 1 } })
        breaker.recordFailure(breaker.tryAcquire())
        expect(breaker.state).toBe('open')
      }
    })
  })
})

describe('trial places', () => {
  it('go through the wrap of their claim number', () => {
    const breaker = registry.breaker('b', {
      permittedNumberOfCallsInHalfOpenState: 1,
      waitDurationInOpenStateMs: 0,
    })
    const cell = cellOf(breaker)
    memory.longs[(cell.record + cell.shape.trials) / 2] = packPlace(0, 0, 2 ** 22 - 2, 0)
    breaker.open()
    const permits = new Set<number>()
    for (let claim = 0; claim < 4; claim++) {
      const permit = breaker.tryAcquire()
      expect(permit).toBeGreaterThan(0)
      expect(breaker.tryAcquire()).toBe(REFUSED)
      breaker.release(permit)
      breaker.release(permit)
      permits.add(permit)
    }
    expect(permits.size).toBe(4)
    expect(breaker.snapshot().totals).toMatchObject({ ignored: 4, late: 4, inFlight: 0 })
  })
})

describe('waits', () => {
  it('of 30 days are 30 days, to the millisecond', () => {
    const breaker = registry.breaker('b', { waitDurationInOpenStateMs: 2_592_000_000 })
    breaker.open()
    registry.advance(2_591_999_999)
    expect(breaker.tryAcquire()).toBe(REFUSED)
    registry.advance(1)
    expect(breaker.tryAcquire()).toBeGreaterThan(0)
  })
})

describe('damage', () => {
  it('of a state word fails open, is counted, reported once and mended by a command', async () => {
    const warnings: string[] = []
    const note = (warning: Error): number => warnings.push(warning.message)
    process.on('warning', note)
    const breaker = registry.breaker('b')
    memory[cellOf(breaker).state] = packState(3, 7, 0)
    const permit = breaker.tryAcquire()
    expect(permit).not.toBe(REFUSED)
    expect(breaker.tryAcquire()).not.toBe(REFUSED)
    breaker.recordFailure(permit)
    expect(breaker.snapshot().totals).toMatchObject({ admitted: 2, late: 1 })
    expect(registry.snapshot().damaged).toBe(2)
    await new Promise(setImmediate)
    expect(warnings).toEqual([
      expect.stringMatching(/damaged shared memory: .*state word.* of a breaker/),
    ])
    process.off('warning', note)
    breaker.reset()
    expect(breaker.state).toBe('closed')
    fail(breaker, 20)
    expect(breaker.state).toBe('open')
  })
})
