import { describe, expect, it, onTestFinished } from 'vitest'
import {
  attachRegistry,
  createRegistry,
  InvalidOptionError,
  OptionsMismatchError,
} from '../../../src/index.ts'
import type { HostGroupOptions } from '../../../src/overload/types.ts'
import { groupOf, INTERVAL_MS, OFF, record, stateOf } from './support.ts'

describe('failures in a row', () => {
  it('eject at once, for as long as was said', () => {
    const { registry, group } = groupOf({ consecutiveFailures: 3 })
    record(group, 'a', 0, 2)
    expect(group.isEjected('a')).toBe(false)
    record(group, 'a', 1, 2)
    expect(stateOf(group, 'a')).toMatchObject({ ejected: false, consecutiveFailures: 2 })
    record(group, 'a', 0, 1)
    expect(group.isEjected('a')).toBe(true)
    registry.advance(299)
    expect(stateOf(group, 'a')).toMatchObject({ ejected: true, ejectedForMs: 1 })
    expect(group.isEjected('a')).toBe(true)
    registry.advance(1)
    expect(group.isEjected('a')).toBe(false)
    expect(stateOf(group, 'a')).toMatchObject({ ejected: false, ejectedForMs: 0 })
  })

  it('do nothing where they are off', () => {
    const { group } = groupOf({ consecutiveFailures: 0 })
    record(group, 'a', 0, 5000)
    expect(stateOf(group, 'a')).toMatchObject({ ejected: false, consecutiveFailures: 4095 })
  })

  it('are counted over all faces, and none knows less than another', () => {
    const { registry, group } = groupOf({ consecutiveFailures: 2 })
    const other = attachRegistry(registry.handle)
    onTestFinished(() => other.close())
    const second = other.hosts('g')
    record(group, 'a', 0, 1)
    record(second, 'a', 0, 1)
    expect([group.isEjected('a'), second.isEjected('a')]).toEqual([true, true])
    expect(second.hosts()).toEqual(['a'])
  })

  it('that come while the host is ejected count in its totals and nowhere else', () => {
    const { registry, group } = groupOf({ consecutiveFailures: 2 })
    record(group, 'a', 0, 9)
    expect(stateOf(group, 'a')).toMatchObject({
      consecutiveFailures: 0,
      ejectedForMs: 300,
      ejectionsInRow: 1,
      totals: { succeeded: 0, failed: 9 },
    })
    registry.advance(300)
    record(group, 'a', 0, 1)
    expect(stateOf(group, 'a')).toMatchObject({ ejected: false, consecutiveFailures: 1 })
  })
})

describe('the time of an ejection', () => {
  it('grows with each in a row, up to the longest, and shrinks with intervals of freedom', () => {
    const { registry, group } = groupOf({ consecutiveFailures: 1 })
    const times: number[] = []
    for (let ejection = 0; ejection < 5; ejection++) {
      group.record('a', 'failure')
      const { ejectedForMs } = stateOf(group, 'a')
      times.push(ejectedForMs)
      registry.advance(ejectedForMs)
    }
    expect(times).toEqual([300, 600, 900, 1000, 1000])
    registry.advance(3 * INTERVAL_MS - 1)
    expect(stateOf(group, 'a').ejectionsInRow).toBe(3)
    registry.advance(1)
    expect(stateOf(group, 'a').ejectionsInRow).toBe(2)
    group.record('a', 'failure')
    expect(stateOf(group, 'a')).toMatchObject({ ejectedForMs: 900, ejectionsInRow: 3 })
    registry.advance(900 + 9 * INTERVAL_MS)
    group.record('a', 'failure')
    expect(stateOf(group, 'a')).toMatchObject({ ejectedForMs: 300, ejectionsInRow: 1 })
  })

  it('has up to `jitter` of itself added, and all faces say the same', () => {
    const { registry, group } = groupOf({
      consecutiveFailures: 1,
      jitter: 0.5,
      maxEjectionPercent: 100,
    })
    const times = Array.from({ length: 50 }, (_, host) => {
      group.record(`h${host}`, 'failure')
      return stateOf(group, `h${host}`).ejectedForMs
    })
    for (const ms of times) expect(ms >= 300 && ms <= 450).toBe(true)
    expect(new Set(times).size).toBeGreaterThan(10)
    const other = attachRegistry(registry.handle)
    onTestFinished(() => other.close())
    const { hosts } = other.hosts('g').snapshot()
    expect(hosts.map(({ ejectedForMs }) => ejectedForMs)).toEqual(times)
  })
})

describe('pick', () => {
  it('draws evenly from the hosts that are not ejected', () => {
    const { group } = groupOf({ consecutiveFailures: 1, maxEjectionPercent: 100 })
    const hosts = ['a', 'b', 'c', 'd']
    for (const host of hosts) record(group, host, 1, 0)
    record(group, 'b', 0, 1)
    const picks = { a: 0, b: 0, c: 0, d: 0, new: 0 }
    for (let n = 0; n < 8000; n++) picks[group.pick([...hosts, 'new']) as keyof typeof picks]++
    expect(picks.b).toBe(0)
    // 2,000 each; 200 is more than five standard deviations.
    for (const host of ['a', 'c', 'd', 'new'] as const) {
      expect(Math.abs(picks[host] - 2000)).toBeLessThan(200)
    }
  })

  it('keeps traffic flowing when all that it may choose from are ejected', () => {
    const { group } = groupOf({ consecutiveFailures: 1, maxEjectionPercent: 100 })
    for (const host of ['a', 'b']) record(group, host, 0, 1)
    const picks = new Set(Array.from({ length: 100 }, () => group.pick(['a', 'b'])))
    expect([...picks].sort()).toEqual(['a', 'b'])
    expect(group.pick(['a'])).toBe('a')
  })

  it('refuses an empty list, and what is none', () => {
    const { group } = groupOf({})
    expect(() => group.pick([])).toThrow(InvalidOptionError)
    expect(() => group.pick('a' as never)).toThrow('hosts must be an array of at least one host')
  })
})

describe('names and options', () => {
  it('bad ones are refused at once', () => {
    const { registry, group } = groupOf({})
    for (const host of ['', 'x'.repeat(256), '\ud800', 7, undefined, null]) {
      expect(() => group.record(host as string, 'failure')).toThrow(InvalidOptionError)
    }
    expect(() => group.record('a', 'failed' as never)).toThrow("'success' or 'failure'")
    expect(group.hosts()).toEqual([])
    record(group, 'é'.repeat(127), 1, 0)
    expect(group.hosts()).toHaveLength(1)
    const bad: HostGroupOptions[] = [
      { consecutiveFailures: -1 },
      { intervalMs: 9 },
      { baseEjectionMs: 0 },
      { baseEjectionMs: 500, maxEjectionMs: 499 },
      { jitter: 1.1 },
      { maxEjectionPercent: 101 },
      { successRate: { stdevFactor: Number.NaN } },
      { failurePercentage: { requestVolume: 0 } },
      { failurePercentage: { volume: 5 } as never },
      { ejections: 1 } as never,
    ]
    for (const options of bad) {
      expect(() => registry.hosts('bad', options), JSON.stringify(options)).toThrow(
        InvalidOptionError,
      )
    }
    expect(() => registry.hosts('g', { jitter: 0.5 })).toThrow(OptionsMismatchError)
  })

  it('the options are said back whole', () => {
    const registry = createRegistry({ clock: 'manual' })
    onTestFinished(() => registry.close())
    expect(registry.hosts('default').options).toEqual({
      consecutiveFailures: 5,
      intervalMs: 10_000,
      baseEjectionMs: 30_000,
      maxEjectionMs: 300_000,
      jitter: 0,
      maxEjectionPercent: 10,
      successRate: { stdevFactor: 1.9, minimumHosts: 5, requestVolume: 100 },
      failurePercentage: { threshold: 0.85, minimumHosts: 5, requestVolume: 50 },
    })
  })

  it('one name is another host in each group', () => {
    const { registry, group } = groupOf({ consecutiveFailures: 1 })
    const other = registry.hosts('other', OFF)
    record(group, 'a', 0, 1)
    record(other, 'a', 1, 0)
    expect([group.isEjected('a'), other.isEjected('a')]).toEqual([true, false])
    expect(stateOf(other, 'a').totals).toEqual({ succeeded: 1, failed: 0 })
  })

  it('a host that nobody recorded is not ejected, and asking does not make it', () => {
    const { group } = groupOf({})
    expect(group.isEjected('a')).toBe(false)
    expect(group.hosts()).toEqual([])
  })
})

describe('a registry without room', () => {
  it('leaves hosts untracked, counts their calls and warns once', async () => {
    const warnings: string[] = []
    const hear = ({ message }: Error) => warnings.push(message)
    process.on('warning', hear)
    onTestFinished(() => void process.off('warning', hear))
    const { registry, group } = groupOf(
      { consecutiveFailures: 1 },
      { maxControls: 2, maxThreads: 64 },
    )
    record(group, 'a', 1, 0)
    record(group, 'b', 1, 2)
    record(group, 'c', 0, 1)
    await new Promise(setImmediate)
    expect(warnings.filter(text => text.includes('maxControls'))).toHaveLength(1)
    expect(group.snapshot()).toMatchObject({ untracked: 4, maxEjected: 1, ejected: 0 })
    expect(group.isEjected('b')).toBe(false)
    expect(group.pick(['b'])).toBe('b')
    expect(group.hosts()).toEqual(['a'])
    const other = attachRegistry(registry.handle)
    onTestFinished(() => other.close())
    expect(other.hosts('g').snapshot().untracked).toBe(4)
  })
})

it('goes on when the registry that it came from is closed', () => {
  const { registry, group } = groupOf({ consecutiveFailures: 2 })
  record(group, 'a', 3, 1)
  registry.close()
  record(group, 'a', 0, 1)
  record(group, 'b', 1, 0)
  expect(group.isEjected('a')).toBe(true)
  expect(stateOf(group, 'a').totals).toEqual({ succeeded: 3, failed: 2 })
})
