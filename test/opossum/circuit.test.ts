/** What circuits do that opossum's do not: commands, causes, and what fails beside a call. */
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { CallTimeoutError, CircuitOpenError, InvalidOptionError } from '../../src/index.ts'
import { CircuitBreaker } from '../../src/opossum/opossum.ts'
import { delay, down, errorOf, make, turns } from './support.ts'

function warnings() {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  onTestFinished(() => warn.mockRestore())
  return warn
}

describe('state', () => {
  it('is restored by who makes the breaker, and by nobody after', () => {
    const state = { closed: false, open: true, enabled: true }
    const { registry, circuit } = make({ name: 'restored', state })
    expect(circuit.opened).toBe(true)
    circuit.close()
    const { circuit: later } = make({ registry, name: 'restored', state, enabled: false })
    expect([later.opened, later.enabled]).toEqual([false, true])
  })

  it('of one that was shut down opens nothing', () => {
    const { registry, circuit } = make({ name: 'ended' })
    circuit.shutdown()
    const { state } = circuit.toJSON()
    const { registry: other, circuit: restored } = make({ name: 'ended', state })
    expect(restored.isShutdown).toBe(true)
    expect([registry, other].map(each => each.breaker('ended').state)).toEqual(['closed', 'closed'])
  })

  it('from the future is at most the whole wait away', () => {
    const lastTimerAt = Date.now() + 1e9
    const state = { closed: false, open: true, lastTimerAt }
    const { registry, circuit } = make({ name: 'future', state, resetTimeout: 500 })
    expect(registry.breaker('future').retryAfterMs()).toBe(500)
    expect(circuit.toJSON().state.open).toBe(true)
  })

  it('is what commands of busbar make it too', async () => {
    const { registry, circuit } = make({ name: 'commanded' })
    const breaker = registry.breaker('commanded')
    const heard: string[] = []
    for (const event of ['open', 'close', 'halfOpen'] as const)
      circuit.on(event, () => heard.push(event))
    const flags = () => [circuit.opened, circuit.halfOpen, circuit.closed, circuit.enabled]
    breaker.forceOpen()
    expect(flags()).toEqual([true, false, false, true])
    expect(circuit.toJSON().state).toMatchObject({ open: true, lastTimerAt: expect.any(Number) })
    breaker.forceOpen({ ttlMs: 60_000 })
    breaker.metricsOnly()
    expect(flags()).toEqual([false, false, true, true])
    breaker.disable()
    expect(flags()).toEqual([false, false, true, false])
    circuit.open()
    expect(circuit.enabled).toBe(false)
    circuit.enable()
    circuit.enable()
    expect(flags()).toEqual([false, false, true, true])
    await turns()
    expect(heard).toEqual(['open'])
    expect(breaker.snapshot().transitions).toBe(5)
  })

  it('commands after shutdown() change nothing', async () => {
    const { registry, circuit } = make({ name: 'gone' })
    circuit.shutdown()
    for (const command of ['open', 'close', 'disable', 'enable'] as const) circuit[command]()
    circuit.healthCheck(() => expect.unreachable())
    expect(registry.breaker('gone').snapshot().transitions).toBe(0)
  })

  it('is told to nobody after shutdown()', async () => {
    const { registry, circuit } = make({ name: 'ended' })
    circuit.shutdown()
    const heard: string[] = []
    circuit.on('open', () => heard.push('open'))
    registry.breaker('ended').open()
    await turns()
    expect(heard).toEqual([])
  })

  it('one failed trial opens although the window is empty by then (MC-06, HO-01)', async () => {
    const options = { resetTimeout: 5_000, volumeThreshold: 3, rollingCountTimeout: 1_000 }
    const { registry, circuit } = make(options)
    for (let call = 0; call < 3; call++) await errorOf(circuit.fire('fail'))
    registry.advance(5_100)
    await expect(circuit.fire('fail')).rejects.toBe(down)
    registry.advance(100)
    expect(await errorOf(circuit.fire(1))).toMatchObject({ code: 'EOPENBREAKER' })
    registry.advance(5_100)
    expect(await circuit.fire(1)).toBe(1)
    expect(circuit.closed).toBe(true)
  })

  it('several failures at once open once, and the way back is open (HO-03)', async () => {
    const { registry, circuit } = make({ resetTimeout: 1_000, volumeThreshold: 5 })
    const heard: string[] = []
    for (const event of ['open', 'close', 'halfOpen'] as const)
      circuit.on(event, () => heard.push(event))
    await Promise.all(Array.from({ length: 6 }, () => errorOf(circuit.fire('fail'))))
    registry.advance(1_000)
    expect(await circuit.fire(1)).toBe(1)
    await turns()
    expect(heard).toEqual(['open', 'halfOpen', 'close'])
  })
})

describe('errors', () => {
  it('have those of busbar as their causes', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { circuit } = make({ timeout: 20, resetTimeout: 500 }, async () => delay(99))
    const call = errorOf(circuit.fire())
    await vi.advanceTimersByTimeAsync(20)
    const timedOut = await call
    expect(timedOut).toMatchObject({ code: 'ETIMEDOUT', cause: expect.any(CallTimeoutError) })
    const refused = await errorOf(circuit.fire())
    expect(refused).toMatchObject({ code: 'EOPENBREAKER', cause: expect.any(CircuitOpenError) })
    expect((refused.cause as CircuitOpenError).retryAfterMs).toBe(500)
    expect([timedOut, refused, undefined, null, down].map(CircuitBreaker.isOurError)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ])
  })

  it('of a filter are the caller’s, and failures', async () => {
    const broken = new Error('broken filter')
    const { circuit } = make({
      errorFilter() {
        throw broken
      },
    })
    await expect(circuit.fire('fail')).rejects.toBe(broken)
    expect(circuit.opened).toBe(true)
    const { circuit: slow } = make({ errorFilter: (async () => true) as never })
    await expect(slow.fire('fail')).rejects.toThrow('errorFilter(error) must be an answer at once')
  })

  it('of a full circuit that is open say that it is open', async () => {
    const { circuit } = make({ capacity: 1 }, async () => new Promise(() => {}) as never)
    void circuit.fire()
    circuit.open()
    expect(await errorOf(circuit.fire())).toMatchObject({ code: 'EOPENBREAKER' })
  })

  it('a refusal frees its place at once', async () => {
    const { registry, circuit } = make({ name: 'place', capacity: 1 })
    circuit.open()
    const refused = errorOf(circuit.fire(1))
    expect(registry.bulkhead('place').snapshot().inFlight).toBe(0)
    await refused
  })

  it('a fallback is a function or a circuit', () => {
    const { circuit } = make()
    expect(() => circuit.fallback('cached' as never)).toThrow(InvalidOptionError)
  })
})

describe('what fails beside a call', () => {
  it('a health check that throws opens, and one that gives no promise does not', async () => {
    const { circuit } = make()
    const heard: unknown[] = []
    circuit.on('healthCheckFailed', error => heard.push(error))
    circuit.healthCheck((() => undefined) as never)
    await turns()
    expect(circuit.closed).toBe(true)
    circuit.healthCheck(() => {
      throw down
    })
    await turns()
    expect(circuit.opened).toBe(true)
    expect(heard).toEqual([down])
    for (const interval of ['5', Number.NaN]) {
      expect(() => circuit.healthCheck(async () => {}, interval as number)).toThrow(TypeError)
    }
    expect(() => circuit.healthCheck(async () => {}, -1)).toThrow(InvalidOptionError)
    expect(() => circuit.healthCheck(5 as never)).toThrow(TypeError)
  })

  it('a cache that is broken has nothing', async () => {
    const warn = warnings()
    const fail = () => {
      throw down
    }
    const reject = () => Promise.reject(down)
    for (const cacheTransport of [
      { get: fail, set: fail, flush: fail },
      { get: reject, set: reject, flush: reject },
    ]) {
      const { circuit } = make({ cache: true, cacheTransport })
      expect(await circuit.fire(1)).toBe(1)
      expect(circuit.stats).toMatchObject({ cacheHits: 0, cacheMisses: 1, successes: 1 })
      circuit.clearCache()
      await turns()
      circuit.shutdown()
      await turns()
    }
    expect(warn).toHaveBeenCalledTimes(8)
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('the cache threw: Error: down'))
  })

  it('a coalesced call that outlived its time does not end the next one', async () => {
    const ends: ((value: number) => void)[] = []
    const action = () => new Promise<number>(resolve => ends.push(resolve))
    const options = { coalesce: true, coalesceTTL: 50, coalesceResetOn: ['success'] as const }
    const { registry, circuit } = make(options, action)
    const first = circuit.fire()
    registry.advance(50)
    const second = circuit.fire()
    ends[0]?.(1)
    expect(await first).toBe(1)
    const third = circuit.fire()
    ends[1]?.(2)
    expect(await Promise.all([second, third])).toEqual([2, 2])
    expect(ends).toHaveLength(2)
  })
})
