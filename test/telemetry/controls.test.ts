/** Throttles, bulkheads, retry budgets and host groups as metrics show them. */
import { afterEach, expect, it } from 'vitest'
import { createRegistry, type Registry } from '../../src/index.ts'
import { instrument } from '../../src/telemetry/opentelemetry.ts'
import { renderPrometheus } from '../../src/telemetry/prometheus.ts'
import { Sdk } from './opentelemetry-support.ts'
import { parse } from './prometheus-support.ts'

let registry: Registry

function used(): Registry {
  registry = createRegistry({ clock: 'manual', maxBreakers: 2, maxThreads: 2 })
  const throttle = registry.throttle('search', { windowMs: 1000, minimumRequestsPerSecond: 0 })
  throttle.recordAccepted(throttle.tryAcquire())
  throttle.release(throttle.tryAcquire())
  for (let call = 0; call < 8; call++) {
    const permit = throttle.tryAcquire()
    if (permit >= 0) throttle.recordRejected(permit)
  }
  const bulkhead = registry.bulkhead('search', { maxConcurrentCalls: 2, maxQueuedCalls: 3 })
  bulkhead.release(bulkhead.tryAcquire())
  bulkhead.tryAcquire()
  bulkhead.tryAcquire()
  bulkhead.tryAcquire()
  const budget = registry.retryBudget('search', { ratio: 0, minimumPerSecond: 0.1 })
  budget.recordCall()
  budget.tryRetry()
  budget.tryRetry()
  const hosts = registry.hosts('search', { consecutiveFailures: 1 })
  hosts.record('a', 'success')
  hosts.record('b', 'failure')
  return registry
}

afterEach(() => registry.close())

/** Every series that says something of a control, with its value. */
function seriesOf(text: string): Record<string, number> {
  const found: Record<string, number> = {}
  for (const [family, { samples }] of parse(text)) {
    if (/circuit_breaker/.test(family)) continue
    for (const { name, labels, value } of samples) {
      const all = Object.entries(labels).map(([label, text]) => `${label}=${text}`)
      found[`${name} ${all.join(' ')}`] = value
    }
  }
  return found
}

it('stand in the text of Prometheus', () => {
  const { throttle, bulkhead } = {
    throttle: used().throttle('search').snapshot(),
    bulkhead: registry.bulkhead('search').snapshot(),
  }
  expect(seriesOf(renderPrometheus(registry))).toEqual({
    'throttle_rejection_probability throttle=search': throttle.rejectionProbability,
    'throttle_calls_total throttle=search outcome=accepted': 1,
    'throttle_calls_total throttle=search outcome=rejected': throttle.totals.rejected,
    'throttle_calls_total throttle=search outcome=ignored': 1,
    'throttle_calls_total throttle=search outcome=abandoned': 0,
    'throttle_refused_calls_total throttle=search': throttle.totals.refused,
    'bulkhead_in_flight_calls bulkhead=search': 2,
    'bulkhead_in_flight_calls_limit bulkhead=search': 2,
    'bulkhead_queued_calls bulkhead=search': 0,
    'bulkhead_calls_total bulkhead=search outcome=completed': 1,
    'bulkhead_calls_total bulkhead=search outcome=abandoned': 0,
    'bulkhead_refused_calls_total bulkhead=search': bulkhead.totals.refused,
    'retry_budget_calls_total retry_budget=search': 1,
    'retry_budget_retries_total retry_budget=search': 1,
    'retry_budget_refused_retries_total retry_budget=search': 1,
    'host_group_hosts host_group=search': 2,
    'host_group_host_ejected host_group=search host=a': 0,
    'host_group_host_ejected host_group=search host=b': 1,
    'host_group_host_calls_total host_group=search host=a outcome=succeeded': 1,
    'host_group_host_calls_total host_group=search host=a outcome=failed': 0,
    'host_group_host_calls_total host_group=search host=b outcome=succeeded': 0,
    'host_group_host_calls_total host_group=search host=b outcome=failed': 1,
  })
  expect(throttle.totals.rejected + throttle.totals.refused).toBe(8)
  expect(bulkhead.totals.refused).toBe(1)
})

it('are instruments of OpenTelemetry, with the same values', async () => {
  const sdk = new Sdk()
  const instrumentation = instrument(used(), sdk.meter)
  const { metrics } = await sdk.collect()
  const points = [...metrics.values()].flatMap(({ descriptor, dataPoints }) =>
    dataPoints.map(point => [descriptor.name, point.attributes, point.value] as const),
  )
  const about = (name: string): unknown[] =>
    points.filter(([metric]) => metric === name).map(([, attributes, value]) => [attributes, value])
  expect(about('busbar.bulkhead.in_flight_calls')).toEqual([
    [{ 'busbar.bulkhead.name': 'search' }, 2],
  ])
  expect(about('busbar.retry_budget.retries')).toEqual([
    [{ 'busbar.retry_budget.name': 'search' }, 1],
  ])
  expect(about('busbar.host_group.host_ejected')).toEqual([
    [{ 'busbar.host_group.name': 'search', 'busbar.host_group.host': 'a' }, 0],
    [{ 'busbar.host_group.name': 'search', 'busbar.host_group.host': 'b' }, 1],
  ])
  expect(about('busbar.throttle.calls')).toHaveLength(4)
  instrumentation.stop()
})

it('say what other threads did, and that their hosts are named as they are', () => {
  registry = createRegistry({ clock: 'manual', maxBreakers: 2, maxThreads: 2 })
  registry.hosts('g').record('https://a.example:8443/"x"\n', 'success')
  expect(renderPrometheus(registry)).toContain('host="https://a.example:8443/\\"x\\"\\n"')
})
