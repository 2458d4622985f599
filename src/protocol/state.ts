/**
 * Transitions: how a breaker goes from generation g to g + 1, exactly once (P5).
 *
 *   decide   CAS NEXT[(g+1) & 1] from the word of g - 1 to { g + 1, state, time }
 *   detail   fill the other words of g + 1, each from an older tag; the journal's entry
 *   publish  CAS STATE from { g, ... } to { g + 1, state }
 *
 * 1. While STATE says g, NEXT of the other parity holds either g - 1's word or g + 1's decision:
 *    whoever wrote g - 1 had decided it there, and nobody decides g + 2 before g + 1 is published.
 * 2. So one CAS decides what follows g, and only the thread that made it has made the transition.
 * 3. A decision can be published by anyone who finds it. Whoever dies after deciding leaves a word
 *    that the next thread publishes; whoever dies before deciding leaves nothing.
 * 4. Nothing is reset: the words of g + 1 replace those of g - 1, and readers check tags.
 *
 * Every store to a tagged word follows one rule: load the word, see that STATE has not moved, then
 * CAS from the word loaded. A late thread finds STATE moved, or its CAS finds another word.
 */
import { compareExchange, compareExchange64, load, load64, notify } from '#atomics'
import { HEADER, RECORD } from '../memory/layout.ts'
import {
  CLOSED,
  generationOf,
  HALF_OPEN,
  isNextOf,
  nextGeneration,
  nextStateOf,
  OPEN,
  packNext,
  packState,
  REMOVED,
  stateOf,
} from '../memory/words/state.ts'
import {
  isTaggedOf,
  isTimedOf,
  lowOf,
  packTagged,
  packTimed,
  timeOf,
} from '../memory/words/timed.ts'
import type { Cell } from './cell.ts'
import { append, type EntryDetail, fillDetail, fillTime, journalHead } from './journal.ts'
import { editionAfter, isStill } from './seen.ts'
import { readText, textWords } from './text.ts'
import type { Counts } from './threshold.ts'
import { countTransition } from './transition-counts.ts'
import { waitMsOf } from './wait.ts'

/** What a transition carries besides its state. */
export interface TransitionDetail extends EntryDetail {
  /** When the new state begins. */
  readonly sinceMs: number
  /** Open and forced-open: when it ends. Undefined: an opening waits as its options say. */
  readonly untilMs: number | undefined
  /** Openings in the row, once it has begun. Undefined: counted on. */
  readonly openings: number | undefined
}

/** A transition that came by itself. Every field is its own: see bad-input tests. */
export function at(sinceMs: number, counts?: Counts): TransitionDetail {
  const untilMs = undefined
  return { sinceMs, untilMs, openings: undefined, counts, byHand: false, reason: undefined }
}

/**
 * Moves the breaker from the STATE word `seen` to `target`. True when this thread decided it; false
 * when another transition came first, which is published by then.
 */
export function transition(
  cell: Cell,
  seen: number,
  target: number,
  detail: TransitionDetail,
): boolean {
  const { memory } = cell
  const generation = nextGeneration(generationOf(seen))
  const next = cell.recordLong + RECORD.NEXT_LONG + (generation & 1)
  const head = journalHead(cell)
  const opening = detail.openings ?? openingAfter(cell, seen, target)
  const waitMs = target === OPEN ? waitMsOf(cell.numbers, opening - 1, cell.seed, generation) : 0
  const untilMs = detail.untilMs ?? detail.sinceMs + waitMs
  // ATOMIC state.decide
  //   observes:  the word of g - 1, or another thread's decision for g + 1 (pairs with itself).
  //   publishes: state and time of g + 1 to whoever helps.
  //   loses to:  another decision: publish that one.
  //   dies here: before the CAS nothing happened; after it anyone publishes.
  //   wraps:     a late CAS needs the same microsecond, state and tag 1,024 transitions later.
  const old = load64(memory, next)
  if (!isStill(cell, seen)) return false
  let decided = old
  let won = false
  if (!isNextOf(old, generation)) {
    const mine = packNext(generation, target, untilMs)
    const found = compareExchange64(memory, next, old, mine)
    won = found === old
    decided = won ? mine : found
    if (!isNextOf(decided, generation)) return false
  }
  if (won) writeTrip(cell, seen, target, detail)
  // All who import a state say the same openings, so it does not matter who fills them in.
  const openings = nextStateOf(decided) === target ? detail.openings : undefined
  const sinceMs = fillWords(cell, seen, nextStateOf(decided), detail.sinceMs, openings)
  enter(cell, seen, nextStateOf(decided), head, sinceMs, won ? detail : undefined)
  publish(cell, seen, decided)
  return won
}

/** Fills what every generation needs; when it begins, as all who help say it. */
function fillWords(
  cell: Cell,
  seen: number,
  target: number,
  sinceMs: number,
  openings: number | undefined,
): number {
  const generation = nextGeneration(generationOf(seen))
  const parity = generation & 1
  const mine = packTimed(generation, sinceMs)
  const since = fill(cell, seen, RECORD.SINCE_LONG + parity, mine, isTimedOf)
  const row = openings ?? openingAfter(cell, seen, target)
  const word = packTagged(tagFor(generation), row)
  fill(cell, seen, RECORD.OPENINGS_LONG + parity, word, isDetailOf)
  return isTimedOf(since, generation) ? timeOf(since) : sinceMs
}

/** Counts the transition and gives it its entry in the journal. */
function enter(
  cell: Cell,
  seen: number,
  to: number,
  head: number,
  sinceMs: number,
  detail: EntryDetail | undefined,
): void {
  const from = stateOf(seen)
  const generation = nextGeneration(generationOf(seen))
  // People know nothing of a record that goes to another breaker, and many may.
  if (from === REMOVED || to === REMOVED) return
  countTransition(cell, seen, from, to)
  const number = append(cell, seen, { breaker: cell.breaker, generation, from, to }, head)
  if (number === undefined) return
  fillTime(cell, number, sinceMs)
  if (detail !== undefined) fillDetail(cell, number, detail)
}

/** Each one lost is another edition. */
const PUBLISH_ATTEMPTS = 1024

function publish(cell: Cell, seen: number, decided: bigint): void {
  const generation = nextGeneration(generationOf(seen))
  let found = seen
  for (let attempt = 0; attempt < PUBLISH_ATTEMPTS; attempt++) {
    // ATOMIC state.publish
    //   observes:  g still current, of whatever edition.
    //   publishes: g + 1 with all its words.
    //   loses to:  another helper that published the same decision; another edition: again, at the
    //              bound the next thread publishes.
    //   dies here: before the CAS the next thread publishes.
    //   wraps:     generations after 2^22 transitions: an outcome that late would count.
    const expected = found
    const next = packState(generation, nextStateOf(decided), editionAfter(cell, expected))
    found = compareExchange(cell.memory, cell.state, expected, next)
    if (found === expected || generationOf(found) !== generationOf(seen)) break
  }
  notify(cell.memory, HEADER.JOURNAL_HEAD)
  cell.news.notice()
}

/** Tags of 32 bits start at 1, so that memory that nobody wrote belongs to no generation. */
function tagFor(generation: number): number {
  return generation + 1
}

function isDetailOf(word: bigint, generation: number): boolean {
  return isTaggedOf(word, tagFor(generation))
}

/**
 * Writes one word of the generation after `seen`, unless it is there or STATE has moved past that
 * generation; the word that stands there then. (Helpers fill before STATE moves; the decider's own
 * words may come after.)
 */
function fill(
  cell: Cell,
  seen: number,
  long: number,
  word: bigint,
  isOf: (word: bigint, generation: number) => boolean,
): bigint {
  // ATOMIC state.fill
  //   observes:  a word of g - 1 while g or g + 1 is current; only g + 2's helpers replace it.
  //   loses to:  another helper: its word is as good.
  //   dies here: the next helper fills it.
  const at = cell.recordLong + long
  const old = load64(cell.memory, at)
  const generation = nextGeneration(generationOf(seen))
  if (isOf(old, generation)) return old
  const current = generationOf(load(cell.memory, cell.state))
  if (current !== generationOf(seen) && current !== generation) return old
  const found = compareExchange64(cell.memory, at, old, word)
  return found === old ? word : found
}

/** Openings since the breaker was last closed, once `target` has begun. */
function openingAfter(cell: Cell, seen: number, target: number): number {
  if (target === CLOSED) return 0
  const openings = readOpenings(cell, generationOf(seen))
  return target === OPEN ? openings + 1 : openings
}

const TRIP_LONGS = [RECORD.TRIP_CALLS_LONG, RECORD.TRIP_FAILURES_LONG, RECORD.TRIP_SLOW_LONG]

/** The decider alone knows these; if it dies first, the opening is published without them. */
function writeTrip(cell: Cell, seen: number, target: number, detail: TransitionDetail): void {
  const generation = generationOf(seen)
  const next = nextGeneration(generation)
  if (target !== CLOSED) {
    // From half-open on, the window that opened it stays.
    const trip = target === OPEN && stateOf(seen) !== HALF_OPEN ? detail.counts : undefined
    const given = trip && [trip.calls, trip.failures, trip.slowCalls]
    TRIP_LONGS.forEach((long, index) => {
      const value = given?.[index] ?? readTagged(cell, long, generation)
      if (value === undefined) return
      fill(cell, seen, long + (next & 1), packTagged(tagFor(next), value), isDetailOf)
    })
  }
  if (detail.reason !== undefined) writeReason(cell, seen, detail.reason)
}

function readTagged(cell: Cell, long: number, generation: number): number | undefined {
  const word = load64(cell.memory, cell.recordLong + long + (generation & 1))
  return isDetailOf(word, generation) ? lowOf(word) : undefined
}

function reasonLong(generation: number): number {
  return RECORD.REASON_LONG + (generation & 1) * RECORD.REASON_STRIDE_LONGS
}

function writeReason(cell: Cell, seen: number, bytes: Uint8Array): void {
  const next = nextGeneration(generationOf(seen))
  const start = reasonLong(next)
  textWords(bytes).forEach((value, index) => {
    fill(cell, seen, start + 1 + index, packTagged(tagFor(next), value), isDetailOf)
  })
  fill(cell, seen, start, packTagged(tagFor(next), bytes.length), isDetailOf)
}

// ---- reading ------------------------------------------------------------------------------------
// Each returns undefined when the words are not (or no longer) those of `generation`.

/** Open and forced-open: when the wait is over. Other states: when they began. */
export function readTime(cell: Cell, generation: number): number | undefined {
  const word = load64(cell.memory, cell.recordLong + RECORD.NEXT_LONG + (generation & 1))
  return isNextOf(word, generation) ? timeOf(word) : undefined
}

export function readSince(cell: Cell, generation: number): number | undefined {
  const word = load64(cell.memory, cell.recordLong + RECORD.SINCE_LONG + (generation & 1))
  return isTimedOf(word, generation) ? Math.max(timeOf(word), cell.createdAt) : undefined
}

/** Openings since the breaker was last closed; 0 where the words are another generation's. */
export function readOpenings(cell: Cell, generation: number): number {
  return readTagged(cell, RECORD.OPENINGS_LONG, generation) ?? 0
}

/** The window that began this row of openings. */
export function readTrip(
  cell: Cell,
  generation: number,
): { calls: number; failures: number; slowCalls: number } | undefined {
  const calls = readTagged(cell, RECORD.TRIP_CALLS_LONG, generation)
  const failures = readTagged(cell, RECORD.TRIP_FAILURES_LONG, generation)
  const slowCalls = readTagged(cell, RECORD.TRIP_SLOW_LONG, generation)
  if (calls === undefined || failures === undefined || slowCalls === undefined) return undefined
  return { calls, failures, slowCalls }
}

export function readReason(cell: Cell, generation: number): string | undefined {
  return readText(cell.memory, cell.recordLong + reasonLong(generation), tagFor(generation))
}

/** The time that an opening of the next generation would wait until, if it began at `sinceMs`. */
export function untilIfOpened(cell: Cell, seen: number, sinceMs: number): number {
  const opening = openingAfter(cell, seen, OPEN) - 1
  const generation = nextGeneration(generationOf(seen))
  return sinceMs + waitMsOf(cell.numbers, opening, cell.seed, generation)
}
