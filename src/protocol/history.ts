/** What the journal says, as people read it: transitions in order, the oldest first. */
import { load, load64 } from '#atomics'
import { JOURNAL, JOURNAL_ENTRIES, RECORD } from '../memory/layout.ts'
import {
  BY_HAND,
  entryTag,
  isKeyOf,
  type JournalKey,
  makerOf,
  UNKNOWN_THREAD,
  unpackKey,
} from '../memory/words/journal.ts'
import { generationOf, isLater, isOwn, STATE_NAMES, type State } from '../memory/words/state.ts'
import { isTaggedOf, isTimedOf, lowOf, timeOf } from '../memory/words/timed.ts'
import type { Entry } from './directory.ts'
import { entryLong, isBefore, type JournalPlace, journalHead, raiseHead } from './journal.ts'
import { readText } from './text.ts'
import { reasonFor } from './why.ts'

/** How a breaker went from one state to another. A copy: nothing later changes it. */
export interface Transition {
  breaker: string
  from: State
  to: State
  /** The number of the state that it began (wraps at 2^22). */
  generation: number
  /** Milliseconds of the registry's clock. */
  at: number
  /**
   * What was said with the command; else what it came of: 'failure rate', 'slow call rate',
   * 'failures in a row', 'wait over', 'trials succeeded', 'trials failed', 'by hand'.
   */
  reason: string
  /** Node's `threadId` of the thread that made it; undefined where that died before it said so. */
  thread: number | undefined
  /** What the state that ended had counted: its window, or the trials of half-open. */
  counts: TransitionCounts | undefined
}

export interface TransitionCounts {
  calls: number
  failures: number
  slowCalls: number
  /** Null when there were no calls. */
  failureRate: number | null
  slowCallRate: number | null
}

/** An entry as its words say it. */
export interface JournalEntry extends JournalKey {
  readonly at: number | undefined
  readonly by: number
  readonly counts: TransitionCounts | undefined
  readonly text: string | undefined
}

/** There is no entry of that number yet. */
export const NOT_YET = 'not yet'
/** It was, and the ring has gone round since. */
export const OVERRUN = 'overrun'

/** Entry `number` of the journal. */
export function readJournalEntry(
  place: JournalPlace,
  number: number,
): JournalEntry | typeof NOT_YET | typeof OVERRUN {
  const { memory } = place
  const at = entryLong(place, number)
  // ATOMIC journal.read
  //   observes: an entry, its key before and after its other words (pairs with journal.append).
  //             The head before the key: one that was there then and is not now was overrun.
  const head = journalHead(place)
  const word = load64(memory, at)
  if (!isKeyOf(word, number)) return isBefore(number, head) ? OVERRUN : NOT_YET
  raiseHead(place, number)
  const tag = entryTag(number)
  const tagged = (long: number): number | undefined => {
    const value = load64(memory, at + long)
    return isTaggedOf(value, tag) ? lowOf(value) : undefined
  }
  const time = load64(memory, at + JOURNAL.TIME_LONG)
  const entry = {
    ...unpackKey(word),
    at: isTimedOf(time, tag) ? timeOf(time) : undefined,
    by: tagged(JOURNAL.BY_LONG) ?? UNKNOWN_THREAD,
    counts: countsOf(
      tagged(JOURNAL.CALLS_LONG),
      tagged(JOURNAL.FAILURES_LONG),
      tagged(JOURNAL.SLOW_LONG),
    ),
    text: readText(memory, at + JOURNAL.REASON_LONG, tag),
  }
  return load64(memory, at) === word ? entry : OVERRUN
}

function countsOf(
  calls: number | undefined,
  failures: number | undefined,
  slowCalls: number | undefined,
): TransitionCounts | undefined {
  if (calls === undefined || failures === undefined || slowCalls === undefined) return undefined
  const failureRate = calls > 0 ? failures / calls : null
  return {
    calls,
    failures,
    slowCalls,
    failureRate,
    slowCallRate: calls > 0 ? slowCalls / calls : null,
  }
}

/** What a breaker says of itself to those who read of its transitions. */
type Named = Pick<Entry, 'name' | 'first' | 'numbers' | 'record' | 'createdAt'>

/** The entry as people read it; undefined when its breaker is not known or a word is damaged. */
export function transitionOf(
  place: JournalPlace,
  entry: JournalEntry,
  breaker: Named | undefined,
): Transition | undefined {
  // A damaged state acts as disabled, and is called that.
  const from = STATE_NAMES[entry.from] ?? 'disabled'
  const to = STATE_NAMES[entry.to]
  // What had the record before has no name any more.
  if (breaker === undefined || to === undefined) return undefined
  const current = generationOf(load(place.memory, breaker.record + RECORD.STATE))
  if (!isOwn(entry.generation, breaker.first, current)) return undefined
  const { generation, by, counts, text } = entry
  const at = entry.at ?? sinceOf(place, breaker, generation)
  const why = text ?? reasonFor(from, to, (by & BY_HAND) !== 0, counts, breaker.numbers)
  const thread = makerOf(by)
  return { breaker: breaker.name, from, to, generation, at, reason: why, thread, counts }
}

/** The record has it while the entry lacks it: it was filled first. */
function sinceOf({ memory }: JournalPlace, breaker: Named, generation: number): number {
  const word = load64(memory, breaker.record / 2 + RECORD.SINCE_LONG + (generation & 1))
  return isTimedOf(word, generation) ? timeOf(word) : breaker.createdAt
}

/** All that the ring holds, the oldest first; `breakers` by their numbers. */
export function readHistory(place: JournalPlace, breakers: readonly Entry[]): Transition[] {
  const unseen = new Unseen()
  const found: Transition[] = []
  const first = journalHead(place) - JOURNAL_ENTRIES
  for (let step = 0; step < 2 * JOURNAL_ENTRIES; step++) {
    const entry = readJournalEntry(place, (first + step) | 0)
    if (entry === NOT_YET && step >= JOURNAL_ENTRIES) break
    if (entry === NOT_YET || entry === OVERRUN || !unseen.add(entry)) continue
    const transition = transitionOf(place, entry, breakers[entry.breaker])
    if (transition !== undefined) found.push(transition)
  }
  return found.slice(-JOURNAL_ENTRIES)
}

/** The same transition may have two entries: the first counts (protocol/journal.ts). */
export class Unseen {
  readonly #last = new Map<number, number>()

  /** Whether the entry is the first of its transition, of those asked about. */
  add({ breaker, generation }: { breaker: number; generation: number }): boolean {
    const last = this.#last.get(breaker)
    if (last !== undefined && !isLater(generation, last)) return false
    this.#last.set(breaker, generation)
    return true
  }

  /** What came up to this STATE word has been seen. */
  addState(breaker: number, state: number): void {
    this.#last.set(breaker, generationOf(state))
  }
}
