/** STATE and the words that belong to its generation, and the trials. */
import { ahead, FOR_EVER, field, GENERATIONS, isLater, isOwnGeneration, LINE } from './format.ts'
import { DETAILS, MAX_TRIALS, REMOVED, TRIALS } from './format-breaker.ts'
import { CERTAIN, hex, ms, type Say, type Subject } from './report.ts'
import { checkText, NO_TAG, TEXT_WORDS } from './text.ts'

export const CLOSED = 0
const OPEN = 1
export const HALF_OPEN = 2
export const FORCED_OPEN = 3
/** Those that users see, of which transitions are counted. */
export const STATES = 6

/** Words from a record's start. Each is a pair of longs, taken in turn by generation. */
const NEXT = DETAILS
export const SINCE = NEXT + 4
const OPENINGS = SINCE + 4
const TRIP = [OPENINGS + 4, OPENINGS + 8, OPENINGS + 12] as const
const REASON = TRIP[2] + 4
export const TRANSITIONS = REASON + 2 * TEXT_WORDS
const TRANSITIONS_END = TRANSITIONS + STATES * STATES * 2

export function wrap(generation: number): number {
  return (generation + GENERATIONS) % GENERATIONS
}

export function checkState(subject: Subject): void {
  const { parts, record, state, generation, first, isToBegin, say } = subject
  const word = parts.word(record)
  if (word < 0) say(0, 'STATE', `is ${hex(word)}, more than 31 bits`, CERTAIN)
  if (state > REMOVED) say(0, 'STATE', `is ${hex(word)}: there is no state ${state}`, CERTAIN)
  checkEdition(subject, word)
  if (first !== 0 && isLater(first, generation) && !isToBegin) {
    say(0, 'STATE', `says generation ${generation}, its first is ${first}`)
  }
  for (const [from, to] of [
    [1, LINE],
    [TRANSITIONS_END, TRIALS],
  ] as const) {
    const at = parts.firstNonZero(record + from, record + to)
    if (at >= 0) say(at - record, 'unused', `is ${hex(parts.word(at))}, not 0`, CERTAIN)
  }
}

const EDITIONS = 64

/**
 * Who replaces the options raises the edition of STATE, unless it dies: then the next who looks
 * does. Nobody has looked yet at one that is to begin, nor at one that is as it was made.
 */
function checkEdition({ edition, options, isToBegin, say }: Subject, word: number): void {
  const said = (word >>> 3) % EDITIONS
  const behind = ahead(edition, said, 6)
  const mayLag = !options.quiet || options.deaths || isToBegin || word === 0
  if (behind === 0 || (behind < EDITIONS / 2 && mayLag)) return
  say(0, 'STATE', `is of edition ${said}, its entry's is ${edition}`)
}

export function checkDetails(subject: Subject): void {
  const { generation } = subject
  checkCurrentNext(subject)
  checkOtherNext(subject)
  checkSince(subject)
  checkOpenings(subject)
  for (const parity of [0, 1]) {
    checkTrip(subject, parity)
    checkReason(subject, parity, parity === (generation & 1))
  }
}

/** What may stand in a word of the other parity: of g - 1, or of a g + 1 that nobody published. */
function mayBeOther(subject: Subject, tag: number, tagOf: (generation: number) => number): boolean {
  const { generation, options } = subject
  if (tag === tagOf(wrap(generation - 1))) return true
  // Nobody wrote the words of generations -1 and 0.
  if (generation <= 1 && tag === 0) return true
  return options.deaths === true && tag === tagOf(wrap(generation + 1))
}

function checkCurrentNext(subject: Subject): void {
  const { parts, record, generation, state, longestWaitMs, say } = subject
  const word = NEXT + (generation & 1) * 2
  const long = parts.long(record + word)
  if (field(long, 54, 10) !== generation % 1024) {
    say(word, 'NEXT', `is ${hex(long)}, tagged ${field(long, 54, 10)}, not ${generation % 1024}`)
    return
  }
  const decided = field(long, 51, 3)
  if (decided !== state) say(word, 'NEXT', `decided state ${decided}, STATE says ${state}`)
  const time = field(long, 0, 51)
  const latest = parts.now + 1 + (state === OPEN ? Math.ceil(longestWaitMs * 1000) : 0)
  if (state !== FORCED_OPEN && time > latest) {
    say(word, 'NEXT', `says ${ms(time)}, at ${ms(parts.now)}: later than any wait lasts`)
  }
}

function checkOtherNext(subject: Subject): void {
  const { parts, record, generation, say } = subject
  const word = NEXT + (~generation & 1) * 2
  const long = parts.long(record + word)
  const tag = field(long, 54, 10)
  if (!mayBeOther(subject, tag, of => of % 1024)) {
    say(word, 'NEXT', `is ${hex(long)}, tagged ${tag}, beside generation ${generation}`)
  }
  const decided = field(long, 51, 3)
  if (decided > REMOVED) {
    say(word, 'NEXT', `is ${hex(long)}: there is no state ${decided}`, CERTAIN)
  }
}

function checkSince(subject: Subject): void {
  const { parts, record, generation, say } = subject
  for (const parity of [0, 1]) {
    const word = SINCE + parity * 2
    const long = parts.long(record + word)
    const tag = field(long, 51, 13)
    const isRight =
      parity === (generation & 1)
        ? tag === generation % 8192
        : mayBeOther(subject, tag, of => of % 8192)
    if (!isRight) say(word, 'SINCE', `is tagged ${tag}, at generation ${generation}`)
    const time = field(long, 0, 51)
    if (time > parts.now + 1) say(word, 'SINCE', `says ${ms(time)}, at ${ms(parts.now)}`)
  }
}

function checkOpenings(subject: Subject): void {
  const { parts, record, generation, state, say } = subject
  for (const parity of [0, 1]) {
    const word = OPENINGS + parity * 2
    const long = parts.long(record + word)
    const tag = field(long, 32, 32)
    const isCurrent = parity === (generation & 1)
    const isRight = isCurrent
      ? tag === generation + 1 || (generation === 0 && tag === 0)
      : mayBeOther(subject, tag, of => of + 1)
    if (!isRight) say(word, 'OPENINGS', `is tagged ${tag}, at generation ${generation}`)
    const openings = field(long, 0, 32)
    if (!isCurrent) continue
    if (state === CLOSED && openings !== 0) say(word, 'OPENINGS', `says ${openings} while closed`)
    if (state === OPEN && openings === 0) say(word, 'OPENINGS', 'says 0 while open')
  }
}

/** Whether a detail that need not be there may bear this tag, which is a generation + 1 or 0. */
function mayTag(subject: Subject, tag: number, parity: number): boolean {
  if (tag === 0) return true
  const generation = tag - 1
  if (tag > GENERATIONS || (generation & 1) !== parity) return false
  if (!isLater(generation, subject.generation)) return true
  return subject.options.deaths === true && generation === wrap(subject.generation + 1)
}

function checkTrip(subject: Subject, parity: number): void {
  const { parts, record, generation, say } = subject
  const words = TRIP.map(word => word + parity * 2)
  const longs = words.map(word => parts.long(record + word))
  const tags = longs.map(long => field(long, 32, 32))
  tags.forEach((tag, index) => {
    if (mayTag(subject, tag, parity)) return
    say(words[index] ?? 0, 'TRIP', `is tagged ${tag}, at generation ${generation}`)
  })
  const [calls = 0, failures = 0, slow = 0] = longs.map(long => field(long, 0, 32))
  if (new Set(tags).size === 1 && (failures > calls || slow > calls)) {
    const sentence = `says ${failures} failed and ${slow} slow of ${calls} calls`
    say(words[0] ?? 0, 'TRIP', sentence, CERTAIN)
  }
}

function checkReason(subject: Subject, parity: number, isCurrent: boolean): void {
  const { parts, record, generation, say } = subject
  const start = REASON + parity * TEXT_WORDS
  for (let word = start; word < start + TEXT_WORDS; word += 2) {
    const tag = field(parts.long(record + word), 32, 32)
    if (mayTag(subject, tag, parity)) continue
    say(word, 'REASON', `is tagged ${tag}, at generation ${generation}`)
  }
  const of = isCurrent ? generation + 1 : NO_TAG
  checkText(parts, record + start, of, (word, sentence, certain) =>
    say(word - record, 'REASON', sentence, certain),
  )
}

const CLAIMED = 1
const SUCCEEDED = 2
const FAILED = 3

/** Other options may have permitted more trials; those before them have not been settled yet. */
export function checkTrials(subject: Subject, liveSlots: ReadonlySet<number>): void {
  const { numbers } = subject
  const kinds = [0, 0, 0, 0]
  for (let place = 0; place < MAX_TRIALS; place++) {
    const kind = checkPlace(subject, place, liveSlots)
    if (place < numbers.trials) kinds[kind] = (kinds[kind] ?? 0) + 1
  }
  checkVerdict(subject, kinds[SUCCEEDED] ?? 0, kinds[FAILED] ?? 0)
}

/** The kind of outcome that the place holds for the current generation; 0 for none. */
function checkPlace(subject: Subject, place: number, liveSlots: ReadonlySet<number>): number {
  const { parts, record, options, shape, generation, state, mostTrials } = subject
  const word = shape.trials + place * 4
  const say: Say = (sentence, certain) => subject.say(word, `PLACE ${place}`, sentence, certain)
  const long = parts.long(record + word)
  const of = field(long, 36, 28)
  const kind = field(long, 34, 2)
  const slot = field(long, 0, 12)
  if (slot > parts.maxThreads) say(`is ${hex(long)}: there is no slot ${slot}`, CERTAIN)
  if (of >= GENERATIONS) say(`is ${hex(long)}: there is no generation ${of}`, CERTAIN)
  // A place that nobody ever took is of generation 0.
  if (long !== 0n && isLater(of, generation)) {
    say(`is ${hex(long)}, of generation ${of}, at generation ${generation}`)
    return 0
  }
  const lease = parts.long(record + word + 2)
  const hasLease = field(lease, 51, 13) === ahead(field(long, 12, 22), 0, 13)
  const end = field(lease, 0, 51)
  if (kind !== 0 && !hasLease && !(options.deaths && kind === CLAIMED)) {
    say(`is claimed or settled, its LEASE is ${hex(lease)}, of another claim`)
  }
  // An earlier breaker's leases may have been longer, and its trials more.
  if (!isOwnGeneration(subject, of) || (long === 0n && lease === 0n)) return 0
  if (place >= mostTrials) {
    say(`is ${hex(long)}, MOST_TRIALS is ${mostTrials}`)
  }
  const latest = parts.now + 1 + Math.ceil(subject.longestLeaseMs * 1000)
  if (end > latest && !(end === FOR_EVER && latest > FOR_EVER)) {
    say(`has a LEASE until ${ms(end)}, at ${ms(parts.now)}: longer than any lasts`)
  }
  if (of !== generation || kind === 0) return 0
  if (state !== HALF_OPEN) say(`holds kind ${kind} of generation ${of}, which is state ${state}`)
  if (kind === CLAIMED && !(hasLease && end <= parts.now)) {
    if (slot !== 0 && !liveSlots.has(slot)) say(`is claimed by slot ${slot}, which nobody holds`)
    if (options.quiet) say(`is claimed by slot ${slot}, yet nothing should be in flight`)
  }
  return kind
}

/**
 * A verdict that the places hold has been carried out, unless its settler died: by the options that
 * were in force then.
 */
function checkVerdict(subject: Subject, succeeded: number, failed: number): void {
  const { options, numbers, shape, state, isAsMade } = subject
  if (state !== HALF_OPEN || options.deaths || !isAsMade) return
  const isDecided =
    numbers.trialFailureRate > 0
      ? succeeded + failed === numbers.trials
      : failed > 0 || succeeded === numbers.trials
  if (!isDecided) return
  const sentence = `hold ${succeeded} successes and ${failed} failures, yet it is half-open`
  subject.say(shape.trials, 'PLACES', sentence)
}
