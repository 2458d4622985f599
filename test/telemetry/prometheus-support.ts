/** What the tests of the metrics share: registries made by hand, and a reader of the text format. */
import type { BreakerSnapshot, RegistrySnapshot } from '../../src/index.ts'
import type { MetricsSource } from '../../src/telemetry/prometheus.ts'

export type Shown = BreakerSnapshot & { windowAgeMs: number }

type Source = ReturnType<NonNullable<MetricsSource['get']>>
type Options = NonNullable<Source>['options']
type Histogram = ReturnType<NonNullable<Source>['durations']>

/** All different. */
export const totals = {
  admitted: 100,
  succeeded: 60,
  failed: 20,
  slow: 7,
  ignored: 5,
  late: 4,
  abandoned: 3,
  refused: 90,
  refusedHalfOpen: 11,
  refusedForcedOpen: 29,
  localStalls: 2,
  inFlight: 8,
}

export const OCTAVES_MS = Array.from({ length: 24 }, (_, octave) => 0.1 * 2 ** octave)

const BOUNDS_MS = [
  0.1,
  ...OCTAVES_MS.slice(0, -1).flatMap(least =>
    Array.from({ length: 10 }, (_, step) => (least * (11 + step)) / 10),
  ),
  Number.POSITIVE_INFINITY,
]

/** A histogram of `durationsMs`, in the steps that breakers count. */
function histogramOf(durationsMs: readonly number[]): Histogram {
  return {
    count: durationsMs.length,
    sumMs: durationsMs.reduce((sum, ms) => sum + ms, 0),
    buckets: BOUNDS_MS.map(leMs => ({
      leMs,
      count: durationsMs.filter(ms => ms < leMs).length,
    })),
  }
}

export function breakerOf(name: string, changed: Partial<Shown> = {}): Shown {
  return {
    name,
    state: 'closed',
    generation: 0,
    since: 0,
    retryAfterMs: 0,
    transitions: 0,
    transitionCounts: [],
    window: {
      calls: 0,
      failures: 0,
      slowCalls: 0,
      slowFailures: 0,
      failureRate: null,
      slowCallRate: null,
    },
    totals: {
      admitted: 0,
      succeeded: 0,
      failed: 0,
      slow: 0,
      ignored: 0,
      late: 0,
      abandoned: 0,
      refused: 0,
      refusedHalfOpen: 0,
      refusedForcedOpen: 0,
      localStalls: 0,
      inFlight: 0,
    },
    durations: { count: 0, sumMs: 0, meanMs: null, p50Ms: null, p90Ms: null, p99Ms: null },
    windowAgeMs: 0,
    ...changed,
  }
}

/** The defaults, as a breaker says them. */
const OPTIONS: Options = {
  slidingWindow: { type: 'time', durationMs: 10_000, buckets: 10 },
  failureRateThreshold: 0.5,
  minimumNumberOfCalls: 20,
  slowCallRateThreshold: 1,
  waitDurationInOpenStateMs: { initialMs: 30_000, multiplier: 1, maxMs: 30_000, jitter: 0 },
  permittedNumberOfCallsInHalfOpenState: 3,
  trialTimeoutMs: 60_000,
  countHangingCalls: false,
}

export interface Made {
  readonly breakers?: readonly Shown[]
  readonly region?: Partial<RegistrySnapshot>
  readonly options?: Partial<Options>
  readonly durationsMs?: readonly number[]
}

/** What the metrics ask of a registry, with every answer given by hand. */
export function registryOf(made: Made): MetricsSource {
  const { breakers = [], region, options, durationsMs = [] } = made
  const durations = { ...breakerOf('').durations, count: durationsMs.length }
  const snapshot: RegistrySnapshot = {
    now: 0,
    threads: 1,
    threadsWithoutSlot: 0,
    slots: [{ slot: 1, thread: 0, state: 'live', silentMs: 0 }],
    maxThreads: 64,
    maxBreakers: 256,
    maxControls: 256,
    damaged: 0,
    keeper: 'awake',
    breakers: breakers.map(breaker => ({ ...breaker, durations })),
    throttles: [],
    bulkheads: [],
    retryBudgets: [],
    hostGroups: [],
    ...region,
  }
  return {
    snapshot: () => snapshot,
    get: () => ({
      options: { ...OPTIONS, ...options },
      durations: () => histogramOf(durationsMs),
    }),
  }
}

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface Family {
  readonly help: string
  readonly type: string
  readonly samples: Sample[]
}

const UNESCAPED: Readonly<Record<string, string>> = { '\\\\': '\\', '\\"': '"', '\\n': '\n' }

function withoutEscapes(text: string): string {
  return text.replace(/\\(.)/g, pair => {
    const plain = UNESCAPED[pair]
    if (plain === undefined) throw new Error(`no such escape: ${pair}`)
    return plain
  })
}

function numberOf(text: string): number {
  const special = { '+Inf': Number.POSITIVE_INFINITY, '-Inf': Number.NEGATIVE_INFINITY }[text]
  const value = special ?? Number(text)
  if (!/^(NaN|[+-]Inf|-?\d+(\.\d+)?(e[+-]\d+)?)$/.test(text)) throw new Error(`no number: ${text}`)
  return value
}

function sampleOf(line: string): Sample {
  const [, name = '', inner = '', value = ''] =
    line.match(/^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/s) ?? []
  const labels: Record<string, string> = {}
  let rest = inner
  while (rest !== '') {
    const [whole, label = '', text = ''] =
      rest.match(/^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"(?:,(?=.)|$)/s) ?? []
    if (whole === undefined || label in labels) throw new Error(`no labels: ${line}`)
    labels[label] = withoutEscapes(text)
    rest = rest.slice(whole.length)
  }
  if (name === '') throw new Error(`no sample: ${line}`)
  return { name, labels, value: numberOf(value) }
}

/** The text format 0.0.4, read strictly: any line that is not as it should be throws. */
export function parse(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line does not end')
  const families = new Map<string, Family>()
  const seen = new Set<string>()
  let current: [string, Family] | undefined
  let help: [string, string] | undefined
  for (const line of text.slice(0, -1).split('\n')) {
    const [, keyword, name = '', what = ''] = line.match(/^# (HELP|TYPE) (\S+) (.*)$/) ?? []
    if (keyword === 'HELP') help = [name, what.replaceAll('\\n', '\n').replaceAll('\\\\', '\\')]
    else if (keyword === 'TYPE') {
      if (help?.[0] !== name || families.has(name)) throw new Error(`out of place: ${line}`)
      current = [name, { help: help[1], type: what, samples: [] }]
      families.set(...current)
    } else {
      const sample = sampleOf(line)
      if (current === undefined) throw new Error(`of no family: ${line}`)
      const [family, { samples }] = current
      if (!/^(|_bucket|_sum|_count)$/.test(sample.name.replace(family, ''))) {
        throw new Error(`not of the family ${family}: ${line}`)
      }
      const key = keyOf(sample)
      if (seen.has(key)) throw new Error(`twice: ${line}`)
      seen.add(key)
      samples.push(sample)
    }
  }
  return families
}

/** Name and labels, whatever their order. */
export function keyOf({ name, labels }: Pick<Sample, 'name' | 'labels'>): string {
  return JSON.stringify([name, Object.entries(labels).sort()])
}

/** Values of all samples by their keys. */
export function valuesOf(text: string): Map<string, number> {
  const samples = [...parse(text).values()].flatMap(family => family.samples)
  return new Map(samples.map(sample => [keyOf(sample), sample.value]))
}

/** The samples of a family, its own labels first: 'breaker=a,state=open 1'. */
export function seriesOf(text: string, family: string): string[] {
  const samples = parse(text).get(family)?.samples
  if (samples === undefined) throw new Error(`no family ${family}`)
  return samples.map(({ name, labels, value }) => {
    const suffix = name === family ? '' : `${name.slice(family.length)} `
    const pairs = Object.entries(labels).map(([label, text]) => `${label}=${text}`)
    return `${suffix}${pairs.join()}${pairs.length > 0 ? ' ' : ''}${value}`
  })
}
