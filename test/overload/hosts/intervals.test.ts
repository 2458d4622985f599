import { describe, expect, it } from 'vitest'
import { groupOf, INTERVAL_MS, record, stateOf } from './support.ts'

describe('once an interval', () => {
  const RATES = { minimumHosts: 5, requestVolume: 10 }

  it('a success rate far below the mean ejects', () => {
    const { registry, group } = groupOf({ consecutiveFailures: 0, successRate: RATES })
    for (const host of ['a', 'b', 'c', 'd']) record(group, host, 10, 0)
    record(group, 'e', 6, 4)
    registry.advance(INTERVAL_MS)
    expect(stateOf(group, 'e').successRate).toBe(0.6)
    expect(group.isEjected('e')).toBe(false)
    group.record('a', 'success')
    expect(group.isEjected('e')).toBe(true)
    expect(group.snapshot().ejected).toBe(1)
  })

  it('a failed part of the threshold ejects, the worst first, as far as the cap allows', () => {
    const { registry, group } = groupOf({
      consecutiveFailures: 0,
      maxEjectionPercent: 40,
      failurePercentage: { threshold: 0.5, minimumHosts: 5, requestVolume: 10 },
    })
    const failures = { a: 0, b: 6, c: 10, d: 8, e: 4 }
    for (const [host, failed] of Object.entries(failures)) record(group, host, 10 - failed, failed)
    registry.advance(INTERVAL_MS)
    group.record('a', 'success')
    const { hosts, maxEjected, ejected } = group.snapshot()
    expect(hosts.filter(one => one.ejected).map(({ host }) => host)).toEqual(['c', 'd'])
    expect([maxEjected, ejected]).toEqual([2, 2])
  })

  it('an interval counts once, and only for hosts that were free all through it', () => {
    const { registry, group } = groupOf({
      consecutiveFailures: 5,
      failurePercentage: { threshold: 0.5, minimumHosts: 1, requestVolume: 5 },
    })
    record(group, 'a', 0, 5)
    expect(stateOf(group, 'a').ejectedForMs).toBe(300)
    // The ejection is over when the interval is; what came before it has been paid for.
    registry.advance(INTERVAL_MS)
    group.record('a', 'success')
    expect(group.isEjected('a')).toBe(false)
    record(group, 'a', 1, 4)
    registry.advance(INTERVAL_MS)
    group.record('a', 'success')
    // Free for 700 ms before the interval that it is ejected for, which is no whole one.
    expect(stateOf(group, 'a')).toMatchObject({ ejectedForMs: 600, ejectionsInRow: 2 })
  })

  it('the interval that a host is ejected for is none of freedom: the time grows', () => {
    const { registry, group } = groupOf({
      consecutiveFailures: 0,
      baseEjectionMs: INTERVAL_MS,
      maxEjectionMs: 10_000,
      failurePercentage: { threshold: 0.5, minimumHosts: 1, requestVolume: 5 },
    })
    const times: number[] = []
    for (let round = 0; round < 3; round++) {
      record(group, 'a', 0, 5)
      registry.advance(INTERVAL_MS)
      group.record('a', 'success')
      const { ejectedForMs } = stateOf(group, 'a')
      times.push(ejectedForMs)
      registry.advance(ejectedForMs)
    }
    expect(times).toEqual([1000, 2000, 3000])
  })

  it('an interval without a call after it, or with too few in it, ejects nobody', () => {
    const { registry, group } = groupOf({
      consecutiveFailures: 0,
      failurePercentage: { threshold: 0.5, minimumHosts: 1, requestVolume: 5 },
    })
    record(group, 'a', 0, 5)
    registry.advance(2 * INTERVAL_MS)
    record(group, 'a', 0, 4)
    expect(stateOf(group, 'a')).toMatchObject({ ejected: false, successRate: null })
    registry.advance(INTERVAL_MS)
    group.record('a', 'failure')
    expect(group.isEjected('a')).toBe(false)
  })
})

describe('the cap', () => {
  it('lets one go always, and as many as the hosts that are known allow', () => {
    const { registry, group } = groupOf({ consecutiveFailures: 1, maxEjectionPercent: 25 })
    record(group, 'a', 0, 1)
    record(group, 'b', 0, 3)
    expect([group.isEjected('a'), group.isEjected('b')]).toEqual([true, false])
    for (const host of ['c', 'd', 'e', 'f', 'g', 'h']) record(group, host, 1, 0)
    record(group, 'b', 0, 1)
    expect(group.snapshot()).toMatchObject({ maxEjected: 2, ejected: 2 })
    // A refused ejection leaves the row: the first failure after a return takes the place.
    record(group, 'c', 0, 4)
    expect(stateOf(group, 'c')).toMatchObject({ ejected: false, consecutiveFailures: 4 })
    registry.advance(300)
    record(group, 'c', 0, 1)
    expect(stateOf(group, 'c')).toMatchObject({ ejected: true, ejectionsInRow: 1 })
  })

  it('holds for an ejection that was refused: it is none in a row', () => {
    const { registry, group } = groupOf({ consecutiveFailures: 1, maxEjectionPercent: 0 })
    record(group, 'a', 0, 1)
    record(group, 'b', 0, 50)
    expect(stateOf(group, 'b').ejectionsInRow).toBe(0)
    registry.advance(300)
    record(group, 'b', 0, 1)
    expect(stateOf(group, 'b').ejectedForMs).toBe(300)
  })
})
