/** The text of the metrics: which series there are, with what numbers, written how. */
import { describe, expect, it } from 'vitest'
import { PROMETHEUS_CONTENT_TYPE, renderPrometheus } from '../../src/telemetry/prometheus.ts'
import {
  breakerOf,
  type Made,
  OCTAVES_MS,
  parse,
  registryOf,
  seriesOf,
  totals,
  valuesOf,
} from './prometheus-support.ts'

function render(made: Made): string {
  return renderPrometheus(registryOf(made))
}

/** The series of one breaker `b`, without the label that says so. */
function seriesOfOne(changed: Parameters<typeof breakerOf>[1], family: string, made?: Made) {
  const text = render({ ...made, breakers: [breakerOf('b', changed)] })
  return seriesOf(text, family).map(line => line.replace(/breaker=b[, ]/, ''))
}

describe('the series of a breaker', () => {
  it.each(['closed', 'open', 'half-open', 'forced-open', 'disabled', 'metrics-only'] as const)(
    'say that it is %s and nothing else',
    state => {
      const series = seriesOfOne({ state }, 'circuit_breaker_state')
      expect(series).toHaveLength(6)
      expect(series.filter(line => line.endsWith(' 1'))).toEqual([`state=${state} 1`])
      expect(series.filter(line => line.endsWith(' 0'))).toHaveLength(5)
    },
  )

  it('count calls by outcome', () => {
    expect(seriesOfOne({ totals }, 'circuit_breaker_calls_total')).toEqual([
      'outcome=succeeded 60',
      'outcome=failed 20',
      'outcome=ignored 5',
      'outcome=late 4',
      'outcome=abandoned 3',
    ])
    expect(seriesOfOne({ totals }, 'circuit_breaker_slow_calls_total')).toEqual(['7'])
    expect(seriesOfOne({ totals }, 'circuit_breaker_in_flight_calls')).toEqual(['8'])
  })

  it('count refusals by the state that refused', () => {
    expect(seriesOfOne({ totals }, 'circuit_breaker_refused_calls_total')).toEqual([
      'state=open 50',
      'state=half-open 11',
      'state=forced-open 29',
    ])
  })

  it('count transitions, those that it makes by itself from 0 on', () => {
    const family = 'circuit_breaker_transitions_total'
    const none = ['closed open', 'open half-open', 'half-open open', 'half-open closed']
    const line = (pair: string, count: number) =>
      `from=${pair.split(' ')[0]},to=${pair.split(' ')[1]} ${count}`
    expect(seriesOfOne({}, family)).toEqual(none.map(pair => line(pair, 0)))
    const transitionCounts = [
      { from: 'half-open', to: 'open', count: 3 },
      { from: 'open', to: 'forced-open', count: 1 },
    ] as const
    expect(seriesOfOne({ transitionCounts: [...transitionCounts] }, family)).toEqual([
      line('closed open', 0),
      line('open half-open', 0),
      line('half-open open', 3),
      line('half-open closed', 0),
      line('open forced-open', 1),
    ])
  })

  it('have no ratio below the minimum, and none without a slow threshold', () => {
    const window = { calls: 30, failures: 6, slowCalls: 3, slowFailures: 1 }
    const judged = { window: { ...window, failureRate: 0.2, slowCallRate: 0.1 } }
    const slow = { options: { slowCallDurationThresholdMs: 100, slowCallRateThreshold: 0.8 } }
    const failures = 'circuit_breaker_failure_ratio'
    const slowCalls = 'circuit_breaker_slow_call_ratio'
    expect(seriesOfOne({}, failures)).toEqual([])
    expect(seriesOfOne({}, slowCalls, slow)).toEqual([])
    expect(seriesOfOne(judged, failures)).toEqual(['0.2'])
    expect(seriesOfOne(judged, slowCalls)).toEqual([])
    expect(seriesOfOne(judged, slowCalls, slow)).toEqual(['0.1'])
  })

  it('have the thresholds that hold for it', () => {
    const failures = 'circuit_breaker_failure_ratio_threshold'
    const slowCalls = 'circuit_breaker_slow_call_ratio_threshold'
    const slow = { options: { slowCallDurationThresholdMs: 100, slowCallRateThreshold: 0.8 } }
    const row = { options: { slidingWindow: { type: 'consecutive', failures: 5 } } } as const
    expect(seriesOfOne({}, failures)).toEqual(['0.5'])
    expect(seriesOfOne({}, slowCalls)).toEqual([])
    expect(seriesOfOne({}, slowCalls, slow)).toEqual(['0.8'])
    expect(seriesOfOne({}, failures, row)).toEqual([])
  })

  it('say how old the counts are, in seconds', () => {
    const series = seriesOfOne({ windowAgeMs: 37.5 }, 'circuit_breaker_last_sum_age_seconds')
    expect(series).toEqual(['0.0375'])
  })
})

describe('the histogram of durations', () => {
  const family = 'circuit_breaker_call_duration_seconds'

  it('has exact buckets from 1.6 ms to 52 s, a sum and a count', () => {
    const durationsMs = [0.3, 1, 2, 40, 40, 700, 60_000]
    const series = seriesOfOne({}, family, { durationsMs })
    const bounds = OCTAVES_MS.filter(ms => ms > 1.5 && ms < 60_000)
    expect(bounds).toHaveLength(16)
    expect(series.map(line => line.match(/le=(\S+)/)?.[1]).filter(Boolean)).toEqual([
      ...['0.0016', '0.0032', '0.0064', '0.0128', '0.0256', '0.0512', '0.1024', '0.2048'],
      ...['0.4096', '0.8192', '1.6384', '3.2768', '6.5536', '13.1072', '26.2144', '52.4288'],
      '+Inf',
    ])
    expect(series.slice(0, -2).map(line => Number(line.split(' ').at(-1)))).toEqual([
      ...bounds.map(bound => durationsMs.filter(ms => ms < bound).length),
      7,
    ])
    expect(series.at(-1)).toBe('_count 7')
    expect(series.at(-2)).toMatch(/^_sum 60.7833/)
  })

  it('is not there before the first duration', () => {
    expect(seriesOfOne({}, family)).toEqual([])
  })
})

describe('the series of the region', () => {
  it('say whether there is room and whether anything is wrong', () => {
    const slot = (state: 'live' | 'silent' | 'dead', number: number) => ({
      slot: number,
      thread: number,
      state,
      silentMs: 0,
    })
    const region = {
      threadsWithoutSlot: 3,
      slots: [slot('live', 1), slot('dead', 2), slot('silent', 3), slot('dead', 4)],
      maxThreads: 4,
      damaged: 2,
      keeper: 'asleep',
    } as const
    const breakers = [breakerOf('a'), breakerOf('b')]
    const text = render({ breakers, region: { ...region, slots: [...region.slots] } })
    const about = (family: string) => seriesOf(text, `circuit_breaker_region_${family}`)
    expect(about('slots_used')).toEqual(['4'])
    expect(about('slots_limit')).toEqual(['4'])
    expect(about('threads_without_slot_total')).toEqual(['3'])
    expect(about('dead_threads')).toEqual(['2'])
    expect(about('silent_threads')).toEqual(['1'])
    expect(about('keeper_state')).toEqual(['state=none 0', 'state=asleep 1', 'state=awake 0'])
    expect(about('damaged_words_total')).toEqual(['2'])
    expect(about('breakers')).toEqual(['2'])
    expect(about('breakers_limit')).toEqual(['256'])
  })
})

describe('the text', () => {
  it('is the format 0.0.4, to the letter', () => {
    expect(PROMETHEUS_CONTENT_TYPE).toBe('text/plain; version=0.0.4; charset=utf-8')
    const text = renderPrometheus(registryOf({ breakers: [breakerOf('pay"ments')] }), {
      labels: { zone: 'a\\b' },
    })
    expect(text.split('\n').slice(0, 4)).toEqual([
      '# HELP circuit_breaker_state Whether the circuit breaker is in this state: 1 or 0.',
      '# TYPE circuit_breaker_state gauge',
      'circuit_breaker_state{breaker="pay\\"ments",state="closed",zone="a\\\\b"} 1',
      'circuit_breaker_state{breaker="pay\\"ments",state="open",zone="a\\\\b"} 0',
    ])
    expect(text).toMatch(/[^\n]\n$/)
  })

  it('has the metrics and breakers in the same order each time', () => {
    const made = { breakers: [breakerOf('b'), breakerOf('a')], durationsMs: [3] }
    const text = render(made)
    expect(render(made)).toBe(text)
    const states = seriesOf(text, 'circuit_breaker_state').map(line => line.slice(0, 9))
    expect([...new Set(states)]).toEqual(['breaker=b', 'breaker=a'])
  })

  it('gives back every name that a breaker can have', () => {
    const names = [
      'a"b\\c\nd',
      '\\n',
      '{}=,"',
      'tab\tcarriage\rreturn',
      'nul\0',
      '\u2028\u0085',
      'größe 😀',
      '__proto__',
      ' ',
      '# HELP x',
    ]
    const text = render({ breakers: names.map(name => breakerOf(name)), durationsMs: [3] })
    for (const [family, { samples }] of parse(text)) {
      if (family.startsWith('circuit_breaker_region')) continue
      const seen = new Set(samples.map(({ labels }) => labels.breaker))
      if (samples.length > 0) expect([...seen], family).toEqual(names)
    }
  })

  it('can write every number', () => {
    const text = (value: number) =>
      render({ breakers: [breakerOf('b', { totals: { ...totals, slow: value } })] })
    const numbers = [0, 2 ** 53, 1e21, 1e-7, Number.NaN, Number.POSITIVE_INFINITY]
    for (const value of [...numbers, Number.NEGATIVE_INFINITY]) {
      const [sample] = parse(text(value)).get('circuit_breaker_slow_calls_total')?.samples ?? []
      expect(sample?.value).toBe(value)
    }
  })

  it('has _total behind counters and nothing else, and a help for each', () => {
    for (const [name, { type, help }] of parse(render({ breakers: [breakerOf('b')] }))) {
      expect(name.endsWith('_total'), name).toBe(type === 'counter')
      expect(help).toMatch(/^[A-Z].*\.$/)
    }
  })

  it('has prefix and labels where they are given', () => {
    const breakers = [breakerOf('b')]
    const plain = valuesOf(render({ breakers }))
    const options = { prefix: 'shop_', labels: { zone: 'eu', rack: undefined } }
    const text = renderPrometheus(registryOf({ breakers }), options)
    expect(valuesOf(text).size).toBe(plain.size)
    for (const [family, { samples }] of parse(text)) {
      expect(family).toMatch(/^shop_(circuit_breaker|throttle|bulkhead|retry_budget|host_group)_/)
      for (const { labels } of samples) {
        expect(labels).toHaveProperty('zone', 'eu')
        expect(labels).not.toHaveProperty('rack')
      }
    }
  })
})
