/** What each slot counts for people alone: refusals in rare states, and how long calls took. */
import { field, GENERATIONS, HEADER, isLater, isOwnGeneration } from './format.ts'
import { TALLY_FIRST, TALLY_WORDS } from './format-breaker.ts'
import { CERTAIN, hex, ms, type Subject } from './report.ts'
import { FORCED_OPEN, HALF_OPEN, STATES, TRANSITIONS } from './state.ts'
import { isCounted, shardOf } from './totals.ts'

/** Words of a tally. */
const REFUSED = [
  ['REFUSED_HALF_OPEN', 0, HALF_OPEN],
  ['REFUSED_FORCED_OPEN', 2, FORCED_OPEN],
] as const
const LOCAL_STALLS = 4
const MICROS = 6
const DURATIONS = 8

/** The counters: one below the first octave, ten equal steps in each of 23, one above. */
const UNIT = 100
const STEPS = 10
const OCTAVES = 23
const COUNTERS = 1 + OCTAVES * STEPS + 1
const USED = DURATIONS + COUNTERS * 2
const END = TALLY_FIRST + 1

export function checkTallies(subject: Subject): void {
  const { parts, record, shape } = subject
  const slotsUsed = parts.word(HEADER.SLOTS_USED)
  for (let slot = 0; slot <= parts.maxThreads; slot++) {
    const at = shape.tallies + slot * TALLY_WORDS
    const stray = parts.firstNonZero(record + at, record + at + TALLY_WORDS)
    if (stray < 0) continue
    const mayBeUsed = slot === 0 ? parts.word(HEADER.OVERFLOW_USED) !== 0 : slot <= slotsUsed
    if (!mayBeUsed) {
      const sentence = `is ${hex(parts.word(stray))}, yet no thread ever had the slot`
      subject.say(stray - record, `tally ${slot}`, sentence)
    }
    checkTally(subject, slot, at)
  }
}

/** What is counted for nobody any more may be anything, but nobody counts below zero. */
function checkTally(subject: Subject, slot: number, at: number): void {
  const { parts, record, say } = subject
  const isCurrent = isCounted(subject, slot)
  const stray = parts.firstNonZero(record + at + END, record + at + TALLY_WORDS)
  if (stray >= 0) say(stray - record, 'unused', `is ${hex(parts.word(stray))}, not 0`, CERTAIN)
  checkOwner(subject, slot, at)
  for (const [name, word, state] of REFUSED) {
    const refused = parts.long(record + at + word)
    const what = `${name} of slot ${slot}`
    if (refused < 0n) say(at + word, what, `is ${refused}`, CERTAIN)
    if (isCurrent && refused > 0n && !everEntered(subject, state)) {
      say(at + word, what, `is ${refused}, yet it was never in state ${state}`)
    }
  }
  const stalls = parts.long(record + at + LOCAL_STALLS)
  if (stalls < 0n) {
    say(at + LOCAL_STALLS, `LOCAL_STALLS of slot ${slot}`, `is ${stalls}`, CERTAIN)
  }
  checkDurations(subject, slot, at, isCurrent)
}

/** Of which breaker they are, and when it was last looked up there. */
function checkOwner(subject: Subject, slot: number, at: number): void {
  const { parts, record, first: present, say } = subject
  const first = parts.word(record + at + TALLY_FIRST)
  const of = `of slot ${slot}`
  if (!(first >= 0 && first < GENERATIONS)) {
    say(at + TALLY_FIRST, `FIRST ${of}`, `is ${first}, no generation`, CERTAIN)
  } else if (first !== 0 && isLater(first, present)) {
    say(at + TALLY_FIRST, `FIRST ${of}`, `is ${first}, the record's ${present}`)
  }
  const used = parts.double(record + at + USED)
  if (!(used >= 0)) say(at + USED, `USED_MS ${of}`, `is ${used}, not a time`, CERTAIN)
  // A thread that has not read its clock notes the latest that it can be: two ticks on.
  else if ((used - 2 * parts.double(HEADER.TICK_MS)) * 1000 > parts.now + 1) {
    say(at + USED, `USED_MS ${of}`, `is ${used}, at ${ms(parts.now)}`)
  }
}

function everEntered(subject: Subject, state: number): boolean {
  const { parts, record } = subject
  for (let from = 0; from < STATES; from++) {
    const word = record + TRANSITIONS + (from * STATES + state) * 2
    const tag = field(parts.long(word), 32, 32)
    if (tag !== 0 && isOwnGeneration(subject, tag - 1)) return true
  }
  return false
}

/** The least number of microseconds that a counter takes. */
function leastOf(counter: number): number {
  if (counter === 0) return 0
  const octave = Math.floor((counter - 1) / STEPS)
  const step = (counter - 1) % STEPS
  return ((UNIT * 2 ** octave) / STEPS) * (STEPS + step)
}

/** Only outcomes that counted are measured, and their sum is one that the counters allow. */
function checkDurations(subject: Subject, slot: number, at: number, isCurrent: boolean): void {
  const { parts, record, options, say } = subject
  let [count, least, most] = [0n, 0n, 0n]
  let hasEnd = true
  for (let counter = 0; counter < COUNTERS; counter++) {
    const word = DURATIONS + counter * 2
    const taken = parts.long(record + at + word)
    if (taken < 0n) say(at + word, `DURATIONS ${counter} of slot ${slot}`, `is ${taken}`, CERTAIN)
    count += taken
    least += taken * BigInt(leastOf(counter))
    most += taken * BigInt(leastOf(counter + 1) - 1)
    if (counter === COUNTERS - 1) hasEnd = taken === 0n
  }
  const micros = parts.long(record + at + MICROS)
  const sayMicros = (sentence: string, certain?: boolean): void =>
    say(at + MICROS, `MICROS of slot ${slot}`, `is ${micros}${sentence}`, certain)
  if (micros < 0n) sayMicros('', CERTAIN)
  if (!isCurrent) return
  // Whoever dies in between has counted the duration and nothing else.
  if (!options.deaths && micros < least) sayMicros(`, its ${count} durations are ${least} or more`)
  if (hasEnd && micros > most) sayMicros(`, its ${count} durations are ${most} or less`)
  const shard = record + shardOf(subject, slot)
  const outcomes = parts.long(shard + 2) + parts.long(shard + 4)
  if (!options.deaths && count > outcomes) {
    say(at + DURATIONS, `DURATIONS of slot ${slot}`, `hold ${count} of ${outcomes} outcomes`)
  }
}
