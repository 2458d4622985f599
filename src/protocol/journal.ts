/**
 * The journal: every transition gets an entry in one ring before it is published, so that any
 * thread can tell what happened, in order, whichever threads died (flight recorder, news).
 *
 *   append   CAS KEY[n] from an older lap to { lap, breaker, g + 1, from, to }, n the first empty
 *   raise    CAS JOURNAL_HEAD from n to n + 1
 *   detail   the other words of entry n, each tagged with n
 *
 * 1. Entries before JOURNAL_HEAD are there, and one is appended only behind one that is there: so
 *    they are without holes, and one CAS makes an entry.
 * 2. Whoever publishes has appended or found the entry, so a published transition has one, whoever
 *    died; and those of one breaker stand in the order of its generations.
 * 3. Whoever decided looks from the head that it saw before it decided. Entries for its transition
 *    can only come behind that, so it finds one that a helper made, and never makes a second.
 * 4. A helper that comes later may make a second, which stands behind the first, and before the
 *    next of that breaker: readers drop an entry whose generation they have had.
 * 5. Nothing is decided by the journal. A thread that is overtaken ATTEMPTS times gives up and
 *    leaves the transition without an entry.
 */
import { compareExchange, compareExchange64, load, load64 } from '#atomics'
import { HEADER, JOURNAL, JOURNAL_ENTRIES, JOURNAL_LONGS } from '../memory/layout.ts'
import {
  BY_HAND,
  CLAIMED_BY_LISTENER,
  entryTag,
  isKeyOf,
  type JournalKey,
  MAKER_ANNOUNCES,
  packBy,
  packKey,
  UNKNOWN_THREAD,
  unpackKey,
} from '../memory/words/journal.ts'
import { generationOf } from '../memory/words/state.ts'
import { isTaggedOf, isTimedOf, lowOf, packTagged, packTimed } from '../memory/words/timed.ts'
import type { Cell } from './cell.ts'
import { textWords } from './text.ts'
import type { Counts } from './threshold.ts'

/** Each one lost is a transition of another breaker. */
const ATTEMPTS = JOURNAL_ENTRIES

/** One word: the maker's, and a listener's claim. */
const CLAIM_ATTEMPTS = 4

/** A journal as a cell or a region has it. */
export type JournalPlace = Pick<Cell, 'memory' | 'region'>

/** Where entry `number` starts, in longs. */
export function entryLong({ region }: JournalPlace, number: number): number {
  return region.journalLong + (number & (JOURNAL_ENTRIES - 1)) * JOURNAL_LONGS
}

/** The number of the next entry, or of one that is there already. */
export function journalHead({ memory }: JournalPlace): number {
  return load(memory, HEADER.JOURNAL_HEAD)
}

/** Whether one entry came before another, by wrapped difference. */
export function isBefore(number: number, than: number): boolean {
  return ((than - number) | 0) > 0
}

/** Entry `number` is there. */
export function raiseHead({ memory }: JournalPlace, number: number): void {
  // ATOMIC journal.raise
  //   observes:  that every entry up to `number` is there (pairs with journal.append).
  //   publishes: where to look for the first empty place.
  //   loses to:  another raise of the same step.
  //   dies here: the next who appends or reads raises it.
  //   wraps:     at 2^32; compared by difference, and only ever moved on by one.
  compareExchange(memory, HEADER.JOURNAL_HEAD, number, (number + 1) | 0)
}

/**
 * Gives the transition from the STATE word `seen` its entry, looking from `head` on: its number, or
 * undefined where it is not known.
 */
export function append(
  cell: Cell,
  seen: number,
  key: JournalKey,
  head: number,
): number | undefined {
  let number = head
  let isPublished = false
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const at = entryLong(cell, number)
    const newest = journalHead(cell)
    const found = load64(cell.memory, at)
    if (isKeyOf(found, number)) {
      raiseHead(cell, number)
      if (isSame(found, key)) return number
      number = (number + 1) | 0
      continue
    }
    if (isBefore(number, newest)) {
      // The ring has gone round meanwhile.
      number = newest
      continue
    }
    // ATOMIC journal.append
    //   observes:  the first place without an entry of this lap, while STATE is still `seen`.
    //   publishes: the transition, to whoever reads the journal.
    //   loses to:  another entry: look whether it is this transition's, else at the next place.
    //   dies here: the transition is published by the next who wants one; its entry is there.
    //   wraps:     20 bits of lap: a late CAS needs 2^30 transitions in between.
    if (isPublished) return undefined
    isPublished = generationOf(load(cell.memory, cell.state)) !== generationOf(seen)
    // Whoever published it appended it: look at this place again.
    if (isPublished) continue
    if (compareExchange64(cell.memory, at, found, packKey(number, key)) !== found) continue
    raiseHead(cell, number)
    return number
  }
  return undefined
}

function isSame(word: bigint, key: JournalKey): boolean {
  const { breaker, generation } = unpackKey(word)
  return breaker === key.breaker && generation === key.generation
}

/** Says in entry `number` when the transition was. Anybody may. */
export function fillTime(cell: Cell, number: number, sinceMs: number): void {
  const word = packTimed(entryTag(number), sinceMs)
  fillEntry(cell, number, JOURNAL.TIME_LONG, word, isTimedOf)
}

/** What its maker alone knows of a transition. */
export interface EntryDetail {
  /** The outcomes of the state that ended, where it counts any. */
  readonly counts: Counts | undefined
  readonly byHand: boolean
  readonly reason: Uint8Array | undefined
}

/** Says in entry `number` what only the maker of the transition knows. */
export function fillDetail(cell: Cell, number: number, detail: EntryDetail): void {
  const { counts, byHand, reason } = detail
  const tag = entryTag(number)
  const fill = (long: number, value: number): void =>
    fillEntry(cell, number, long, packTagged(tag, value), isTaggedOf)
  if (counts !== undefined) {
    fill(JOURNAL.CALLS_LONG, counts.calls)
    fill(JOURNAL.FAILURES_LONG, counts.failures)
    fill(JOURNAL.SLOW_LONG, counts.slowCalls)
  }
  if (reason !== undefined) {
    textWords(reason).forEach((value, index) => {
      fill(JOURNAL.REASON_LONG + 1 + index, value)
    })
    fill(JOURNAL.REASON_LONG, reason.length)
  }
  sayMaker(cell, number, packBy(cell.thread, byHand ? BY_HAND : 0))
}

function fillEntry(
  cell: Cell,
  number: number,
  long: number,
  word: bigint,
  isOf: (word: bigint, tag: number) => boolean,
): void {
  // ATOMIC journal.fill
  //   observes:  a word of an older entry at this place, while the entry is still there.
  //   publishes: one detail of the entry, for people.
  //   loses to:  another helper: its word is as good; a newer entry: nobody asks for this one.
  //   dies here: the entry lacks a detail; its time stands in the record's SINCE as well.
  const at = entryLong(cell, number)
  const old = load64(cell.memory, at + long)
  if (isOf(old, entryTag(number))) return
  if (!isKeyOf(load64(cell.memory, at), number)) return
  compareExchange64(cell.memory, at + long, old, word)
}

/** Whether the maker announces it itself: it does where it listens, and nobody was before it. */
function sayMaker(cell: Cell, number: number, by: number): void {
  const announces = cell.news.listensTo(cell.breaker)
  const at = entryLong(cell, number)
  for (let attempt = 0; attempt < CLAIM_ATTEMPTS; attempt++) {
    // ATOMIC journal.maker
    //   observes:  nothing said of this entry yet, or a claim (pairs with journal.claim).
    //   publishes: who made the transition, and whether it announces it.
    //   loses to:  a listener's claim: keep it.
    //   dies here: the maker is not known; the first listener announces.
    const old = load64(cell.memory, at + JOURNAL.BY_LONG)
    const isClaimed = isTaggedOf(old, entryTag(number))
    if (!isKeyOf(load64(cell.memory, at), number)) return
    const flag = isClaimed ? CLAIMED_BY_LISTENER : announces ? MAKER_ANNOUNCES : 0
    const word = packTagged(entryTag(number), by + flag)
    if (compareExchange64(cell.memory, at + JOURNAL.BY_LONG, old, word) === old) return
  }
}

/**
 * Whether this thread is the one to announce entry `number` as its own: the maker where it listens,
 * else the first listener that asks.
 */
export function claimAnnouncement(place: JournalPlace, number: number, thread: number): boolean {
  const at = entryLong(place, number)
  for (let attempt = 0; attempt < CLAIM_ATTEMPTS; attempt++) {
    // ATOMIC journal.claim
    //   observes:  a maker that does not listen or is not known (pairs with journal.maker).
    //   publishes: that this thread announces the transition.
    //   loses to:  another listener; the maker saying who it is: look again.
    //   dies here: nobody announces it as its own.
    const old = load64(place.memory, at + JOURNAL.BY_LONG)
    const isSaid = isTaggedOf(old, entryTag(number))
    const by = isSaid ? lowOf(old) : UNKNOWN_THREAD
    if (by & CLAIMED_BY_LISTENER) return false
    if (by & MAKER_ANNOUNCES) return (by & (BY_HAND - 1)) === thread
    if (!isKeyOf(load64(place.memory, at), number)) return false
    const mine = packTagged(entryTag(number), by | CLAIMED_BY_LISTENER)
    if (compareExchange64(place.memory, at + JOURNAL.BY_LONG, old, mine) === old) return true
  }
  return false
}
