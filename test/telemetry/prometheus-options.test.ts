/** What the metrics refuse, with an error that names it. */
import { Registry as PromRegistry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { InvalidOptionError } from '../../src/index.ts'
import {
  collectInto,
  type MetricsOptions,
  type MetricsSource,
  type PromClientRegistry,
  renderPrometheus,
} from '../../src/telemetry/prometheus.ts'
import { breakerOf, registryOf } from './prometheus-support.ts'

const registry = registryOf({ breakers: [breakerOf('b')] })

function refusalOf(options: unknown): InvalidOptionError {
  const refusals = [
    () => renderPrometheus(registry, options as MetricsOptions),
    () => collectInto(new PromRegistry(), registry, options as MetricsOptions),
  ].map(call => {
    try {
      call()
    } catch (error) {
      if (error instanceof InvalidOptionError) return error
      throw error
    }
    throw new Error('not refused')
  })
  expect(refusals[0]?.message).toBe(refusals[1]?.message)
  return refusals[0] as InvalidOptionError
}

describe('options', () => {
  it.each([5, 'opossum', null, [], () => {}])('that are no object are refused: %s', options => {
    return expect(refusalOf(options).option).toBe('options')
  })

  it('that are not known are refused, with those that are', () => {
    const { option, message } = refusalOf({ perfix: 'x' })
    expect(option).toBe('options.perfix')
    expect(message).toContain('compat, prefix, labels')
  })

  it.each(['hystrix', 'Resilience4j', 'toString', '', 4, true, null, ['opossum']])(
    'compat: %s is refused',
    compat => {
      const { option, message } = refusalOf({ compat })
      expect(option).toBe('options.compat')
      expect(message).toContain("'resilience4j' or 'opossum'")
    },
  )

  it.each(['1st_', 'a-b', 'a b', 'ä', 'a\n', 5, ['a'], null])('prefix: %s is refused', prefix => {
    expect(refusalOf({ prefix }).option).toBe('options.prefix')
  })

  it.each(['', 'a', '_', 'team:shop_', 'A9_'])('prefix: "%s" is taken', prefix => {
    const text = renderPrometheus(registry, { prefix })
    expect(text).toContain(`\n${prefix}circuit_breaker_state{`)
  })

  it.each(['zone', 5, null, ['zone']])('labels: %s are refused', labels => {
    expect(refusalOf({ labels }).option).toBe('options.labels')
  })

  it.each(['1', 'a-b', '', 'ä', '__name__', 'a:b', 'a\n'])(
    'a label named "%s" is refused',
    name => {
      expect(refusalOf({ labels: { [name]: 'x' } }).option).toBe(`options.labels.${name}`)
    },
  )

  it.each([5, true, {}, '\ud800', null])('a label with the value %s is refused', value => {
    expect(refusalOf({ labels: { zone: value } }).option).toBe('options.labels.zone')
  })

  it.each([
    [undefined, 'breaker state outcome from to le', 'name'],
    ['resilience4j', 'name state kind', 'group'],
    ['opossum', 'name event quantile', 'state'],
  ] as const)('labels that the metrics have themselves are refused (%s)', (compat, used, free) => {
    for (const name of used.split(' ')) {
      expect(refusalOf({ compat, labels: { [name]: 'x' } }).message).toContain('use this label')
    }
    expect(renderPrometheus(registry, { compat, labels: { [free]: 'x' } })).toContain(`${free}="x"`)
  })

  it('left undefined count as left out', () => {
    const options = { compat: undefined, prefix: undefined, labels: undefined }
    expect(renderPrometheus(registry, options)).toBe(renderPrometheus(registry))
  })
})

describe('registries', () => {
  it.each([undefined, null, 5, 'x', {}, { snapshot: () => ({}) }])(
    'that are none of busbar are refused: %s',
    none => {
      const error = expect.objectContaining({ option: 'registry', code: 'ERR_INVALID_OPTION' })
      expect(() => renderPrometheus(none as unknown as MetricsSource)).toThrow(error)
      expect(() => collectInto(new PromRegistry(), none as unknown as MetricsSource)).toThrow(error)
    },
  )

  it.each([undefined, null, 5, {}, { registerMetric() {} }])(
    'that are none of prom-client are refused: %s',
    none => {
      const error = expect.objectContaining({ option: 'register', code: 'ERR_INVALID_OPTION' })
      const register = none as unknown as PromClientRegistry
      expect(() => collectInto(register, registry)).toThrow(error)
    },
  )
})
