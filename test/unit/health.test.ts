import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createRegistry,
  health,
  InvalidOptionError,
  NoRegistryError,
  type Registry,
} from '../../src/index.ts'
import { HEADER } from '../../src/memory/layout.ts'

const WAIT_MS = 1_000

let registry: Registry
beforeEach(() => {
  registry = createRegistry({
    clock: 'manual',
    defaults: {
      slidingWindow: { type: 'count', size: 4 },
      minimumNumberOfCalls: 2,
      waitDurationInOpenStateMs: WAIT_MS,
    },
  })
})
afterEach(() => registry.close())

const open = (name: string) => registry.breaker(name).open()

function statusOf(name: string, options?: Parameters<typeof health>[1]): string | undefined {
  return health(registry, options).breakers.find(breaker => breaker.name === name)?.status
}

describe('health', () => {
  it('passes where there is no breaker, and where all are closed', () => {
    expect(health(registry)).toEqual({ status: 'pass', damaged: 0, breakers: [] })
    registry.breaker('a').metricsOnly()
    registry.breaker('b')
    expect(health(registry).status).toBe('pass')
  })

  it('warns of every breaker that refuses or guards nothing, and never fails by itself', () => {
    open('open')
    registry.breaker('forced').forceOpen()
    registry.breaker('off').disable()
    open('trying')
    registry.advance(WAIT_MS)
    registry.breaker('trying').tryAcquire()
    for (const name of ['open', 'forced', 'off', 'trying']) expect(statusOf(name)).toBe('warn')
    expect(health(registry).status).toBe('warn')
  })

  it('says how long it has been so, how long it will be, and why', () => {
    registry.advance(50)
    const breaker = registry.breaker('a')
    breaker.recordSuccess(breaker.tryAcquire())
    breaker.recordSuccess(breaker.tryAcquire())
    breaker.recordFailure(breaker.tryAcquire())
    registry.advance(10)
    const [closed] = health(registry).breakers
    expect(closed).toMatchObject({ state: 'closed', forMs: 10, retryAfterMs: 0 })
    expect(closed?.failureRate).toBeCloseTo(1 / 3)
    breaker.open()
    registry.advance(400)
    expect(health(registry).breakers).toEqual([
      {
        name: 'a',
        status: 'warn',
        state: 'open',
        forMs: 400,
        retryAfterMs: WAIT_MS - 400,
        failureRate: null,
      },
    ])
  })

  it('fails on a named breaker for as long as it refuses', () => {
    const failOn = ['a', 'not made yet']
    open('b')
    expect(health(registry, { failOn }).status).toBe('warn')
    open('a')
    expect(statusOf('a', { failOn })).toBe('fail')
    expect(statusOf('b', { failOn })).toBe('warn')
    registry.advance(WAIT_MS)
    registry.breaker('a').tryAcquire()
    expect(statusOf('a', { failOn })).toBe('fail')
    registry.breaker('a').forceOpen()
    expect(health(registry, { failOn }).status).toBe('fail')
    registry.breaker('a').disable()
    expect(statusOf('a', { failOn })).toBe('warn')
    registry.breaker('a').reset()
    expect(statusOf('a', { failOn })).toBe('pass')
  })

  it('asks a function of every breaker, whose word holds and whose error is passed on', () => {
    open('a')
    registry.breaker('b')
    const asked: string[] = []
    const failOn = ({ name, state }: { name: string; state: string }): boolean => {
      asked.push(`${name}: ${state}`)
      return name === 'b'
    }
    expect([statusOf('b', { failOn }), statusOf('a')]).toEqual(['fail', 'warn'])
    expect(asked).toEqual(['a: open', 'b: closed'])
    const throwing = (): boolean => {
      throw new TypeError('no')
    }
    expect(() => health(registry, { failOn: throwing })).toThrow(TypeError)
  })

  it('warns of damaged memory', () => {
    new Int32Array(registry.handle.buffer)[HEADER.DAMAGED] = 3
    expect(health(registry)).toMatchObject({ status: 'warn', damaged: 3 })
  })

  it('refuses nonsense, and a closed registry', () => {
    for (const failOn of [null, 1, 'a', true, {}, [1], ['a', undefined]]) {
      const options = { failOn } as unknown as Parameters<typeof health>[1]
      expect(() => health(registry, options)).toThrow(InvalidOptionError)
    }
    const unknown = { failon: ['a'] } as unknown as Parameters<typeof health>[1]
    expect(() => health(registry, unknown)).toThrow(/options\.failon .*failOn/)
    registry.close()
    expect(() => health(registry)).toThrow(NoRegistryError)
  })
})
