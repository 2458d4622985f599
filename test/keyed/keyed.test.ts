import { describe, expect, it } from 'vitest'
import {
  createRegistry,
  InvalidOptionError,
  OptionsMismatchError,
  type Registry,
  RegistryFullError,
} from '../../src/index.ts'

function registryOf(maxBreakers = 16): Registry {
  return createRegistry({ keeper: false, clock: 'manual', maxBreakers, maxThreads: 4 })
}

const ONE_FAILURE = { slidingWindow: { type: 'consecutive', failures: 1 } } as const

describe('a group of keyed breakers', () => {
  it('gives each key one of its own', () => {
    using registry = registryOf()
    const hosts = registry.keyed('hosts', { max: 3, ...ONE_FAILURE })
    const a = hosts.breaker('a')
    expect(a.name).toBe('hosts:a')
    expect(hosts.breaker('a')).toBe(a)
    a.recordFailure(a.tryAcquire())
    expect([a.state, hosts.breaker('b').state]).toEqual(['open', 'closed'])
    expect(hosts.keys()).toEqual(['a', 'b'])
    expect(registry.names()).toEqual(['hosts:a', 'hosts:b'])
  })

  it('lets the longest idle one make room', () => {
    using registry = registryOf()
    const hosts = registry.keyed('hosts', { max: 3 })
    for (const key of ['a', 'b', 'c', 'a']) {
      hosts.breaker(key)
      registry.advance(10)
    }
    hosts.breaker('d')
    expect(hosts.keys()).toEqual(['a', 'd', 'c'])
    hosts.breaker('e')
    expect(hosts.keys()).toEqual(['a', 'd', 'e'])
  })

  it('keeps those that are open or in use, and throws when none may go', () => {
    using registry = registryOf()
    const hosts = registry.keyed('hosts', { max: 2, ...ONE_FAILURE })
    const open = hosts.breaker('open')
    open.recordFailure(open.tryAcquire())
    const used = hosts.breaker('used')
    const permit = used.tryAcquire()
    expect(() => hosts.breaker('c')).toThrow(RegistryFullError)
    expect(() => hosts.breaker('c')).toThrow(
      `no room for circuit breaker "hosts": all 2 of "hosts" are in use`,
    )
    used.recordSuccess(permit)
    expect(hosts.breaker('c').name).toBe('hosts:c')
    expect(hosts.keys()).toEqual(['open', 'c'])
  })

  it('gives the shared one instead where it is told to', () => {
    using registry = registryOf()
    const hosts = registry.keyed('hosts', { max: 1, overflow: 'shared' })
    const used = hosts.breaker('used')
    const permit = used.tryAcquire()
    expect(hosts.breaker('b')).toBe(registry.get('hosts'))
    used.release(permit)
    expect(hosts.breaker('b').name).toBe('hosts:b')
  })

  it('makes room from idleAfterMs on only', () => {
    using registry = registryOf()
    const hosts = registry.keyed('hosts', { max: 1, idleAfterMs: 1000 })
    hosts.breaker('a')
    registry.advance(999)
    expect(() => hosts.breaker('b')).toThrow(RegistryFullError)
    registry.advance(1)
    expect(hosts.breaker('b').name).toBe('hosts:b')
  })

  it('makes room at once, with a clock that nobody reads between two ticks', () => {
    using registry = createRegistry({ maxBreakers: 8, maxThreads: 2 })
    const hosts = registry.keyed('hosts', { max: 4 })
    for (let key = 0; key < 1000; key++) hosts.breaker(`host-${key}`)
    expect(hosts.keys()).toHaveLength(4)
  })

  it('does not count what another of the same beginning has', () => {
    using registry = registryOf()
    registry.breaker('hosts:plain')
    const nested = registry.keyed('hosts:x', { max: 1 })
    nested.breaker('a')
    const hosts = registry.keyed('hosts', { max: 1 })
    expect(hosts.breaker('a').name).toBe('hosts:a')
    expect([hosts.keys(), nested.keys()]).toEqual([['a'], ['a']])
  })

  it('refuses what is no key or option', () => {
    using registry = registryOf()
    const bad = (options: object) => () => registry.keyed('p', options as { max: number })
    expect(bad({})).toThrow(/options\.max must be a whole number/)
    expect(bad({ max: 0 })).toThrow(InvalidOptionError)
    expect(bad({ max: 1, overflow: 'no' })).toThrow(/options\.overflow must be/)
    expect(bad({ max: 1, idleAfterMs: -1 })).toThrow(/idleAfterMs/)
    expect(bad({ max: 1, limit: 2 })).toThrow(/options\.limit/)
    expect(bad({ max: 1, failureRateThreshold: 7 })).toThrow(/failureRateThreshold/)
    expect(bad({ max: 1, classifyError: true })).toThrow(/classifyError/)
    expect(() => registry.keyed('', { max: 1 })).toThrow(/name/)
    expect(() => registry.keyed('p', { max: 1 }).breaker('')).toThrow(/key must be/)
    expect(() => registry.keyed('p', { max: 1 }).breaker('k'.repeat(255))).toThrow(/255 bytes/)
    registry.keyed('p', { max: 1 }).breaker('a')
    expect(() => registry.keyed('p', { max: 2 }).breaker('b')).toThrow(OptionsMismatchError)
  })

  it('MM-01: takes any number of keys without growth, and keeps what is open', () => {
    using registry = createRegistry({ keeper: false, clock: 'manual', maxBreakers: 50 })
    const group = registry.keyed('user', { max: 50, slidingWindow: { type: 'count', size: 10 } })
    const hot = group.breaker('hot')
    for (let call = 0; call < 10; call++) hot.recordFailure(hot.tryAcquire())
    for (let key = 0; key < 3000; key++) {
      const breaker = group.breaker(`user-${key}`)
      breaker.recordSuccess(breaker.tryAcquire())
      registry.advance(1)
      if (key % 500 === 0) expect(registry.names().length).toBeLessThanOrEqual(50)
    }
    expect([group.keys().length, group.keys()[0], hot.state]).toEqual([50, 'hot', 'open'])
    const succeeded = registry.snapshot().breakers.map(({ totals }) => totals.succeeded)
    expect(succeeded).toEqual([0, ...new Array(49).fill(1)])
    const back = group.breaker('user-0').snapshot()
    expect(back).toMatchObject({ state: 'closed', window: { calls: 0 }, totals: { admitted: 0 } })
  })
})

describe('a handle of a breaker that has made room', () => {
  it('makes it anew when it is used, and touches no other', () => {
    using registry = registryOf()
    const hosts = registry.keyed('hosts', { max: 1, ...ONE_FAILURE })
    const a = hosts.breaker('a')
    a.recordSuccess(a.tryAcquire())
    registry.advance(1)
    const b = hosts.breaker('b')
    const permit = b.tryAcquire()
    // It cannot be made while b is in use: its calls go unguarded, and are nobody's.
    a.recordFailure(a.tryAcquire())
    a.recordSuccess(0)
    b.recordSuccess(permit)
    expect(b.snapshot().totals).toMatchObject({ admitted: 1, succeeded: 1, failed: 0, late: 0 })
    registry.advance(1)
    a.recordFailure(a.tryAcquire())
    expect([a.state, hosts.keys()]).toEqual(['open', ['a']])
    expect(a.snapshot().totals).toMatchObject({ admitted: 1, failed: 1 })
  })

  it('settles what was in flight when it was removed as late, wherever it is by then', () => {
    using registry = registryOf()
    const a = registry.breaker('a')
    const permit = a.tryAcquire()
    expect(registry.remove('a')).toBe(true)
    expect([registry.remove('a'), registry.get('a'), registry.names()]).toEqual([
      false,
      undefined,
      [],
    ])
    const b = registry.breaker('b')
    b.recordSuccess(b.tryAcquire())
    a.recordSuccess(a.tryAcquire())
    expect(a.snapshot().totals).toMatchObject({ admitted: 2, succeeded: 1, inFlight: 1 })
    a.recordFailure(permit)
    expect(a.snapshot().totals).toMatchObject({ admitted: 2, failed: 1, inFlight: 0 })
    expect(b.snapshot().totals).toMatchObject({ admitted: 1, succeeded: 1, inFlight: 0, late: 0 })
  })
})
