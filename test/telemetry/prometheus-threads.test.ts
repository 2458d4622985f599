/** Totals while worker threads come, die and go; the same text from any thread. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, it } from 'vitest'
import { createRegistry, type Registry } from '../../src/index.ts'
import { type MetricsOptions, renderPrometheus } from '../../src/telemetry/prometheus.ts'
import { until } from '../threads/crew.ts'
import { keyOf, parse } from './prometheus-support.ts'

const FILE = new URL('prometheus-worker.mjs', import.meta.url)
const DIALECTS: MetricsOptions[] = [{}, { compat: 'resilience4j' }, { compat: 'opossum' }]

const workers = new Set<Worker>()

afterEach(async () => {
  await Promise.all([...workers].map(worker => worker.terminate()))
})

function start(registry: Registry, job: string, seed: number): Worker {
  const worker = new Worker(FILE, { workerData: { handle: registry.handle, job, seed } })
  workers.add(worker)
  worker.once('exit', () => workers.delete(worker))
  return worker
}

/** Counters, and the buckets, sums and counts of histograms and summaries. */
function totalsOf(text: string): Map<string, number> {
  const families = [...parse(text).values()].filter(({ type }) => type !== 'gauge')
  const samples = families.flatMap(family => family.samples)
  return new Map(samples.map(sample => [keyOf(sample), sample.value]))
}

/** What went back, or away, from one scrape to the next. */
function stepsBack(before: Map<string, number>, after: Map<string, number>): string[] {
  return [...before]
    .filter(([key, value]) => !((after.get(key) ?? Number.NaN) >= value))
    .map(([key, value]) => `${key}: ${value}, then ${after.get(key)}`)
}

function makeBreakers(registry: Registry): void {
  // Opens within a few calls, and tries again at once: every kind of series moves.
  const slidingWindow = { type: 'consecutive', failures: 3 } as const
  registry.breaker('row', { slidingWindow, waitDurationInOpenStateMs: 1, trialTimeoutMs: 20 })
  registry.breaker('time', {
    minimumNumberOfCalls: 10,
    failureRateThreshold: 0.3,
    slowCallDurationThresholdMs: 100,
    waitDurationInOpenStateMs: 1,
    trialTimeoutMs: 20,
  })
  registry.breaker('busy', { failureRateThreshold: 1 })
}

describe('totals', () => {
  it('never go back while workers come and go, with and without slots', async () => {
    using registry = createRegistry({ maxThreads: 3 })
    makeBreakers(registry)
    let before = DIALECTS.map(options => totalsOf(renderPrometheus(registry, options)))
    let scrapes = 0
    const scrape = (): void => {
      const after = DIALECTS.map(options => totalsOf(renderPrometheus(registry, options)))
      for (const [index, totals] of after.entries()) {
        expect(stepsBack(before[index] ?? new Map(), totals)).toEqual([])
      }
      before = after
      scrapes++
    }
    for (let round = 0; round < 4; round++) {
      const seed = 1 + round * 10
      const endless = [start(registry, 'forever', seed)]
      if (round % 2 === 1) {
        // No slot is left for those that come.
        endless.push(start(registry, 'forever', seed + 1))
        await until(() => registry.snapshot().threads === 3)
      }
      const others = ['close', 'exit'].map((job, at) => start(registry, job, seed + 2 + at))
      const ended = Promise.all(others.map(worker => once(worker, 'exit')))
      let done = false
      ended.then(() => {
        done = true
      })
      await until(() => {
        scrape()
        return done
      })
      const terminated = Promise.all(endless.map(worker => worker.terminate()))
      scrape()
      await terminated
      scrape()
    }
    await until(() => registry.snapshot().threads === 1)
    scrape()
    expect(scrapes).toBeGreaterThan(10)

    const [own = new Map<string, number>()] = before
    const at = (name: string, labels: Record<string, string>) => own.get(keyOf({ name, labels }))
    for (const { name, totals } of registry.snapshot().breakers) {
      for (const outcome of ['succeeded', 'failed', 'ignored', 'late', 'abandoned'] as const) {
        const total = at('circuit_breaker_calls_total', { breaker: name, outcome })
        expect(total).toBe(totals[outcome])
      }
      expect(totals.abandoned).toBeGreaterThan(0)
    }
    const opened = { breaker: 'row', from: 'closed', to: 'open' }
    expect(at('circuit_breaker_transitions_total', opened)).toBeGreaterThan(0)
    expect(at('circuit_breaker_region_threads_without_slot_total', {})).toBeGreaterThan(0)
  })
})

describe('the text', () => {
  it('is the same from any thread', async () => {
    using registry = createRegistry({ clock: 'manual' })
    makeBreakers(registry)
    const worker = start(registry, 'exit', 5)
    await once(worker, 'exit')
    await until(() => registry.snapshot().threads === 1)
    const other = start(registry, 'render', 6)
    // A worker that ends may be heard of in the same turn as what it said last.
    const exited = once(other, 'exit')
    const [theirs] = await once(other, 'message')
    await exited
    await until(() => registry.snapshot().threads === 1)
    const slots = /^circuit_breaker_region_slots_used .*$/m
    expect(theirs).toMatch(slots)
    expect(theirs.replace(slots, '')).toBe(renderPrometheus(registry).replace(slots, ''))
  })
})
