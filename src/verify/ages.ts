/** Calls in flight told by age: HUNG and the buckets behind it, in each owner's shard. */
import { field, GENERATION_BITS, isLater } from './format.ts'
import { AGE_BUCKETS } from './format-breaker.ts'
import { CERTAIN, hex, type Subject } from './report.ts'
import { inFlightOf, shardOf } from './totals.ts'

const WORDS = 4
/** Steps of which stamps tell. */
const STAMPS = AGE_BUCKETS * 2 ** 25
const STEPS = 16
const CALLS_BITS = 21

export function checkAges(subject: Subject, liveSlots: ReadonlySet<number>): void {
  const { parts, shape } = subject
  if (shape.ages === 0) return
  for (let slot = 1; slot <= parts.maxThreads; slot++) {
    const epoch = liveSlots.has(slot) ? field(parts.long(parts.threads + slot * 2), 52, 11) : -1
    checkSlot(subject, slot, epoch)
  }
}

/** `epoch`: of who holds the slot; -1: nobody does. */
function checkSlot(subject: Subject, slot: number, epoch: number): void {
  const { shape, options, say } = subject
  const at = shardOf(subject, slot) + shape.ages
  const hung = `HUNG of slot ${slot},`
  checkUnused(subject, hung, at, 2)
  let calls = checkCount(subject, hung, at, epoch)
  for (let place = 0; place < AGE_BUCKETS; place++) {
    const bucket = at + (1 + place) * WORDS
    const what = `AGE ${place} of slot ${slot},`
    checkStamp(subject, what, bucket, place)
    checkUnused(subject, what, bucket, 3)
    calls += checkCount(subject, what, bucket + 1, epoch)
  }
  const inFlight = inFlightOf(subject, slot)
  if (options.deaths || BigInt(calls) <= inFlight) return
  say(at, `ages of slot ${slot}`, `tell of ${calls} calls, ${inFlight} are in flight`)
}

function checkUnused({ parts, record, say }: Subject, what: string, at: number, first: number) {
  const stray = parts.firstNonZero(record + at + first, record + at + WORDS)
  if (stray < 0) return
  say(stray - record, `unused ${what}`, `is ${hex(parts.word(stray))}, not 0`, CERTAIN)
}

/** TURN at word `at` and COUNT behind it: the holder's calls of the current generation. */
function checkCount(subject: Subject, what: string, at: number, epoch: number): number {
  const { parts, record, generation, say } = subject
  const turn = parts.word(record + at)
  if (turn >>> GENERATION_BITS !== 0) {
    say(at, `TURN ${what}`, `is ${hex(turn)}, more than ${GENERATION_BITS} bits`, CERTAIN)
  } else if (turn !== 0 && isLater(turn, generation)) {
    say(at, `TURN ${what}`, `is of generation ${turn}, at generation ${generation}`)
  }
  const count = parts.word(record + at + 1)
  const isOurs = turn === generation && count >>> CALLS_BITS === epoch
  return isOurs ? count & (2 ** CALLS_BITS - 1) : 0
}

function checkStamp(subject: Subject, what: string, at: number, place: number): void {
  const { parts, record, numbers, options } = subject
  const stamp = parts.word(record + at)
  const say = (sentence: string, certain = false): void =>
    subject.say(at, `STAMP ${what}`, `is ${stamp}${sentence}`, certain)
  if (parts.firstNonZero(record + at, record + at + WORDS) < 0) return
  if (stamp === -1) {
    if (!options.deaths) say(': it was never turned over to the end')
    return
  }
  if (!(stamp >= 0 && stamp < STAMPS)) {
    say(', not in 0 .. 20 * 2^25 - 1', CERTAIN)
    return
  }
  if (stamp % AGE_BUCKETS !== place) say(": another place's", CERTAIN)
  const step = Math.floor(parts.now / 1000 / Math.max(numbers.slowDurationMs / STEPS, 1))
  const age = ((step % STAMPS) - stamp + STAMPS) % STAMPS
  if (age >= STAMPS / 2) say(`, now is step ${step}`)
}
