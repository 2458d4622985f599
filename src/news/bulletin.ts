/**
 * News of transitions for the listeners of one thread, drained from the journal.
 *
 * A thread reads on when a call of its own meets a new generation, when it is notified in its event
 * loop, and once a second. Reading on is put into a microtask: no listener ever runs in the midst
 * of a call, nor of another listener. A thread in which nobody listens reads nothing; it only keeps
 * up with the head, so that who listens later hears of what comes later.
 */
import { load, whenNotified } from '#atomics'
import { HEADER, JOURNAL_ENTRIES, RECORD } from '../memory/layout.ts'
import type { Region } from '../memory/region.ts'
import { UNKNOWN_THREAD } from '../memory/words/journal.ts'
import { generationOf, isLater } from '../memory/words/state.ts'
import type { ThreadId } from '../memory/words/threads.ts'
import { type News, reportDamage } from '../protocol/cell.ts'
import { Directory, type Entry } from '../protocol/directory.ts'
import {
  type JournalEntry,
  NOT_YET,
  OVERRUN,
  readJournalEntry,
  transitionOf,
  Unseen,
} from '../protocol/history.ts'
import { claimAnnouncement, isBefore, type JournalPlace, journalHead } from '../protocol/journal.ts'
import type { NewsEvent, NewsListener, StateChange } from './events.ts'
import { stateChanges } from './state-changes.ts'

/** After an overrun a reader starts so far from the end that it has room before the next. */
const ENTRIES_AFTER_GAP = JOURNAL_ENTRIES / 2

/** Each one lost is a transition. */
const WAIT_ATTEMPTS = 4

interface Subscription {
  readonly event: NewsEvent
  readonly listener: (news: never) => void
  /** The name of the breaker listened to; undefined: all. */
  readonly breaker: string | undefined
  /** The registry through which it was made, and with which it ends. */
  readonly owner: object
  /** The number of the first entry of the journal that it hears of. */
  readonly from: number
}

export class Bulletin implements News {
  readonly #thread: number
  readonly #place: JournalPlace
  readonly #directory: Directory
  #subscriptions: readonly Subscription[] = []
  #unseen = new Unseen()
  #next: number
  #isDue = false
  #isWaiting = false

  constructor(region: Region, id: ThreadId) {
    this.#thread = id.thread
    this.#place = { memory: region.memory, region: region.shape }
    this.#directory = new Directory(region, id)
    this.#next = journalHead(this.#place)
  }

  /** Where nobody has listened: what has come up to now has been seen. */
  #catchUp(): void {
    this.#next = journalHead(this.#place)
    this.#unseen = new Unseen()
    try {
      for (const { number, record } of this.#directory.entriesAfter(0)) {
        this.#unseen.addState(number, load(this.#place.memory, record + RECORD.STATE))
      }
    } catch {
      reportDamage(this.#place.memory, 'the directory')
    }
  }

  /** Begins with the transitions after this moment. */
  subscribe<E extends NewsEvent>(
    event: E,
    listener: NewsListener<E>,
    breaker: string | undefined,
    owner: object,
  ): void {
    if (!this.#hasListeners()) this.#catchUp()
    const from = journalHead(this.#place)
    this.#subscriptions = [...this.#subscriptions, { event, listener, breaker, owner, from }]
    this.#awaitNews()
  }

  /** Ends one subscription that was made with the same arguments, the latest. */
  unsubscribe(
    event: NewsEvent,
    listener: unknown,
    breaker: string | undefined,
    owner: object,
  ): void {
    const at = this.#subscriptions.findLastIndex(
      of =>
        of.event === event &&
        of.listener === listener &&
        of.breaker === breaker &&
        of.owner === owner,
    )
    this.#subscriptions = this.#subscriptions.filter((_, index) => index !== at)
  }

  unsubscribeAll(owner: object): void {
    this.#subscriptions = this.#subscriptions.filter(of => of.owner !== owner)
  }

  listensTo(breaker: number): boolean {
    if (stateChanges.hasSubscribers) return true
    const of = this.#subscriptions.filter(({ event }) => event === 'stateChange')
    return of.length > 0 && of.some(hears(this.#breaker(breaker)?.name))
  }

  #hasListeners(): boolean {
    return this.#subscriptions.length > 0 || stateChanges.hasSubscribers
  }

  notice(): void {
    if (this.#isDue) return
    if (!this.#hasListeners()) {
      this.#next = journalHead(this.#place)
      return
    }
    this.#isDue = true
    queueMicrotask(() => this.#lookAgain(false))
  }

  /** What a thread does now and then that was not told of anything. */
  look(): void {
    if (this.#hasListeners()) this.#lookAgain(true)
    else this.#next = journalHead(this.#place)
  }

  #lookAgain(all: boolean): void {
    this.#isDue = false
    this.#readOn(all)
    this.#awaitNews()
  }

  /**
   * Announces what has come since the last look. An entry whose transition is not published yet
   * ends it, unless `all` is asked for: its maker is about to say who it is, or has died.
   */
  #readOn(all: boolean): void {
    for (let step = 0; step < JOURNAL_ENTRIES; step++) {
      const entry = this.#read(all)
      if (entry === NOT_YET) return
      if (entry === OVERRUN) this.#skip()
      else {
        this.#next = (this.#next + 1) | 0
        this.#announce(entry, (this.#next - 1) | 0)
      }
    }
  }

  #read(all: boolean): ReturnType<typeof readJournalEntry> {
    const entry = readJournalEntry(this.#place, this.#next)
    if (all || entry === NOT_YET || entry === OVERRUN) return entry
    if (!this.#isPublished(entry)) return NOT_YET
    // What was filled in by then may not have been when it was read.
    return entry.by === UNKNOWN_THREAD ? readJournalEntry(this.#place, this.#next) : entry
  }

  #isPublished({ breaker, generation }: JournalEntry): boolean {
    const known = this.#breaker(breaker)
    if (known === undefined) return true
    return !isLater(generation, generationOf(load(this.#place.memory, known.record + RECORD.STATE)))
  }

  /** Always goes forward, whatever stands in the head. */
  #skip(): void {
    const far = (journalHead(this.#place) - ENTRIES_AFTER_GAP) | 0
    const next = isBefore(this.#next, far) ? far : (this.#next + 1) | 0
    const missed = (next - this.#next) | 0
    this.#next = next
    const told = this.#subscriptions.filter(of => of.event === 'gap' && isBefore(of.from, next))
    for (const { listener } of told) tell(listener, { missed })
  }

  #announce(entry: JournalEntry, number: number): void {
    if (!this.#unseen.add(entry)) return
    const breaker = this.#breaker(entry.breaker)
    const told = this.#subscriptions
      .filter(of => of.event === 'stateChange' && !isBefore(number, of.from))
      .filter(hears(breaker?.name))
    const { hasSubscribers } = stateChanges
    if (told.length === 0 && !hasSubscribers) return
    const transition = transitionOf(this.#place, entry, breaker)
    if (transition === undefined) return
    const isSelf = claimAnnouncement(this.#place, number, this.#thread)
    const change: StateChange = { ...transition, origin: isSelf ? 'self' : 'other' }
    if (hasSubscribers) stateChanges.publish({ ...change })
    for (const { listener } of told) tell(listener, change)
  }

  /** Nobody could catch it here that the directory is damaged: who looks a breaker up is told. */
  #breaker(number: number): Entry | undefined {
    try {
      return this.#directory.at(number)
    } catch {
      reportDamage(this.#place.memory, 'the directory')
      return undefined
    }
  }

  /**
   * Wakes this thread's event loop at the next transition. Nothing depends on it: what it misses
   * the next look finds.
   */
  #awaitNews(): void {
    if (this.#isWaiting || !this.#hasListeners()) return
    const waiting = this.#whenNotified()
    if (waiting !== undefined) {
      this.#isWaiting = true
      waiting.then(() => {
        this.#isWaiting = false
        this.notice()
      })
    }
    // What came before that notified nobody. Not in a microtask: others may be faster than this
    // thread, and its event loop has to turn.
    if (this.#isDue || this.#read(false) === NOT_YET) return
    this.#isDue = true
    setImmediate(() => this.#lookAgain(false)).unref()
  }

  #whenNotified(): PromiseLike<unknown> | undefined {
    for (let attempt = 0; attempt < WAIT_ATTEMPTS; attempt++) {
      const head = journalHead(this.#place)
      const waiting = whenNotified(this.#place.memory, HEADER.JOURNAL_HEAD, head)
      if (waiting !== undefined) return waiting
    }
    return undefined
  }
}

/** Whether a subscription is to the breaker of that name. */
function hears(name: string | undefined): (of: Subscription) => boolean {
  return ({ breaker }) => breaker === undefined || breaker === name
}

/** Every listener gets a copy of its own, and none harms the next. */
function tell<N extends object>(listener: (news: never) => void, news: N): void {
  try {
    listener({ ...news } as never)
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    process.emitWarning(`busbar: a listener threw: ${text}`)
  }
}
