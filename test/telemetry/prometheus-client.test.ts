/** The same series through the real prom-client. */
import { AggregatorRegistry, Gauge, Registry as PromRegistry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { createRegistry, NoRegistryError, type RegistrySnapshot } from '../../src/index.ts'
import {
  collectInto,
  type MetricsOptions,
  type MetricsSource,
  PROMETHEUS_CONTENT_TYPE,
  renderPrometheus,
} from '../../src/telemetry/prometheus.ts'
import { breakerOf, parse, registryOf, valuesOf } from './prometheus-support.ts'

const made = {
  breakers: [breakerOf('plain', { state: 'open' }), breakerOf('a"b\\c\nd')],
  durationsMs: [0.3, 3, 40, 90_000],
}

/** A registry whose snapshots are counted and can be changed. */
function counted(source: MetricsSource) {
  const counts = { snapshots: 0 }
  const changed: Partial<RegistrySnapshot> = {}
  const registry: MetricsSource = {
    get: name => source.get(name),
    snapshot: () => {
      counts.snapshots++
      return { ...source.snapshot(), ...changed }
    },
  }
  return { registry, counts, changed }
}

describe('collectInto', () => {
  it.each<MetricsOptions>([
    {},
    { compat: 'resilience4j' },
    { compat: 'opossum' },
    { prefix: 'shop_', labels: { zone: 'eu"1' } },
  ])('gives the series of renderPrometheus, with %s', async options => {
    const registry = registryOf(made)
    const register = new PromRegistry()
    collectInto(register, registry, options)
    const text = renderPrometheus(registry, options)
    const theirs = (await register.metrics()).replaceAll('\n\n', '\n')
    expect(valuesOf(theirs)).toEqual(valuesOf(text))
    const heads = (text: string) =>
      [...parse(text)].map(([name, { type, help }]) => [name, type, help])
    expect(heads(theirs)).toEqual(heads(text))
    expect(register.contentType).toBe(PROMETHEUS_CONTENT_TYPE)
  })

  it('gives those of a real registry at the time of the scrape', async () => {
    const registry = createRegistry({ clock: 'manual' })
    const register = new PromRegistry()
    collectInto(register, registry)
    for (let scrape = 0; scrape < 3; scrape++) {
      const breaker = registry.breaker(`b${scrape}`)
      breaker.recordSuccess(breaker.tryAcquire(), 5)
      const theirs = (await register.metrics()).replaceAll('\n\n', '\n')
      expect(valuesOf(theirs)).toEqual(valuesOf(renderPrometheus(registry)))
    }
    registry.close()
  })

  it('looks once at each scrape, and anew at the next', async () => {
    const { registry, counts, changed } = counted(registryOf(made))
    const register = new PromRegistry()
    collectInto(register, registry)
    counts.snapshots = 0
    for (let scrape = 1; scrape <= 3; scrape++) {
      changed.damaged = scrape
      const text = await register.metrics()
      expect(text).toContain(`\ncircuit_breaker_region_damaged_words_total ${scrape}\n`)
      expect(counts.snapshots).toBe(scrape)
    }
    await register.getMetricsAsJSON()
    expect(counts.snapshots).toBe(4)
  })

  it('stands beside the metrics of others, under their default labels', async () => {
    const register = new PromRegistry()
    register.setDefaultLabels({ host: 'h1' })
    new Gauge({ name: 'other', help: 'Another.', registers: [register] }).set(5)
    collectInto(register, registryOf(made))
    const text = await register.metrics()
    expect(text).toContain('\nother{host="h1"} 5\n')
    expect(text).toContain('circuit_breaker_state{breaker="plain",state="open",host="h1"} 1')
    register.resetMetrics()
    expect(await register.metrics()).toContain('_count{breaker="plain",host="h1"} 4')
  })

  it('serves several registries of prom-client, each with options of its own', async () => {
    const registry = registryOf(made)
    const own = new PromRegistry()
    const compat = new PromRegistry()
    collectInto(own, registry)
    collectInto(compat, registry, { compat: 'resilience4j' })
    expect(valuesOf((await own.metrics()).replaceAll('\n\n', '\n'))).toEqual(
      valuesOf(renderPrometheus(registry)),
    )
    expect(await compat.metrics()).not.toContain('circuit_breaker_')
    expect(await PromRegistry.merge([own, compat]).metrics()).toContain('resilience4j_')
  })

  it('writes OpenMetrics where the registry does', async () => {
    const register =
      new PromRegistry<'application/openmetrics-text; version=1.0.0; charset=utf-8'>()
    register.setContentType('application/openmetrics-text; version=1.0.0; charset=utf-8')
    collectInto(register, registryOf(made))
    for (let scrape = 0; scrape < 2; scrape++) {
      const text = await register.metrics()
      expect(text).toContain('# TYPE circuit_breaker_slow_calls counter\n')
      expect(text).toContain('\ncircuit_breaker_slow_calls_total{breaker="plain"} 0\n')
      expect(text).toContain('\ncircuit_breaker_call_duration_seconds_count{breaker="plain"} 4\n')
    }
  })

  it('sums the processes of a cluster, but no ratios', async () => {
    const register = new PromRegistry()
    const ratio = (failureRate: number) =>
      breakerOf('b', {
        window: { ...breakerOf('b').window, failureRate },
        durations: { ...breakerOf('b').durations, count: 1 },
      })
    const { registry, changed } = counted(registryOf({ durationsMs: [3] }))
    collectInto(register, registry)
    changed.breakers = [ratio(0.2)]
    const first = await register.getMetricsAsJSON()
    changed.breakers = [ratio(0.4)]
    const second = await register.getMetricsAsJSON()
    const both = valuesOf(
      (await AggregatorRegistry.aggregate([first, second]).metrics()).replaceAll('\n\n', '\n'),
    )
    const at = (name: string, labels: Record<string, string> = { breaker: 'b' }) =>
      both.get(JSON.stringify([name, Object.entries(labels).sort()]))
    expect(at('circuit_breaker_failure_ratio')).toBeCloseTo(0.3)
    expect(at('circuit_breaker_failure_ratio_threshold')).toBe(0.5)
    expect(at('circuit_breaker_state', { breaker: 'b', state: 'closed' })).toBe(2)
    expect(at('circuit_breaker_call_duration_seconds_count')).toBe(2)
  })

  it('takes its metrics out again, and no others', async () => {
    const register = new PromRegistry()
    new Gauge({ name: 'other', help: 'Another.', registers: [register] })
    const remove = collectInto(register, registryOf(made))
    remove()
    expect(register.getMetricsAsArray().map(({ name }) => name)).toEqual(['other'])
    const again = collectInto(register, registryOf(made))
    remove()
    expect(await register.metrics()).toContain('circuit_breaker_state{')
    again()
  })

  it('adds nothing where a name is taken', () => {
    const register = new PromRegistry()
    const name = 'circuit_breaker_slow_calls_total'
    new Gauge({ name, help: 'Taken.', registers: [register] })
    expect(() => collectInto(register, registryOf(made))).toThrow(
      expect.objectContaining({ option: 'options.prefix', message: expect.stringContaining(name) }),
    )
    expect(register.getMetricsAsArray()).toHaveLength(1)
    collectInto(register, registryOf(made), { prefix: 'mine_' })
    expect(() => collectInto(register, registryOf(made), { prefix: 'mine_' })).toThrow(/new/)
  })

  it('refuses a closed registry, at once and at a scrape', async () => {
    const registry = createRegistry({ clock: 'manual' })
    const register = new PromRegistry()
    collectInto(register, registry)
    registry.close()
    await expect(register.metrics()).rejects.toThrow(NoRegistryError)
    expect(() => collectInto(new PromRegistry(), registry)).toThrow(NoRegistryError)
  })
})
