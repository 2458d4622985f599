/** The options of circuits: what they are to the shared breaker, and which are refused; names. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { getRegistry, InvalidOptionError, OptionsMismatchError } from '../../src/index.ts'
import { CircuitBreaker } from '../../src/opossum/opossum.ts'
import { act, down, errorOf, make, makeRegistry, turns } from './support.ts'

describe('options', () => {
  it('are those of the shared breaker', () => {
    const { registry } = make({
      name: 'mapped',
      timeout: 90_000,
      errorThresholdPercentage: 25,
      resetTimeout: 1_500,
      volumeThreshold: 7,
      rollingCountTimeout: 6_000,
      rollingCountBuckets: 3,
      capacity: 5,
    })
    const { failureRateThreshold, ...options } = registry.breaker('mapped').options
    expect(options).toMatchObject({
      slidingWindow: { type: 'time', durationMs: 6_000, buckets: 3 },
      minimumNumberOfCalls: 7,
      waitDurationInOpenStateMs: { initialMs: 1_500, multiplier: 1, jitter: 0 },
      permittedNumberOfCallsInHalfOpenState: 1,
      trialTimeoutMs: 180_000,
    })
    // Above it, by as little as can be.
    expect(failureRateThreshold).toBeGreaterThan(0.25)
    expect(failureRateThreshold).toBeCloseTo(0.25, 12)
    expect(registry.bulkhead('mapped').options).toMatchObject({
      maxConcurrentCalls: 5,
      maxQueuedCalls: 0,
    })
  })

  it('have opossum’s defaults', () => {
    const { registry, circuit } = make()
    expect(registry.breaker('act').options).toMatchObject({
      slidingWindow: { type: 'time', durationMs: 10_000, buckets: 10 },
      minimumNumberOfCalls: 1,
      waitDurationInOpenStateMs: { initialMs: 30_000 },
      trialTimeoutMs: 60_000,
    })
    expect(registry.snapshot().bulkheads).toEqual([])
    expect(circuit.volumeThreshold).toBe(0)
  })

  it('that are of no use are refused by name, and nothing is made', () => {
    const registry = makeRegistry()
    const wrong: Record<string, unknown[]> = {
      timeout: [true, '10', -1, Number.NaN, 2 ** 31, null],
      errorThresholdPercentage: [-1, 101, Number.NaN, '50'],
      resetTimeout: [-1, Number.NaN, Number.POSITIVE_INFINITY, '10', null],
      rollingCountTimeout: [0, -1, Number.NaN],
      rollingCountBuckets: [0, 2.5],
      volumeThreshold: [-1, 1.5],
      capacity: [0, -1, 5_000],
      errorFilter: [3],
      cacheTTL: [-1],
      cacheSize: [0],
      cacheGetKey: ['key'],
      cacheTransport: [{}, null],
      coalesceTTL: [0],
      coalesceSize: [0],
      coalesceResetOn: ['error', ['errors']],
      abortController: [{}],
      rotateBucketController: [{}],
      cache: [1],
      enabled: ['yes'],
      state: [null, { nonsense: true }, { open: 1 }, { lastTimerAt: 'now' }],
      status: [{}],
      group: [5, ''],
      registry: [{}],
      name: ['', 5, null],
      maxFailures: [10],
    }
    for (const [option, values] of Object.entries(wrong)) {
      for (const value of values) {
        const construct = () => new CircuitBreaker(act as never, { registry, [option]: value })
        expect(construct, `${option}: ${String(value)}`).toThrow(InvalidOptionError)
        expect(construct).toThrow(`options.${option}`)
      }
    }
    expect(registry.names()).toEqual([])
    for (const stats of [{ fires: -1 }, { latencyTimes: 'none' }, { nonsense: 1 }]) {
      expect(() => CircuitBreaker.newStatus({ stats } as never)).toThrow(InvalidOptionError)
    }
  })

  it('zero is a value (CV-01)', async () => {
    const { registry, circuit } = make({
      errorThresholdPercentage: 0,
      resetTimeout: 0,
      volumeThreshold: 2,
    })
    await circuit.fire(1)
    await expect(circuit.fire('fail')).rejects.toBe(down)
    expect(registry.breaker('act').state).toBe('open')
    expect(circuit.pendingClose).toBe(true)
    expect(await circuit.fire(1)).toBe(1)
    expect(circuit.closed).toBe(true)
  })

  it('an action there must be', () => {
    for (const action of [undefined, null]) {
      expect(() => new CircuitBreaker(action as never)).toThrow(TypeError)
    }
  })

  it('without a registry it is the process’s', async () => {
    const registry = getRegistry({ keeper: false, maxBreakers: 4, maxThreads: 2, maxControls: 2 })
    onTestFinished(() => registry.close())
    const circuit = new CircuitBreaker(act as never)
    circuit.open()
    expect(registry.get('act')?.state).toBe('open')
    circuit.shutdown()
  })
})

describe('names', () => {
  it('that are given are shared on purpose', async () => {
    const { registry, circuit } = make({ name: 'payments' })
    const { circuit: other } = make({ registry, name: 'payments' }, async () => 'other')
    const heard: string[] = []
    for (const [index, each] of [circuit, other].entries()) {
      each.on('open', () => heard.push(`open ${index}`))
    }
    await errorOf(circuit.fire('fail'))
    expect(await errorOf(other.fire())).toMatchObject({ code: 'EOPENBREAKER' })
    await turns()
    expect(heard).toEqual(['open 0', 'open 1'])
    expect([circuit.stats.fires, other.stats.fires]).toEqual([1, 1])
    expect(() => make({ registry, name: 'payments', volumeThreshold: 9 })).toThrow(
      OptionsMismatchError,
    )
  })

  it('that are taken from an action are that action’s alone, as long as it is in use', () => {
    const registry = makeRegistry()
    const request = (host: string) => {
      const call = { request: async () => host }
      return () => new CircuitBreaker(call.request, { registry })
    }
    const first = request('a')
    const circuit = first()
    expect(first().name).toBe('request')
    expect(request('b')).toThrow(/options\.name must be given for both: another action/)
    expect(() => new CircuitBreaker(act as never, { registry, name: 'request' })).toThrow(
      InvalidOptionError,
    )
    circuit.shutdown()
    expect(request('b')).toThrow(InvalidOptionError)
  })

  it('are free again after shutdown()', () => {
    const { registry, circuit } = make()
    circuit.shutdown()
    circuit.shutdown()
    const again = { act: async () => 1 }
    expect(new CircuitBreaker(again.act, { registry }).name).toBe('act')
  })

  it('of what has none are nobody else’s', () => {
    const registry = makeRegistry()
    const circuits = [1, 2].map(() => new CircuitBreaker(async () => 1, { registry }))
    expect(circuits.map(({ name }) => name)).toEqual(registry.names())
    circuits[0]?.open()
    expect(circuits.map(({ opened }) => opened)).toEqual([true, false])
  })

  it('a refused circuit keeps no name', () => {
    const { registry, circuit } = make({ name: 'full', capacity: 1 })
    expect(() => make({ registry, name: 'full', capacity: 2 })).toThrow(OptionsMismatchError)
    circuit.shutdown()
  })
})

it('durations are those of the shared breaker too, unless latencies are not kept', async () => {
  const { registry, circuit } = make({ name: 'timed' })
  await circuit.fire(1)
  expect(registry.breaker('timed').durations().count).toBe(1)
  const { registry: other, circuit: untimed } = make({
    name: 'b',
    rollingPercentilesEnabled: false,
  })
  await untimed.fire(1)
  expect(other.breaker('b').durations().count).toBe(0)
})
