/** What stands in the three windows, the stock and the periodic sum. */
import { checkBucket, checkOverflowBuckets, type Timed } from './buckets.ts'
import { ahead, field, GENERATIONS, isLater, NEAR } from './format.ts'
import { CONSECUTIVE, COUNT, type Numbers, TIME, TOTALS_WORDS } from './format-breaker.ts'
import { CERTAIN, hex, ms, type Say, type Subject } from './report.ts'
import { CLOSED } from './state.ts'

/** In a STOCK word: its sum found the minimum of calls. */
const HOLDS_MINIMUM = 1 << 14

interface Counts {
  calls: number
  failures: number
  slow: number
}

export function checkWindow(subject: Subject): void {
  const { window } = subject.numbers
  checkUnused(subject)
  if (window === CONSECUTIVE) checkRow(subject)
  if (window === COUNT) {
    const counts = checkRing(subject)
    checkThreshold(subject, counts)
    checkStock(subject, counts)
  }
  if (window === TIME) {
    const counts = checkBuckets(subject)
    // Calls that hang are in the sum as well, and come and go with time.
    if (counts !== undefined && subject.numbers.hanging === 0) checkStock(subject, counts)
  }
  checkSummary(subject)
}

function checkUnused({ parts, record, shape, numbers, say }: Subject): void {
  const isTime = numbers.window === TIME
  const isRow = numbers.window === CONSECUTIVE
  for (const [from, to] of [
    [shape.stock + (isRow ? 0 : 1), shape.summary],
    [shape.summary + (isTime ? 14 : 0), shape.head],
    [shape.head + (isTime ? 0 : 1), shape.ring],
    [shape.ring + shape.capacity, shape.shards],
  ] as const) {
    const at = parts.firstNonZero(record + from, record + to)
    if (at >= 0) say(at - record, 'unused', `is ${hex(parts.word(at))}, not 0`, CERTAIN)
  }
}

function checkRow(subject: Subject): void {
  const { parts, record, shape, numbers, options, generation, state, say } = subject
  const word = parts.word(record + shape.head)
  const of = word >>> 12
  const row = word & 0xfff
  const future = ahead(of, generation, 20)
  if (future > 0 && future < NEAR) {
    say(shape.head, 'ROW', `is ${hex(word)}, of a generation after ${generation}`)
  }
  const isCurrent = future === 0 && state === CLOSED
  if (isCurrent && row >= numbers.length && !options.deaths) {
    say(shape.head, 'ROW', `says ${row} failures in a row of ${numbers.length}, yet it is closed`)
  }
}

/** The window: the last outcomes of this generation, indices that nobody filled passed over. */
function checkRing(subject: Subject): Counts {
  const { parts, record, shape, numbers } = subject
  const counts: Counts = { calls: 0, failures: 0, slow: 0 }
  const head = parts.word(record + shape.head) >>> 0
  for (let age = 0; age < shape.capacity; age++) {
    const kind = checkOutcome(subject, ahead(head - 1 - age, 0, 32), head)
    if (kind >= 0 && counts.calls < numbers.length) addKind(counts, kind, 1)
  }
  return counts
}

/** The kind of the outcome with this index, if it is of this generation; else -1. */
function checkOutcome(subject: Subject, index: number, head: number): number {
  const { parts, record, shape, options, generation } = subject
  const place = index % shape.capacity
  const say: Say = (sentence, certain) =>
    subject.say(shape.ring + place, `RING ${place}`, sentence, certain)
  const word = parts.word(record + shape.ring + place)
  if (word === 0) {
    if (index < head && head <= shape.capacity && !options.deaths) say(`is 0, HEAD is ${head}`)
    return -1
  }
  const outcome = word & 7
  if (outcome < 1 || outcome > 4) say(`is ${hex(word)}: no such outcome`, CERTAIN)
  const future = ahead(word >>> 12, generation, 20)
  if (future > 0 && future < NEAR) say(`is ${hex(word)}, of a generation after ${generation}`)
  const lap = Math.floor(index / shape.capacity) % 512
  const later = ahead((word >>> 3) & 511, lap, 9)
  if (later > 0 && (later < 256 || !options.deaths)) {
    say(`is of lap ${(word >>> 3) & 511}, HEAD ${head} says ${lap}`)
  }
  return future === 0 && later === 0 ? outcome - 1 : -1
}

function addKind(counts: Counts, kind: number, times: number): void {
  counts.calls += times
  if (kind & 1) counts.failures += times
  if (kind & 2) counts.slow += times
}

/**
 * A count window's outcomes leave with new ones only, so a threshold once reached was judged: by
 * the options that were in force then.
 */
function checkThreshold(subject: Subject, counts: Counts): void {
  const { numbers, shape, options, state, isAsMade, say } = subject
  if (state !== CLOSED || options.deaths || !isAsMade) return
  if (counts.calls < minimumOf(numbers)) return
  if (missing(numbers, counts) > 0) return
  const { calls, failures, slow } = counts
  say(shape.ring, 'RING', `holds ${failures} failed and ${slow} slow of ${calls}, yet it is closed`)
}

function minimumOf({ window, minimumCalls, length }: Numbers): number {
  return window === COUNT ? Math.min(minimumCalls, length) : minimumCalls
}

/** How many bad outcomes more could reach a threshold at the earliest. */
function missing(numbers: Numbers, counts: Counts): number {
  const capacity = numbers.window === COUNT ? numbers.length : Number.POSITIVE_INFINITY
  const until = (bad: number, rate: number): number => {
    let more = 0
    while (more < 5000 && (bad + more) / Math.min(counts.calls + more, capacity) < rate) more++
    return more
  }
  const byFailures = until(counts.failures, numbers.failureRate)
  const isSlowSet = numbers.slowDurationMs < Number.POSITIVE_INFINITY
  return isSlowSet ? Math.min(byFailures, until(counts.slow, numbers.slowRate)) : byFailures
}

/**
 * Who relies on the stock may wait for as many outcomes as it says: not more than are needed. Below
 * the minimum of calls all count, from there on bad ones.
 */
function checkStock(subject: Subject, counts: Counts): void {
  const { parts, record, shape, numbers, options, state, isAsMade, say } = subject
  if (state !== CLOSED || options.deaths || !options.quiet || !isAsMade) return
  if (counts.calls === 0) return
  const word = parts.word(record + shape.stock)
  const left = (word & 0x3fff) - 8192
  const calls = minimumOf(numbers) - counts.calls
  const needed = calls > 0 ? calls : Math.max(1, missing(numbers, counts))
  if (left > Math.min(needed, 4095)) {
    say(shape.stock, 'STOCK', `says ${left} outcomes until a sum, ${needed} may be enough`)
  }
  if (calls > 0 && (word & HOLDS_MINIMUM) !== 0) {
    say(shape.stock, 'STOCK', `says that the minimum of calls is there, ${calls} are missing`)
  }
}

/** The window's counts, where the stock must fit them: somebody recorded in the present bucket. */
function checkBuckets(subject: Subject): Counts | undefined {
  const { parts, record, shape, numbers } = subject
  const timed = timedOf(subject)
  const counts: Counts = { calls: 0, failures: 0, slow: 0 }
  let isPresent = false
  for (let slot = 1; slot <= parts.maxThreads; slot++) {
    const shard = shape.shards + shape.overflowWords + (slot - 1) * shape.shardWords
    for (let index = 0; index < numbers.buckets; index++) {
      const at = shard + TOTALS_WORDS + index * 8
      const age = checkBucket(timed, slot, index, at)
      if (age === undefined || age >= numbers.buckets) continue
      isPresent ||= age === 0
      for (let kind = 0; kind < 4; kind++) {
        addKind(counts, kind, parts.word(record + at + 2 + kind) >>> 0)
      }
    }
  }
  const overflowUsed = checkOverflowBuckets(timed, shape.shards + TOTALS_WORDS)
  return isPresent && !overflowUsed ? counts : undefined
}

function timedOf(subject: Subject): Timed {
  const { parts, numbers } = subject
  const present = Math.floor(((parts.now / 1000) * numbers.buckets) / numbers.length)
  return { ...subject, buckets: numbers.buckets, present }
}

const SUMMARY_WORDS = ['GENERATION', 'CALLS', 'FAILURES', 'SLOW', 'SLOW_FAILURES'] as const
const INTERVAL = 100_000

function checkSummary(subject: Subject): void {
  const { parts, record, shape, numbers, generation } = subject
  if (numbers.window !== TIME) return
  const start = shape.summary
  const say = (index: number, name: string, sentence: string, certain = false): void =>
    subject.say(start + index * 2, name, sentence, certain)
  const duty = parts.long(record + start)
  const at = parts.long(record + start + 2)
  const fence = field(duty, 51, 13)
  const isFuture = (tag: number): boolean => {
    const future = ahead(tag, fence, 13)
    return tag > 0x1fff || (future > 0 && future < 4096)
  }
  if (field(duty, 0, 51) > parts.now + INTERVAL + 1) {
    say(0, 'DUTY', `is due at ${ms(field(duty, 0, 51))}, at ${ms(parts.now)}`)
  }
  if (isFuture(field(at, 51, 13))) say(1, 'SUMMARY_AT', `is of a round after ${fence}`)
  if (field(at, 0, 51) > parts.now + 1) say(1, 'SUMMARY_AT', `says ${ms(field(at, 0, 51))}`)
  const longs = SUMMARY_WORDS.map((_, index) => parts.long(record + start + 4 + index * 2))
  const tags = longs.map(long => field(long, 32, 32))
  tags.forEach((tag, index) => {
    if (!isFuture(tag)) return
    say(2 + index, `SUMMARY ${SUMMARY_WORDS[index]}`, `is of round ${tag}, the duty of ${fence}`)
  })
  if (new Set([field(at, 51, 13), ...tags]).size > 1) return
  const values = longs.map(long => field(long, 0, 32))
  const [of = 0, calls = 0, failures = 0, slow = 0, both = 0] = values
  if (of >= GENERATIONS) say(2, 'SUMMARY GENERATION', `is ${of}: there is none`, CERTAIN)
  else if (of !== 0 && isLater(of, generation))
    say(2, 'SUMMARY GENERATION', `is ${of}, later than ${generation}`)
  if (failures > calls || slow > calls || both > Math.min(failures, slow)) {
    const sentence = `says ${failures} failed, ${slow} slow, ${both} both of ${calls} calls`
    say(3, 'SUMMARY', sentence, CERTAIN)
  }
}
