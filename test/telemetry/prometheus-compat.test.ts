/** The names of Resilience4j and of opossum, against lists of what those projects show. */
import { describe, expect, it } from 'vitest'
import { createRegistry } from '../../src/index.ts'
import { renderPrometheus } from '../../src/telemetry/prometheus.ts'
import { breakerOf, parse, registryOf, seriesOf, totals } from './prometheus-support.ts'

const window = { calls: 40, failures: 10, slowCalls: 4, slowFailures: 1 }

const transitionCounts = [
  { from: 'closed', to: 'open', count: 2 },
  { from: 'half-open', to: 'open', count: 1 },
  { from: 'open', to: 'half-open', count: 3 },
  { from: 'half-open', to: 'closed', count: 1 },
  { from: 'closed', to: 'forced-open', count: 1 },
  { from: 'forced-open', to: 'closed', count: 1 },
] as const

const registry = registryOf({
  breakers: [
    breakerOf('b', {
      state: 'half-open',
      totals,
      window: { ...window, failureRate: 0.25, slowCallRate: 0.1 },
      transitionCounts: [...transitionCounts],
    }),
    breakerOf('new'),
  ],
})

function linesOf(text: string, family: string, name: string): string[] {
  return seriesOf(text, family)
    .filter(line => line.includes(`name=${name}`))
    .map(line => line.replace(/name=\w+[, ]/, ''))
}

describe("compat: 'resilience4j'", () => {
  const text = renderPrometheus(registry, { compat: 'resilience4j' })
  const about = (what: string, name = 'b') =>
    linesOf(text, `resilience4j_circuitbreaker_${what}`, name)

  it('has the metrics of TaggedCircuitBreakerMetrics and no other', () => {
    const types = [...parse(text)].map(([name, { type }]) => `${name} ${type}`)
    expect(types).toEqual([
      'resilience4j_circuitbreaker_state gauge',
      'resilience4j_circuitbreaker_buffered_calls gauge',
      'resilience4j_circuitbreaker_slow_calls gauge',
      'resilience4j_circuitbreaker_failure_rate gauge',
      'resilience4j_circuitbreaker_slow_call_rate gauge',
      'resilience4j_circuitbreaker_calls_seconds summary',
      'resilience4j_circuitbreaker_not_permitted_calls_total counter',
    ])
  })

  it.each([
    ['closed', 'closed'],
    ['open', 'open'],
    ['half-open', 'half_open'],
    ['forced-open', 'forced_open'],
    ['disabled', 'disabled'],
    ['metrics-only', 'metrics_only'],
  ] as const)('calls %s %s', (state, theirs) => {
    const one = renderPrometheus(registryOf({ breakers: [breakerOf('b', { state })] }), {
      compat: 'resilience4j',
    })
    const states = linesOf(one, 'resilience4j_circuitbreaker_state', 'b')
    expect(states).toHaveLength(6)
    expect(states.filter(line => line.endsWith(' 1'))).toEqual([`state=${theirs} 1`])
  })

  it('has counts of calls by kind, without the sums that busbar does not have', () => {
    expect(about('calls_seconds')).toEqual(
      ['kind=successful 60', 'kind=failed 20', 'kind=ignored 5'].map(line => `_count ${line}`),
    )
    expect(about('not_permitted_calls_total')).toEqual(['kind=not_permitted 90'])
  })

  it('has the window by kind', () => {
    expect(about('buffered_calls')).toEqual(['kind=failed 10', 'kind=successful 30'])
    expect(about('slow_calls')).toEqual(['kind=failed 1', 'kind=successful 3'])
  })

  it('has rates in percent, -1 below the minimum', () => {
    expect(about('failure_rate')).toEqual(['25'])
    expect(about('slow_call_rate')).toEqual(['10'])
    expect(about('failure_rate', 'new')).toEqual(['-1'])
    expect(about('slow_call_rate', 'new')).toEqual(['-1'])
  })

  it('takes their tags as labels', () => {
    const labels = { application: 'shop', group: 'external' }
    const tagged = renderPrometheus(registry, { compat: 'resilience4j', labels })
    for (const { samples } of parse(tagged).values()) {
      for (const sample of samples) expect(sample.labels).toMatchObject(labels)
    }
  })
})

describe("compat: 'opossum'", () => {
  const text = renderPrometheus(registry, { compat: 'opossum' })

  it('has the metrics of opossum-prometheus and no other', () => {
    const types = [...parse(text)].map(([name, { type }]) => `${name} ${type}`)
    expect(types).toEqual(['circuit counter', 'circuit_perf summary'])
  })

  it('counts events', () => {
    expect(linesOf(text, 'circuit', 'b')).toEqual([
      `event=fire ${60 + 20 + 5 + 4 + 3 + 90}`,
      'event=success 60',
      'event=failure 20',
      'event=reject 90',
      'event=open 4',
      'event=halfOpen 3',
      'event=close 2',
    ])
    expect(linesOf(text, 'circuit_perf', 'b')).toEqual([
      '_count event=success 60',
      '_count event=failure 20',
    ])
  })

  it('counts those of a real breaker', () => {
    const real = createRegistry({ clock: 'manual' })
    const breaker = real.breaker('b', { slidingWindow: { type: 'consecutive', failures: 2 } })
    breaker.recordSuccess(breaker.tryAcquire())
    for (let call = 0; call < 5; call++) breaker.recordFailure(breaker.tryAcquire())
    const events = linesOf(renderPrometheus(real, { compat: 'opossum' }), 'circuit', 'b')
    real.close()
    expect(events).toContain('event=open 1')
    expect(events).toContain('event=failure 2')
    expect(events).toContain('event=reject 3')
    expect(events).toContain('event=success 1')
  })

  it('takes a prefix, as metricPrefix does', () => {
    const prefixed = renderPrometheus(registry, { compat: 'opossum', prefix: 'shop_' })
    expect([...parse(prefixed).keys()]).toEqual(['shop_circuit', 'shop_circuit_perf'])
  })
})
