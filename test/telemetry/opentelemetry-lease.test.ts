/** busbar/opentelemetry in several threads: one exports, another takes over, nothing goes back. */
import { AggregationTemporality, DataPointType } from '@opentelemetry/sdk-metrics'
import { describe, expect, it, onTestFinished } from 'vitest'
import { attachRegistry, type CircuitBreaker, type Registry } from '../../src/index.ts'
import { type InstrumentationOptions, instrument } from '../../src/telemetry/opentelemetry.ts'
import { make } from '../unit/execute-support.ts'
import { type Collected, Sdk } from './opentelemetry-support.ts'

const BREAKER = 'busbar.circuit_breaker'
const STATE = `${BREAKER}.state`
const OUTCOME = `${BREAKER}.outcome`

interface Member {
  readonly registry: Registry
  readonly breaker: CircuitBreaker
  readonly instrumentation: ReturnType<typeof instrument>
  collect(): Promise<Collected>
}

/** Registries of one region: each competes for the lease as one in a thread of its own does. */
function team(size: number, options?: InstrumentationOptions): Member[] {
  const { registry: first, breaker } = make()
  return Array.from({ length: size }, (_, index) => {
    const registry = index === 0 ? first : attachRegistry(first.handle)
    onTestFinished(() => registry.close())
    const sdk = new Sdk()
    const instrumentation = instrument(registry, sdk.meter, options)
    const own = registry.breaker(breaker.name)
    return { registry, breaker: own, instrumentation, collect: () => sdk.collect() }
  })
}

function pair(options?: InstrumentationOptions): [Member, Member] {
  const [a, b] = team(2, options)
  if (a === undefined || b === undefined) throw new Error('no team')
  return [a, b]
}

function succeed({ breaker }: Member): void {
  breaker.recordSuccess(breaker.tryAcquire())
}

function isReporting({ metrics }: Collected): boolean {
  return metrics.size > 0
}

/** What is left of a holder's report: whether all but its counters are 0. */
function isWithdrawn({ metrics }: Collected): boolean {
  return [...metrics.values()].every(metric => {
    if (metric.dataPointType === DataPointType.SUM && metric.isMonotonic) return true
    return metric.dataPoints.every(({ value }) => value === 0)
  })
}

describe('of several threads', () => {
  it('the first to collect exports for all, as long as it goes on', async () => {
    const members = team(4)
    for (const member of members) succeed(member)
    const [first, ...others] = members
    for (let minute = 0; minute < 10; minute++) {
      const seen = await first?.collect()
      expect(seen?.values(`${BREAKER}.calls`, OUTCOME).succeeded).toBe(4)
      for (const other of others) expect(isReporting(await other.collect())).toBe(false)
      first?.registry.advance(60_000)
    }
  })

  it('another takes over when the lease is over, not before; counters go on', async () => {
    const [a, b] = pair()
    succeed(a)
    const before = await a.collect()
    succeed(b)
    b.registry.advance(89_999)
    expect(isReporting(await b.collect())).toBe(false)
    b.registry.advance(1)
    const after = await b.collect()
    expect(after.values(STATE, STATE)).toMatchObject({ closed: 1 })
    const counters = [...before.metrics.values()].filter(
      metric => metric.dataPointType === DataPointType.SUM && metric.isMonotonic,
    )
    expect(counters.length).toBeGreaterThan(5)
    for (const { descriptor, dataPoints } of counters) {
      for (const { attributes, value } of dataPoints) {
        const same = after
          .points(descriptor.name)
          .find(point => JSON.stringify(point.attributes) === JSON.stringify(attributes))
        expect(same?.value, descriptor.name).toBeGreaterThanOrEqual(value as number)
      }
    }
    expect(after.values(`${BREAKER}.calls`, OUTCOME).succeeded).toBe(2)
  })

  it('who comes back and finds the lease taken withdraws what it showed', async () => {
    const [a, b] = pair()
    a.breaker.open()
    a.breaker.tryAcquire()
    await a.collect()
    a.registry.advance(90_000)
    expect((await b.collect()).values(STATE, STATE)).toMatchObject({ open: 1 })
    const late = await a.collect()
    expect(isWithdrawn(late)).toBe(true)
    // A counter at its last value adds nothing to a rate; at 0 it would, when it came back.
    expect(late.values(`${BREAKER}.refused_calls`, STATE)).toMatchObject({ open: 1 })
    expect(isWithdrawn(await a.collect())).toBe(true)
    a.registry.advance(90_000)
    expect((await a.collect()).values(STATE, STATE)).toMatchObject({ open: 1 })
  })

  it('the lease is as long as it is told', async () => {
    const [a, b] = pair({ leaseMs: 1000 })
    await a.collect()
    a.registry.advance(999)
    expect(isReporting(await b.collect())).toBe(false)
    a.registry.advance(1)
    expect(isReporting(await b.collect())).toBe(true)
  })

  it.each<[string, (member: Member) => void]>([
    ['stop', ({ instrumentation }) => instrumentation.stop()],
    ['dispose', ({ instrumentation }) => instrumentation[Symbol.dispose]()],
  ])('%s hands the lease on at once', async (_, stop) => {
    const [a, b] = pair()
    await a.collect()
    stop(a)
    stop(a)
    expect(isReporting(await b.collect())).toBe(true)
    expect(isWithdrawn(await a.collect())).toBe(true)
    a.registry.advance(90_000)
    expect(isWithdrawn(await a.collect())).toBe(true)
  })

  it('stop where nothing was shown takes nothing from the holder', async () => {
    const [a, b] = pair()
    await a.collect()
    b.instrumentation.stop()
    expect(isReporting(await b.collect())).toBe(false)
    expect((await a.collect()).values(STATE, STATE)).toMatchObject({ closed: 1 })
  })

  it('a closed registry ends it; the lease goes on when it is over', async () => {
    const [a, b] = pair()
    await a.collect()
    a.registry.close()
    expect(isWithdrawn(await a.collect())).toBe(true)
    expect(isReporting(await b.collect())).toBe(false)
    b.registry.advance(90_000)
    expect(isReporting(await b.collect())).toBe(true)
    a.instrumentation.stop()
  })
})

it('alone, delta temporality gives each call once', async () => {
  const { registry, breaker } = make()
  const sdk = new Sdk(AggregationTemporality.DELTA)
  instrument(registry, sdk.meter)
  const succeeded = async () => (await sdk.collect()).values(`${BREAKER}.calls`, OUTCOME).succeeded
  breaker.recordSuccess(breaker.tryAcquire())
  breaker.recordSuccess(breaker.tryAcquire())
  expect(await succeeded()).toBe(2)
  breaker.recordSuccess(breaker.tryAcquire())
  expect(await succeeded()).toBe(1)
})
