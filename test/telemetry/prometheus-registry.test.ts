/** The metrics of real registries. */
import { afterEach, describe, expect, it } from 'vitest'
import { createRegistry, NoRegistryError, type Registry } from '../../src/index.ts'
import { renderPrometheus } from '../../src/telemetry/prometheus.ts'
import { parse, seriesOf } from './prometheus-support.ts'

describe('a real registry', () => {
  const registries: Registry[] = []
  const make = (): Registry => {
    const registry = createRegistry({ clock: 'manual' })
    registries.push(registry)
    return registry
  }

  afterEach(() => {
    for (const registry of registries.splice(0)) registry.close()
  })

  it('without breakers has those series that need none', () => {
    const families = parse(renderPrometheus(make()))
    const filled = [...families].filter(([, { samples }]) => samples.length > 0)
    expect(filled.map(([name]) => name)).toEqual(
      [...families.keys()].filter(name => name.startsWith('circuit_breaker_region_')),
    )
  })

  it('is shown as it is', () => {
    const registry = make()
    const breaker = registry.breaker('b', { slowCallDurationThresholdMs: 50 })
    for (let call = 0; call < 19; call++) {
      const permit = breaker.tryAcquire()
      if (call % 2 === 0) breaker.recordSuccess(permit, 10)
      else breaker.recordFailure(permit, 100)
    }
    const inFlight = breaker.tryAcquire()
    breaker.recordFailure(breaker.tryAcquire(), 100)
    breaker.release(inFlight)
    for (let call = 0; call < 7; call++) breaker.tryAcquire()
    breaker.forceOpen()
    for (let call = 0; call < 3; call++) breaker.tryAcquire()

    const text = renderPrometheus(registry)
    expect(seriesOf(text, 'circuit_breaker_calls_total')).toEqual([
      'breaker=b,outcome=succeeded 10',
      'breaker=b,outcome=failed 10',
      'breaker=b,outcome=ignored 0',
      'breaker=b,outcome=late 1',
      'breaker=b,outcome=abandoned 0',
    ])
    expect(seriesOf(text, 'circuit_breaker_refused_calls_total')).toEqual([
      'breaker=b,state=open 7',
      'breaker=b,state=half-open 0',
      'breaker=b,state=forced-open 3',
    ])
    expect(seriesOf(text, 'circuit_breaker_transitions_total')).toContain(
      'breaker=b,from=open,to=forced-open 1',
    )
    expect(seriesOf(text, 'circuit_breaker_slow_calls_total')).toEqual(['breaker=b 10'])
    const durations = seriesOf(text, 'circuit_breaker_call_duration_seconds')
    expect(durations).toContain('_bucket breaker=b,le=0.0128 10')
    expect(durations).toContain('_bucket breaker=b,le=0.1024 20')
    expect(durations).toContain('_count breaker=b 20')
    expect(durations).toContain('_sum breaker=b 1.1')
    expect(seriesOf(text, 'circuit_breaker_slow_call_ratio_threshold')).toEqual(['breaker=b 1'])
  })

  it('that is closed is refused', () => {
    const registry = make()
    registry.close()
    expect(() => renderPrometheus(registry)).toThrow(NoRegistryError)
  })
})
