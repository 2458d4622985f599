/** busbar/opentelemetry against the real SDK: names, units, values, options. */
import {
  AggregationTemporality,
  DataPointType,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { describe, expect, it } from 'vitest'
import {
  type InstrumentationOptions,
  instrument,
  type Meter,
} from '../../src/telemetry/opentelemetry.ts'
import { make, makeBrittle, makeReady, thrownBy } from '../unit/execute-support.ts'
import { Sdk } from './opentelemetry-support.ts'

const BREAKER = 'busbar.circuit_breaker'
const REGION = 'busbar.region'
const STATE = `${BREAKER}.state`
const OUTCOME = `${BREAKER}.outcome`

describe('a breaker', () => {
  it('has one series for each state, 1 for the one that holds', async () => {
    const { registry, breaker } = make()
    const sdk = new Sdk()
    instrument(registry, sdk.meter)
    const all = {
      closed: 0,
      open: 0,
      'half-open': 0,
      'forced-open': 0,
      disabled: 0,
      'metrics-only': 0,
    }
    expect((await sdk.collect()).values(STATE, STATE)).toEqual({ ...all, closed: 1 })
    breaker.forceOpen()
    expect((await sdk.collect()).values(STATE, STATE)).toEqual({ ...all, 'forced-open': 1 })
  })

  it('has its calls by outcome, those refused by state, slow ones and those in flight', async () => {
    const { registry, breaker } = make({ slowCallDurationThresholdMs: 100 })
    const sdk = new Sdk()
    instrument(registry, sdk.meter)
    const acquire = () => breaker.tryAcquire()
    for (let call = 0; call < 3; call++) breaker.recordSuccess(acquire(), 50)
    breaker.recordFailure(acquire(), 200)
    breaker.release(acquire())
    const late = acquire()
    acquire()
    breaker.open()
    breaker.recordSuccess(late)
    acquire()
    acquire()
    breaker.forceOpen()
    acquire()
    const seen = await sdk.collect()
    expect(seen.values(`${BREAKER}.calls`, OUTCOME)).toEqual({
      succeeded: 3,
      failed: 1,
      ignored: 1,
      late: 1,
      abandoned: 0,
    })
    const refused = { open: 2, 'half-open': 0, 'forced-open': 1 }
    expect(seen.values(`${BREAKER}.refused_calls`, STATE)).toEqual(refused)
    expect(seen.value(`${BREAKER}.slow_calls`)).toBe(1)
    expect(seen.value(`${BREAKER}.in_flight_calls`)).toBe(1)
  })

  it('has its transitions, those that it makes by itself from the start', async () => {
    const { registry, breaker } = make()
    const sdk = new Sdk()
    instrument(registry, sdk.meter)
    const transitions = async () =>
      (await sdk.collect())
        .points(`${BREAKER}.transitions`)
        .map(({ attributes, value }) =>
          [attributes[`${BREAKER}.from_state`], attributes[`${BREAKER}.to_state`], value].join(' '),
        )
        .sort()
    const still = ['half-open closed 0', 'half-open open 0', 'open half-open 0']
    expect(await transitions()).toEqual(['closed open 0', ...still])
    breaker.open()
    breaker.disable()
    breaker.reset()
    breaker.open()
    const byHand = ['disabled closed 1', 'open disabled 1']
    expect(await transitions()).toEqual([...still, 'closed open 2', ...byHand].sort())
  })

  it('has ratios of its window, 0 below the minimum of calls', async () => {
    const { registry, breaker } = make({ minimumNumberOfCalls: 4 })
    const slow = registry.breaker('slow', {
      minimumNumberOfCalls: 1,
      slowCallDurationThresholdMs: 1,
      slowCallRateThreshold: 1,
    })
    registry.breaker('row', { slidingWindow: { type: 'consecutive' } })
    const sdk = new Sdk()
    instrument(registry, sdk.meter)
    const ratios = async (kind: string) =>
      (await sdk.collect()).values(`${BREAKER}.${kind}_ratio`, `${BREAKER}.name`)
    breaker.recordFailure(breaker.tryAcquire())
    expect(await ratios('failure')).toEqual({ [breaker.name]: 0, slow: 0 })
    for (let call = 0; call < 3; call++) breaker.recordSuccess(breaker.tryAcquire())
    slow.recordSuccess(slow.tryAcquire(), 1)
    slow.recordSuccess(slow.tryAcquire(), 2)
    registry.advance(1000)
    // Sums of time windows are as old as the last periodic one; an outcome makes the next.
    breaker.recordSuccess(breaker.tryAcquire())
    slow.recordSuccess(slow.tryAcquire(), 1)
    expect(await ratios('failure')).toEqual({ [breaker.name]: 0.2, slow: 0 })
    expect(await ratios('slow_call')).toEqual({ slow: 1 / 3 })
    registry.advance(60_000)
    breaker.recordSuccess(breaker.tryAcquire())
    slow.recordSuccess(slow.tryAcquire(), 1)
    expect(await ratios('failure')).toEqual({ [breaker.name]: 0, slow: 0 })
  })

  it('has durations: count, sum and quantiles in seconds; no quantiles of nothing', async () => {
    const { registry, breaker } = make()
    const sdk = new Sdk()
    instrument(registry, sdk.meter)
    const quantile = `${BREAKER}.quantile`
    expect((await sdk.collect()).values(`${BREAKER}.call_duration.quantile`, quantile)).toEqual({})
    for (let ms = 10; ms <= 1000; ms += 10) breaker.recordSuccess(breaker.tryAcquire(), ms)
    const seen = await sdk.collect()
    expect(seen.value(`${BREAKER}.call_duration.count`)).toBe(100)
    expect(seen.value(`${BREAKER}.call_duration.sum`)).toBeCloseTo(50.5, 1)
    const quantiles = seen.values(`${BREAKER}.call_duration.quantile`, quantile)
    expect(Object.keys(quantiles).sort()).toEqual(['0.5', '0.9', '0.99'])
    for (const [name, seconds] of Object.entries(quantiles)) {
      expect(Math.abs(seconds / Number(name) - 1)).toBeLessThan(0.06)
    }
  })

  it('that is made later is there at the next collection', async () => {
    const { registry, breaker } = make()
    const sdk = new Sdk()
    instrument(registry, sdk.meter)
    const names = async () =>
      Object.keys((await sdk.collect()).values(`${BREAKER}.slow_calls`, `${BREAKER}.name`))
    expect(await names()).toEqual([breaker.name])
    registry.breaker('later')
    expect(await names()).toEqual([breaker.name, 'later'])
  })
})

describe('the region', () => {
  it('has its slots, threads without one, damage and the keeper', async () => {
    const { registry } = make()
    const sdk = new Sdk()
    instrument(registry, sdk.meter)
    const seen = await sdk.collect()
    const slots = { live: 1, silent: 0, dead: 0 }
    expect(seen.values(`${REGION}.slot.count`, `${REGION}.slot.state`)).toEqual(slots)
    expect(seen.value(`${REGION}.slot.limit`)).toBe(2)
    expect(seen.value(`${REGION}.threads_without_slot`)).toBe(0)
    expect(seen.value(`${REGION}.damaged_words`)).toBe(0)
    const keeper = { none: 1, asleep: 0, awake: 0 }
    expect(seen.values(`${REGION}.keeper.state`, `${REGION}.keeper.state`)).toEqual(keeper)
  })
})

describe('the instruments', () => {
  it('have names, units and kinds as the semantic conventions have them', async () => {
    const { registry, breaker } = makeBrittle({ slowCallDurationThresholdMs: 1 })
    breaker.recordSuccess(breaker.tryAcquire(), 5)
    const sdk = new Sdk()
    instrument(registry, sdk.meter)
    const { metrics } = await sdk.collect()
    expect(metrics.size).toBeGreaterThan(12)
    for (const { descriptor, ...metric } of metrics.values()) {
      expect(descriptor.name).toMatch(/^busbar\.(?:[a-z]+(?:_[a-z]+)*\.)+[a-z]+(?:_[a-z]+)*$/)
      expect(descriptor.unit).toMatch(/^(?:\{[a-z_]+\}|s|1)$/)
      expect(descriptor.description).toMatch(/^[A-Z1].*\.$/)
      const isCounter = metric.dataPointType === DataPointType.SUM && metric.isMonotonic
      const isCount =
        /calls$|transitions|retries$|stalls$|\.count$|\.sum$|without_slot|damaged/.test(
          descriptor.name,
        )
      const isUpDown =
        /in_flight|queued|slot/.test(descriptor.name) && !/without/.test(descriptor.name)
      expect([descriptor.name, isCounter]).toEqual([descriptor.name, isCount && !isUpDown])
    }
  })

  it('have the attributes given, so that two registries of a process can be told apart', async () => {
    const [one, two] = [make(), make()]
    const sdk = new Sdk()
    const attributes = { 'busbar.region': 'one', tier: 1, main: true }
    instrument(one.registry, sdk.meter, { attributes })
    instrument(two.registry, sdk.meter, { attributes: { 'busbar.region': 'two' } })
    two.breaker.open()
    const seen = await sdk.collect()
    expect(seen.values(`${REGION}.slot.limit`, 'busbar.region')).toEqual({ one: 2, two: 2 })
    const open = seen.points(STATE).filter(({ attributes }) => attributes[STATE] === 'open')
    expect(open.map(({ value }) => value)).toEqual([0, 1])
    expect(open[0]?.attributes).toMatchObject(attributes)
  })

  it('reach an exporter by a periodic reader', async () => {
    const { registry } = makeReady()
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 60_000 })
    const provider = new MeterProvider({ readers: [reader] })
    instrument(registry, provider.getMeter('busbar'))
    await provider.forceFlush()
    await provider.shutdown()
    const scopes = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics)
    const names = scopes.flatMap(({ metrics }) => metrics.map(({ descriptor }) => descriptor.name))
    expect(names).toContain(STATE)
  })
})

describe('bad input', () => {
  it.each([undefined, null, {}, { createObservableGauge: () => ({}) }])('a meter %o', meter => {
    const { registry } = make()
    expect(thrownBy(() => instrument(registry, meter as unknown as Meter))).toMatchObject({
      code: 'ERR_INVALID_OPTION',
      option: 'meter',
    })
  })

  it.each<[object, string]>([
    [{ lease: 1 }, 'options.lease'],
    [{ leaseMs: 0 }, 'options.leaseMs'],
    [{ leaseMs: Number.NaN }, 'options.leaseMs'],
    [{ leaseMs: 86_400_001 }, 'options.leaseMs'],
    [{ attributes: 'a=b' }, 'options.attributes'],
    [{ attributes: ['a'] }, 'options.attributes'],
    [{ attributes: { a: {} } }, 'options.attributes'],
  ])('options %o', (options, option) => {
    const { registry } = make()
    const call = () => instrument(registry, new Sdk().meter, options as InstrumentationOptions)
    expect(thrownBy(call)).toMatchObject({ code: 'ERR_INVALID_OPTION', option })
  })

  it('a closed registry', () => {
    const { registry } = make()
    registry.close()
    expect(thrownBy(() => instrument(registry, new Sdk().meter))).toMatchObject({
      code: 'ERR_NO_REGISTRY',
    })
  })
})
