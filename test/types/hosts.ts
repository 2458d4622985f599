// Type tests of host groups: compiled, never run.
import type {
  HostGroup,
  HostGroupOptions,
  HostGroupSnapshot,
  HostOutcome,
  HostSnapshot,
  Registry,
  ResolvedHostGroupOptions,
} from '../../src/index.ts'
import { type Equal, expectType } from './expect.ts'

declare const registry: Registry

export function calls(): void {
  const group = registry.hosts('shards')
  expectType<Equal<typeof group, HostGroup>>()
  const host = group.pick(['a', 'b'] as const)
  expectType<Equal<typeof host, string>>()
  group.record(host, 'success')
  expectType<Equal<HostOutcome, 'success' | 'failure'>>()
  const isOut = group.isEjected(host)
  expectType<Equal<typeof isOut, boolean>>()
  const names = group.hosts()
  expectType<Equal<typeof names, string[]>>()
  const snapshot = group.snapshot()
  expectType<Equal<typeof snapshot, HostGroupSnapshot>>()
  expectType<Equal<(typeof snapshot.hosts)[number], HostSnapshot>>()
  expectType<Equal<HostSnapshot['successRate'], number | null>>()

  // @ts-expect-error an outcome has a name
  group.record('a', true)
  // @ts-expect-error a host has a name
  group.record(new URL('http://localhost'), 'failure')
  // @ts-expect-error there is nothing to choose from in one host
  group.pick('a')
  // @ts-expect-error it is read-only
  group.name = 'other'
}

export function options(): void {
  registry.hosts('whole', {
    consecutiveFailures: 5,
    intervalMs: 10_000,
    baseEjectionMs: 30_000,
    maxEjectionMs: 300_000,
    jitter: 0.1,
    maxEjectionPercent: 10,
    successRate: { stdevFactor: 1.9, minimumHosts: 5, requestVolume: 100 },
    failurePercentage: { threshold: 0.85, minimumHosts: 5, requestVolume: 50 },
  })
  registry.hosts('parts', { successRate: { stdevFactor: undefined }, jitter: undefined })
  const given: HostGroupOptions = { successRate: {} }
  registry.hosts('given', given)
  const whole = registry.hosts('given').options
  expectType<Equal<typeof whole, ResolvedHostGroupOptions>>()
  expectType<Equal<typeof whole.jitter, number>>()
  expectType<Equal<typeof whole.successRate.minimumHosts, number>>()
  registry.hosts('again', whole)

  // @ts-expect-error unknown options are refused
  registry.hosts('more', { interval: 3 })
  // @ts-expect-error in the groups too
  registry.hosts('more', { failurePercentage: { percent: 3 } })
  // @ts-expect-error options are read-only
  given.jitter = 1
}
