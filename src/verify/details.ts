/** An entry of the journal besides its key: each word may lack, or be an older entry's. */
import { ahead, ENTRY_WORDS, field, isOwnGeneration, JOURNAL_ENTRIES } from './format.ts'
import type { Entry, Journal } from './journal.ts'
import { CERTAIN, hex, ms } from './report.ts'
import { HALF_OPEN } from './state.ts'
import { checkText, NO_TAG, TEXT_WORDS } from './text.ts'

/** Words of an entry. */
const TIME = 2
const BY = 4
const COUNTS = [
  ['CALLS', 6],
  ['FAILURES', 8],
  ['SLOW', 10],
] as const
const REASON = 12
const REASON_END = REASON + TEXT_WORDS

/** In BY. */
const UNKNOWN = 2 ** 26 - 1
const HAND = 2 ** 26
const ANNOUNCES = 2 ** 27
const CLAIMED = 2 ** 28

const TIMED_TAG_BITS = 13
const TAG_BITS = 32

/** Which transitions happen without a command, each as from and to. */
const BY_THEMSELVES = ['0 1', '1 2', '3 2', '2 0', '2 1']

export function checkDetails(journal: Journal, entry: Entry): void {
  const { parts } = journal
  const { number, at } = entry
  checkTime(journal, entry)
  for (let word = BY; word < REASON_END; word += 2) checkTag(journal, entry, word)
  checkBy(journal, entry)
  checkCounts(journal, entry)
  const tag = isOwn(journal, entry, REASON) ? tagOf(number) : NO_TAG
  checkText(parts, at + REASON, tag, (word, sentence, certain) =>
    journal.say(number, `REASON, word ${word - at},`, sentence, certain),
  )
  const stray = parts.firstNonZero(at + REASON_END, at + ENTRY_WORDS)
  if (stray < 0) return
  journal.say(number, `unused word ${stray - at}`, `is ${hex(parts.word(stray))}, not 0`, CERTAIN)
}

function tagOf(number: number): number {
  return (number + 1) % 2 ** TAG_BITS
}

/** A word that nobody wrote belongs to nothing. */
function isOwn({ parts }: Journal, { number, at }: Entry, word: number): boolean {
  const long = parts.long(at + word)
  return long !== 0n && field(long, 32, TAG_BITS) === tagOf(number)
}

/** When the transition was, in microseconds, as its entry says. */
export function timeOf({ parts }: Journal, { number, at }: Entry): number | undefined {
  const long = parts.long(at + TIME)
  const isThis = long !== 0n && field(long, 51, TIMED_TAG_BITS) === tagOf(number) % 8192
  return isThis ? field(long, 0, 51) : undefined
}

/** Who made the transition, as its entry says: a BY with a thread in it. */
export function makerOf(journal: Journal, entry: Entry): number | undefined {
  if (!isOwn(journal, entry, BY)) return undefined
  const by = field(journal.parts.long(entry.at + BY), 0, 32)
  return by % HAND === UNKNOWN ? undefined : by
}

/** What stands at an entry's place is of it, or some laps older. */
function isTagLegal(tag: number, number: number, bits: number): boolean {
  const age = ahead(tagOf(number), tag, bits)
  return age % JOURNAL_ENTRIES === 0 && age < 2 ** (bits - 1)
}

function checkTag({ parts, say }: Journal, { number, at }: Entry, word: number): void {
  const long = parts.long(at + word)
  if (long === 0n || isTagLegal(field(long, 32, TAG_BITS), number, TAG_BITS)) return
  say(number, `word ${word}`, `is ${hex(long)}, tagged ${field(long, 32, 32)}`)
}

function checkTime({ parts, breakers, say }: Journal, entry: Entry): void {
  const { number, at, breaker, generation } = entry
  const long = parts.long(at + TIME)
  const tag = field(long, 51, TIMED_TAG_BITS)
  if (long !== 0n && !isTagLegal(tag, number, TIMED_TAG_BITS)) {
    say(number, 'TIME', `is ${hex(long)}, tagged ${tag}`)
    return
  }
  const time = field(long, 0, 51)
  if (time > parts.now + 1) say(number, 'TIME', `says ${ms(time)}, at ${ms(parts.now)}`)
  const standing = breakers.get(breaker)
  const isPresent = standing?.generation === generation && long !== 0n
  if (!isPresent || tag !== tagOf(number) % 8192) return
  if (standing.since !== undefined && standing.since !== time) {
    say(number, 'TIME', `says ${ms(time)}, the record ${ms(standing.since)}`)
  }
}

/** The maker says all of its part at once; a listener's claim may be there before, or after. */
function checkBy(journal: Journal, entry: Entry): void {
  const { number, at, from, to } = entry
  const long = journal.parts.long(at + BY)
  if (long === 0n) return
  const by = field(long, 0, 32)
  const say = (sentence: string, certain = false): void =>
    journal.say(number, 'BY', `is ${hex(long)}: ${sentence}`, certain)
  if (by >= 2 * CLAIMED) say('more than 29 bits', CERTAIN)
  const [byHand, announces, claimed] = [HAND, ANNOUNCES, CLAIMED].map(flag => (by & flag) !== 0)
  if (announces && claimed) say('its maker announces it, and somebody else', CERTAIN)
  if (by % HAND === UNKNOWN) {
    if (byHand || announces || !claimed) say('the maker said something, but not who it is', CERTAIN)
  } else if (isOwn(journal, entry, BY)) {
    if (byHand && to === HALF_OPEN) say('no command makes a breaker half-open')
    if (!byHand && !BY_THEMSELVES.includes(`${from} ${to}`)) {
      say(`only a command leads from state ${from} to ${to}`)
    }
  }
}

function checkCounts(journal: Journal, entry: Entry): void {
  const { parts, breakers, say } = journal
  const { number, at, breaker, generation, from } = entry
  if (!COUNTS.every(([, word]) => isOwn(journal, entry, word))) return
  const [calls = 0, failures = 0, slow = 0] = COUNTS.map(([, word]) =>
    field(parts.long(at + word), 0, 32),
  )
  if (failures > calls || slow > calls) {
    say(number, 'CALLS', `says ${failures} failed and ${slow} slow of ${calls} calls`, CERTAIN)
  }
  const standing = breakers.get(breaker)
  const isKnown = standing !== undefined && isOwnGeneration(standing, generation)
  const trials = isKnown ? standing.mostTrials : calls
  if (from === HALF_OPEN && calls > trials) {
    say(number, 'CALLS', `says ${calls} trials, ${trials} are permitted`)
  }
}
