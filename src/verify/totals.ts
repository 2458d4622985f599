/** The totals of each shard: conservation (P6), and what no shard without an owner holds. */
import { GENERATIONS, HEADER, isOwnGeneration } from './format.ts'
import { AGES_WORDS, TALLY_FIRST, TALLY_WORDS, TIME, TOTALS_WORDS } from './format-breaker.ts'
import { CERTAIN, hex, type Subject } from './report.ts'

export const TOTAL_NAMES = [
  'ADMITTED',
  'SUCCEEDED',
  'FAILED',
  'SLOW',
  'IGNORED',
  'LATE',
  'REFUSED',
  'ABANDONED',
] as const

export type TotalName = (typeof TOTAL_NAMES)[number]

export function checkTotals(subject: Subject, liveSlots: ReadonlySet<number>): void {
  const { parts, record, options, shape } = subject
  const slotsUsed = parts.word(HEADER.SLOTS_USED)
  let inFlight = 0n
  for (let slot = 0; slot <= parts.maxThreads; slot++) {
    const at = shardOf(subject, slot)
    const words = slot === 0 ? shape.overflowWords : shape.shardWords
    const mayBeUsed = slot === 0 ? parts.word(HEADER.OVERFLOW_USED) !== 0 : slot <= slotsUsed
    const stray = mayBeUsed ? -1 : parts.firstNonZero(record + at, record + at + words)
    if (stray >= 0) {
      const sentence = `is ${hex(parts.word(stray))}, yet no thread ever had the slot`
      subject.say(stray - record, `shard ${slot}`, sentence)
    }
    checkPadding(subject, slot, at, words)
    const left = checkShard(subject, slot, at, liveSlots)
    // Outcomes that came when it was gone were counted in their own threads' slots alone.
    if (slot > 0 || subject.removal === 'none') inFlight += left
  }
  if (options.quiet && inFlight !== 0n) {
    const sentence = `leave ${inFlight} calls in flight, yet nothing should be`
    subject.say(shape.shards, 'totals', sentence)
  }
}

export function shardOf({ shape }: Subject, slot: number): number {
  const owned = slot > 0 ? shape.overflowWords + (slot - 1) * shape.shardWords : 0
  return shape.shards + owned
}

function checkPadding(subject: Subject, slot: number, at: number, words: number): void {
  const { parts, record, numbers, say } = subject
  const buckets = numbers.window === TIME ? numbers.buckets * (slot === 0 ? 10 : 8) : 0
  const ages = slot > 0 && numbers.hanging === 1 ? AGES_WORDS : 0
  const end = record + at + TOTALS_WORDS + buckets + ages
  const stray = parts.firstNonZero(end, record + at + words)
  if (stray >= 0) say(stray - record, 'unused', `is ${hex(parts.word(stray))}, not 0`, CERTAIN)
}

/** Whether the slot's totals and tally are of who has the record now; slot 0's always are. */
export function isCounted({ parts, record, shape, first }: Subject, slot: number): boolean {
  if (slot === 0) return true
  return parts.word(record + shape.tallies + slot * TALLY_WORDS + TALLY_FIRST) === first
}

/** Permits that the slot gave and has not seen settled; none where it counted for another. */
export function inFlightOf(subject: Subject, slot: number): bigint {
  const { parts, record } = subject
  if (!isCounted(subject, slot)) return 0n
  const at = record + shardOf(subject, slot)
  const ended = (['SUCCEEDED', 'FAILED', 'IGNORED', 'LATE', 'ABANDONED'] as const).map(name =>
    parts.long(at + TOTAL_NAMES.indexOf(name) * 2),
  )
  return ended.reduce((left, total) => left - total, parts.long(at))
}

/** The shard's calls in flight. */
function checkShard(
  subject: Subject,
  slot: number,
  at: number,
  liveSlots: ReadonlySet<number>,
): bigint {
  const { parts, record, say } = subject
  const totals = TOTAL_NAMES.map((_, index) => parts.long(record + at + index * 2))
  totals.forEach((total, index) => {
    if (total >= 0n) return
    say(at + index * 2, `${TOTAL_NAMES[index]} of slot ${slot}`, `is ${total}`, CERTAIN)
  })
  const isCurrent = isCounted(subject, slot)
  const of = (name: TotalName): bigint =>
    isCurrent ? (totals[TOTAL_NAMES.indexOf(name)] ?? 0n) : 0n
  const recorded = of('SUCCEEDED') + of('FAILED')
  const inFlight = inFlightOf(subject, slot)
  if (inFlight < 0n) {
    say(at, `totals of slot ${slot}`, `count ${-inFlight} more calls ended than admitted`)
  } else if (inFlight > 0n && slot > 0 && !liveSlots.has(slot)) {
    say(at, `totals of slot ${slot}`, `have ${inFlight} calls in flight, yet nobody holds it`)
  }
  if (of('SLOW') > recorded) {
    say(at + 6, `SLOW of slot ${slot}`, `is ${of('SLOW')} of ${recorded} outcomes`)
  }
  const inBuckets = slot === 0 ? 0n : outcomesInBuckets(subject, at)
  if (inBuckets > recorded) {
    say(at, `totals of slot ${slot}`, `know ${recorded} outcomes, its buckets hold ${inBuckets}`)
  }
  return inFlight
}

/** Of who has the record now. */
function outcomesInBuckets(subject: Subject, at: number): bigint {
  const { parts, record, numbers } = subject
  let sum = 0n
  const buckets = numbers.window === TIME ? numbers.buckets : 0
  for (let index = 0; index < buckets; index++) {
    const bucket = record + at + TOTALS_WORDS + index * 8
    if (!isOwnGeneration(subject, parts.word(bucket + 1) & (GENERATIONS - 1))) continue
    for (let kind = 0; kind < 4; kind++) sum += BigInt(parts.word(bucket + 2 + kind) >>> 0)
  }
  return sum
}
