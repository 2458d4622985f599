/** What the stream says, with a clock that stands still until it is moved. */
import { beforeEach, describe, expect, it } from 'vitest'
import { Sampler } from '../../src/dashboard/sampler.ts'
import type { Frame, Snapshot } from '../../src/dashboard/wire.ts'
import { createRegistry, type Registry } from '../../src/index.ts'
import { call, QUICK, rowOf } from './support.ts'

let registry: Registry
let sampler: Sampler

function dataOf<T>(text: string): T {
  return JSON.parse(text.split('\n')[1]?.slice('data: '.length) ?? '') as T
}

function frameAfter(ms: number): Frame {
  registry.advance(ms)
  return dataOf<Frame>(sampler.nextFrame())
}

function snapshot(): Snapshot {
  return dataOf<Snapshot>(sampler.snapshot())
}

beforeEach(() => {
  registry = createRegistry({ clock: 'manual' })
  registry.breaker('a', QUICK)
  registry.breaker('b', { ...QUICK, slowCallDurationThresholdMs: 15, slowCallRateThreshold: 0.9 })
  sampler = new Sampler(registry, 1_000)
  sampler.start()
})

describe('a snapshot', () => {
  it('introduces every breaker with its thresholds', () => {
    const { version, fields, added, rows, registry: seen } = snapshot()
    expect(version).toBe(1)
    expect(added.map(({ name }) => name)).toEqual(['a', 'b'])
    expect(added[1]).toMatchObject({
      failuresInARow: null,
      failureRateThreshold: 0.5,
      minimumNumberOfCalls: 4,
      slowCallDurationThresholdMs: 15,
      slowCallRateThreshold: 0.9,
      permittedTrials: 2,
    })
    expect(rows.every(row => row.length === fields.length)).toBe(true)
    expect(seen).toMatchObject({ threads: 1, maxThreads: 64, maxBreakers: 256, damaged: 0 })
    expect(seen.slots).toHaveLength(1)
  })

  it('has a row that says how many failures in a row open', () => {
    registry.breaker('c', { slidingWindow: { type: 'consecutive', failures: 7 } })
    const { added = [] } = frameAfter(1_000)
    expect(added).toMatchObject([{ name: 'c', failuresInARow: 7 }])
    expect(snapshot().added).toHaveLength(3)
  })

  it('has the transitions so far and the past of who was called', () => {
    call(registry, 'a', 4, 4)
    frameAfter(1_000)
    const { transitions, past } = snapshot()
    expect(transitions).toMatchObject([{ breaker: 'a', from: 'closed', to: 'open' }])
    expect(past).toHaveLength(1)
    expect(past[0]?.columns.slice(-4)).toEqual([0, 4, 0, 1_000])
  })
})

describe('a frame', () => {
  it('has no rows where nothing happened', () => {
    frameAfter(1_000)
    expect(frameAfter(1_000)).toMatchObject({ elapsedMs: 1_000, rows: [] })
  })

  it('has the rates of the last interval where that saw many calls', () => {
    call(registry, 'a', 20, 0)
    frameAfter(1_000)
    call(registry, 'a', 60, 6)
    const row = rowOf(snapshot(), frameAfter(2_000), 'a')
    expect(row).toMatchObject({ callsPerSecond: 30, admitted: 80, recent: [54, 6, 0] })
    expect(row).toMatchObject({ state: 'closed', calls: 80, failures: 6, failureRate: 0.075 })
  })

  it('has those of ten seconds where it saw few', () => {
    for (let second = 1; second <= 15; second++) {
      call(registry, 'a', second % 2, 0)
      frameAfter(1_000)
    }
    call(registry, 'a', 1, 0)
    const row = rowOf(snapshot(), frameAfter(1_000), 'a')
    expect(row?.callsPerSecond).toBeGreaterThan(0.4)
    expect(row?.callsPerSecond).toBeLessThan(0.7)
  })

  it('has percentiles of ten seconds, and none when these are over', () => {
    call(registry, 'a', 10, 0)
    const { p50Ms, p99Ms } = rowOf(snapshot(), frameAfter(1_000), 'a') ?? {}
    for (const found of [p50Ms, p99Ms]) {
      expect(found).toBeGreaterThan(6.4)
      expect(found).toBeLessThanOrEqual(12.8)
    }
    for (let second = 0; second < 12; second++) frameAfter(1_000)
    const [, ...fields] = snapshot().fields
    const row = snapshot().rows[0]
    expect(row?.[fields.indexOf('p50Ms') + 1]).toBeNull()
  })

  it('says who opened it, until when, and by what', () => {
    call(registry, 'b', 4, 4)
    const frame = frameAfter(1_000)
    const row = rowOf(snapshot(), frame, 'b')
    expect(row).toMatchObject({ state: 'open', since: 0, until: 60_000, openedBy: [4, 4, 4] })
    expect(frame.transitions).toMatchObject([
      { breaker: 'b', to: 'open', reason: 'failure rate', counts: { calls: 4, failures: 4 } },
    ])
    expect(frame.transitions?.[0]?.thread).toBe(0)
    // Once only.
    expect(frameAfter(1_000).transitions).toBeUndefined()
  })

  it('counts refusals, and sends no row while they cease', () => {
    call(registry, 'a', 4, 4)
    frameAfter(1_000)
    call(registry, 'a', 100, 0)
    const row = rowOf(snapshot(), frameAfter(1_000), 'a')
    expect(row).toMatchObject({ refused: 100, refusedPerSecond: 100, recent: [0, 0, 100] })
    for (let second = 0; second < 12; second++) frameAfter(1_000)
    expect(frameAfter(1_000).rows).toEqual([])
  })

  it('says what trials there are', () => {
    call(registry, 'a', 4, 4)
    registry.advance(60_000)
    const permit = registry.breaker('a').tryAcquire()
    const row = rowOf(snapshot(), frameAfter(1_000), 'a')
    expect(row).toMatchObject({ state: 'half-open', trials: [2, 1, 0, 0], inFlight: 1 })
    registry.breaker('a').recordSuccess(permit)
    expect(rowOf(snapshot(), frameAfter(1), 'a')).toMatchObject({ trials: [2, 0, 1, 0] })
  })

  it('says that only a command ends a forced opening', () => {
    registry.breaker('a').forceOpen({ reason: 'moving' })
    const frame = frameAfter(1_000)
    expect(rowOf(snapshot(), frame, 'a')).toMatchObject({ state: 'forced-open', until: null })
    expect(frame.transitions).toMatchObject([{ reason: 'moving' }])
  })

  it("gives each thread's share of the calls", () => {
    call(registry, 'a', 8, 0)
    const permit = registry.breaker('a').tryAcquire()
    expect(rowOf(snapshot(), frameAfter(1_000), 'a')?.shares).toEqual([1, 9, 1])
    registry.breaker('a').release(permit)
  })
})

it('starts anew after a pause: what happened meanwhile is no rate', () => {
  call(registry, 'a', 50, 0)
  registry.advance(60_000)
  sampler.start()
  const rate = snapshot().fields.indexOf('callsPerSecond')
  expect(snapshot().rows[0]?.[rate]).toBe(0)
  call(registry, 'a', 30, 0)
  expect(rowOf(snapshot(), frameAfter(1_000), 'a')).toMatchObject({ callsPerSecond: 30 })
})

it('keeps the frames of 500 busy breakers small', () => {
  for (let each = 0; each < 250; each++) registry.breaker(`payments.shard-${each}`, QUICK)
  for (const name of registry.names()) call(registry, name, 6, 1)
  registry.advance(1_000)
  const bytes = sampler.nextFrame().length / registry.names().length
  // Introductions and transitions included.
  expect(bytes).toBeLessThan(500)
  for (const name of registry.names()) call(registry, name, 6, 1)
  registry.advance(1_000)
  expect(sampler.nextFrame().length / registry.names().length).toBeLessThan(200)
})
