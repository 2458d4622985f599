/** The shards of a control: totals, as far as its kind counts them, and buckets of its window. */
import { checkBucket, checkOverflowBuckets, type Timed } from './buckets.ts'
import type { ControlSubject } from './controls.ts'
import { HEADER } from './format.ts'
import { TOTALS_WORDS } from './format-breaker.ts'
import { BULKHEAD, OPTION, RETRY_BUDGET, THROTTLE } from './format-control.ts'
import { CERTAIN, hex } from './report.ts'
import { TOTAL_NAMES, type TotalName } from './totals.ts'

/** What each kind counts, in the order of kinds. */
const COUNTED: readonly (readonly TotalName[])[] = [
  ['ADMITTED', 'SUCCEEDED', 'FAILED', 'IGNORED', 'REFUSED', 'ABANDONED'],
  ['ADMITTED', 'SUCCEEDED', 'FAILED', 'IGNORED', 'LATE', 'REFUSED', 'ABANDONED'],
  ['ADMITTED', 'SUCCEEDED', 'REFUSED'],
  ['REFUSED'],
  ['SUCCEEDED', 'FAILED'],
]

/** Where what stands in an owner's buckets was counted as well; and how many kinds they have. */
const IN_BUCKETS: readonly (readonly TotalName[])[] = [
  ['SUCCEEDED', 'FAILED', 'REFUSED'],
  [],
  ['ADMITTED'],
  [],
  ['SUCCEEDED', 'FAILED'],
]

const BUDGET_WINDOW_MS = 10_000

/** How many calls are in flight by the totals, of throttles and bulkheads. */
export function checkShards(subject: ControlSubject, liveSlots: ReadonlySet<number>): bigint {
  const { parts, options, shape, kind, say } = subject
  const timed = timedOf(subject)
  let inFlight = 0n
  for (let slot = 0; slot <= parts.maxThreads; slot++) {
    checkUse(subject, slot)
    inFlight += checkTotals(subject, slot, liveSlots)
    if (slot > 0) checkBuckets(subject, timed, slot)
  }
  checkOverflowBuckets(timed, shape.shards + TOTALS_WORDS)
  const mayFly = kind === THROTTLE || kind === BULKHEAD
  if (mayFly && options.quiet && inFlight !== 0n) {
    say(shape.shards, 'totals', `leave ${inFlight} calls in flight, yet nothing should be`)
  }
  return inFlight
}

function timedOf(subject: ControlSubject): Timed {
  const { parts, kind, numbers, shape } = subject
  const intervalMs = numbers[OPTION.INTERVAL_MS] ?? Number.NaN
  const windowMs = [numbers[OPTION.WINDOW_MS], 0, BUDGET_WINDOW_MS, 0, 2 * intervalMs][kind] ?? 0
  const bucketMs = windowMs / shape.buckets
  return { ...subject, buckets: shape.buckets, present: Math.floor(parts.now / 1000 / bucketMs) }
}

function shardOf({ shape }: ControlSubject, slot: number): number {
  return shape.shards + (slot > 0 ? shape.overflowWords + (slot - 1) * shape.shardWords : 0)
}

/** Nobody writes shards of slots that nobody had. Retries are counted in shard 0 by all threads. */
function checkUse(subject: ControlSubject, slot: number): void {
  const { parts, record, shape, kind, say } = subject
  const at = shardOf(subject, slot)
  const words = slot === 0 ? shape.overflowWords : shape.shardWords
  const end = at + TOTALS_WORDS + shape.buckets * (slot === 0 ? 10 : 8)
  const padding = parts.firstNonZero(record + end, record + at + words)
  if (padding >= 0) {
    say(padding - record, 'unused', `is ${hex(parts.word(padding))}, not 0`, CERTAIN)
  }
  const isUsed =
    slot === 0
      ? kind === RETRY_BUDGET || parts.word(HEADER.OVERFLOW_USED) !== 0
      : slot <= parts.word(HEADER.SLOTS_USED)
  const stray = isUsed ? -1 : parts.firstNonZero(record + at, record + end)
  if (stray < 0) return
  const sentence = `is ${hex(parts.word(stray))}, yet no thread ever had the slot`
  say(stray - record, `shard ${slot}`, sentence)
}

function totalOf(subject: ControlSubject, slot: number, name: TotalName): bigint {
  const at = shardOf(subject, slot) + TOTAL_NAMES.indexOf(name) * 2
  return subject.parts.long(subject.record + at)
}

/** The shard's calls in flight. */
function checkTotals(
  subject: ControlSubject,
  slot: number,
  liveSlots: ReadonlySet<number>,
): bigint {
  const { kind, say } = subject
  const at = shardOf(subject, slot)
  TOTAL_NAMES.forEach((name, index) => {
    const total = totalOf(subject, slot, name)
    const what = `${name} of slot ${slot}`
    if (total < 0n) say(at + index * 2, what, `is ${total}`, CERTAIN)
    else if (total > 0n && !COUNTED[kind]?.includes(name)) {
      say(at + index * 2, what, `is ${total}, which this kind does not count`, CERTAIN)
    }
  })
  if (kind !== THROTTLE && kind !== BULKHEAD) return 0n
  // Permits that were made up or settled before are late, and were counted as admitted as well.
  const ended = (['SUCCEEDED', 'FAILED', 'IGNORED', 'LATE', 'ABANDONED'] as const).map(name =>
    totalOf(subject, slot, name),
  )
  const inFlight = ended.reduce((left, total) => left - total, totalOf(subject, slot, 'ADMITTED'))
  if (inFlight < 0n) {
    say(at, `totals of slot ${slot}`, `count ${-inFlight} more calls ended than admitted`)
  } else if (inFlight > 0n && slot > 0 && !liveSlots.has(slot)) {
    say(at, `totals of slot ${slot}`, `have ${inFlight} calls in flight, yet nobody holds it`)
  }
  return inFlight
}

function checkBuckets(subject: ControlSubject, timed: Timed, slot: number): void {
  const { parts, record, options, shape, kind, say } = subject
  const counted = IN_BUCKETS[kind] ?? []
  const start = shardOf(subject, slot) + TOTALS_WORDS
  let sum = 0n
  for (let index = 0; index < shape.buckets; index++) {
    const at = start + index * 8
    checkBucket(timed, slot, index, at)
    for (let of = 0; of < 4; of++) {
      const outcomes = parts.word(record + at + 2 + of) >>> 0
      sum += BigInt(outcomes)
      if (outcomes === 0 || of < counted.length) continue
      const sentence = `is ${outcomes} in place ${of}, which this kind does not count`
      say(at + 2 + of, `KINDS of slot ${slot}, bucket ${index},`, sentence, CERTAIN)
    }
  }
  const known = counted.reduce((all, name) => all + totalOf(subject, slot, name), 0n)
  if (!options.deaths && sum > known) {
    say(start, `buckets of slot ${slot}`, `hold ${sum} calls, its totals know ${known}`)
  }
}
