/**
 * A small region that is the same every time: a manual clock, a fixed seed, one thread. As hex,
 * with the lines that are zero left out, so that a change of the format shows in a diff.
 */

import {
  attachRegistry,
  type CircuitBreaker,
  createRegistry,
  REFUSED,
  type Registry,
} from '../../src/index.ts'
import { DURATION_COUNTERS, DURATION_STEPS } from '../../src/memory/layout.ts'
import { attachRegion, type Region } from '../../src/memory/region.ts'
import { type JournalEntry, readJournalEntry } from '../../src/protocol/history.ts'
import { journalHead } from '../../src/protocol/journal.ts'

/** Where the header has what differs from region to region: seed and origin. In words. */
const SEED = 6
const ORIGIN_DOUBLE = 4
const LINE_WORDS = 8

const COMMON = {
  minimumNumberOfCalls: 4,
  slowCallDurationThresholdMs: 20,
  waitDurationInOpenStateMs: { initialMs: 100, multiplier: 2, maxMs: 1000, jitter: 0.5 },
  permittedNumberOfCallsInHalfOpenState: 3,
  trialTimeoutMs: 5000,
}

/** Another seed would be another jitter, so it is set before the region is used. */
function reseed(made: Registry): Registry {
  const { buffer } = made.handle
  new Int32Array(buffer).set([0x12345678, 0x0badcafe], SEED)
  new Float64Array(buffer)[ORIGIN_DOUBLE] = 1000
  const registry = attachRegistry(made.handle)
  registry.advance(86_400_123)
  return registry
}

/** Calls that succeed, fail, are slow, both, and are given back. */
function use(registry: Registry, breaker: CircuitBreaker, calls: number): void {
  for (let call = 0; call < calls; call += 1) {
    const permit = breaker.tryAcquire()
    if (permit === REFUSED) continue
    if (call % 7 === 3) breaker.recordFailure(permit)
    else if (call % 7 === 4) breaker.recordFailure(permit, 30)
    else if (call % 7 === 5) breaker.release(permit)
    else breaker.recordSuccess(permit, call % 7 === 6 ? 30 : 1)
    registry.advance(13)
  }
}

/** What a test needs of the region; it is closed by then, for others with that seed to come. */
export function makeGolden(): { hex: string; text: string } {
  const made = createRegistry({ clock: 'manual', maxBreakers: 4, maxThreads: 2 })
  const registry = reseed(made)
  fill(registry)
  const golden = { hex: toHex(registry.handle.buffer), text: describeGolden(registry) }
  registry.close()
  made.close()
  return golden
}

function fill(registry: Registry): void {
  const time = registry.breaker('time', {
    ...COMMON,
    slidingWindow: { type: 'time', durationMs: 1000, buckets: 5 },
    failureRateThreshold: 0.9,
    slowCallRateThreshold: 0.9,
  })
  const count = registry.breaker('count', {
    ...COMMON,
    slidingWindow: { type: 'count', size: 12 },
  })
  const row = registry.breaker('reihe: ä', {
    ...COMMON,
    slidingWindow: { type: 'consecutive', failures: 3 },
  })
  const hand = registry.breaker('hand')
  use(registry, time, 40)
  use(registry, count, 40)
  for (let failure = 0; failure < 4; failure += 1) row.recordFailure(row.tryAcquire())
  registry.advance(200)
  row.recordSuccess(row.tryAcquire())
  for (let asked = 0; asked < 5; asked += 1) row.tryAcquire()
  hand.forceOpen({ reason: 'Wartung' })
  hand.tryAcquire()
  hand.metricsOnly()
  for (const ms of [0, 0.0996, 7, 900_000, Number.POSITIVE_INFINITY]) {
    hand.recordSuccess(hand.tryAcquire(), ms)
  }
  time.tryAcquire()
}

/** What C is to read in it, from what JavaScript reads: the lines of golden.c. */
export function describeGolden(registry: Registry): string {
  const lines = registry.names().map(name => {
    const breaker = registry.breaker(name)
    const snapshot = breaker.snapshot()
    const { state, generation, window, totals, trials, retryAfterMs, durations } = snapshot
    const { calls, failures, slowCalls, slowFailures } = window
    const { admitted, succeeded, failed, slow, ignored, late, refused, abandoned } = totals
    const { refusedHalfOpen, refusedForcedOpen } = totals
    const refusals = [refused, refusedHalfOpen, refusedForcedOpen]
    const counted = [admitted, succeeded, failed, slow, ignored, late, ...refusals, abandoned]
    const buckets = breaker
      .durations()
      .buckets.filter((_, step) => step % DURATION_STEPS === 0 || step === DURATION_COUNTERS - 1)
      .map(({ count }) => count)
    const wait = (state === 'open' ? retryAfterMs : 0).toFixed(3)
    return (
      `${name}: ${state} ${generation} window ${calls} ${failures} ${slowCalls} ${slowFailures} ` +
      `totals ${counted.join(' ')} ` +
      `wait ${wait} trials ${trials?.succeeded ?? 0} ${trials?.failed ?? 0} ` +
      `durations ${durations.sumMs.toFixed(3)} ${buckets.join(' ')}`
    )
  })
  const { maxBreakers, maxThreads, now } = registry.snapshot()
  const head = `${maxBreakers} breakers, ${maxThreads} threads, slot 0, now ${now.toFixed(3)}`
  const region = attachRegion(registry.handle)
  return `${[head, ...lines, ...describeJournal(region)].join('\n')}\n`
}

function describeJournal({ memory, shape: region }: Region): string[] {
  const place = { memory, region }
  return Array.from({ length: journalHead(place) }, (_, number) => {
    const entry = readJournalEntry(place, number)
    return typeof entry === 'string' ? entry : `entry ${number}: ${describeEntry(entry)}`
  })
}

function describeEntry({ breaker, generation, from, to, at, by, counts, text }: JournalEntry) {
  const { calls = -1, failures = -1, slowCalls = -1 } = counts ?? {}
  return (
    `breaker ${breaker} generation ${generation} from ${from} to ${to} at ${at?.toFixed(3)} ` +
    `by ${by} counts ${calls} ${failures} ${slowCalls} reason ${text ?? 'none'}`
  )
}

/** Each line: the number of its first word, and eight words. The first line: how many there are. */
function toHex(buffer: SharedArrayBuffer): string {
  const words = new Uint32Array(buffer)
  const lines = [`${words.length} words`]
  for (let at = 0; at < words.length; at += LINE_WORDS) {
    const line = words.subarray(at, at + LINE_WORDS)
    if (line.every(word => word === 0)) continue
    const hex = Array.from(line, word => word.toString(16).padStart(8, '0'))
    lines.push(`${at}: ${hex.join(' ')}`)
  }
  return `${lines.join('\n')}\n`
}

export function fromHex(hex: string): SharedArrayBuffer {
  const [head = '', ...lines] = hex.trim().split('\n')
  const words = new Uint32Array(new SharedArrayBuffer(Number.parseInt(head, 10) * 4))
  for (const line of lines) {
    const [at = '', values = ''] = line.split(': ')
    words.set(
      values.split(' ').map(value => Number.parseInt(value, 16)),
      Number(at),
    )
  }
  return words.buffer
}
