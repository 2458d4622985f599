/** Everything that a record says of its breaker. Loads alone: `viewTrials` would write leases. */
import { load, load64 } from '#atomics'
import {
  OPTION,
  PLACE_LONGS,
  RECORD,
  WINDOW_CONSECUTIVE,
  WINDOW_COUNT,
  WINDOW_TIME,
} from '../memory/layout.ts'
import {
  editionOf,
  FORCED_OPEN,
  generationOf,
  OPEN,
  REMOVED,
  STATE_NAMES,
  stateOf,
} from '../memory/words/state.ts'
import { editionOfEntry } from '../memory/words/threads.ts'
import { isTaggedOf, isTimedOf, lowOf, timeOf } from '../memory/words/timed.ts'
import { CLAIMED, FREE, SUCCEEDED, unpackPlace } from '../memory/words/trials.ts'
import { holdsMinimumOf, rowOf, stockOf } from '../memory/words/windows.ts'
import { describeShared } from '../options/shared.ts'
import { countHanging } from '../protocol/ages.ts'
import { Core } from '../protocol/breaker.ts'
import type { Cell } from '../protocol/cell.ts'
import { type DurationSummary, summarizeDurations } from '../protocol/durations.ts'
import type { TransitionCount } from '../protocol/look.ts'
import { readSummary } from '../protocol/periodic.ts'
import { isToBegin } from '../protocol/removal.ts'
import { readReason, readSince, readTime, readTrip } from '../protocol/state.ts'
import type { Counts } from '../protocol/threshold.ts'
import { readTotals, type Totals } from '../protocol/totals.ts'
import { readTransitions } from '../protocol/transition-counts.ts'
import { emptyCounts } from '../protocol/window.ts'
import { type ShardView, shardsOf } from './buckets.ts'

interface TrialPlace {
  readonly place: number
  /** Outlived: claimed, and its lease is over. */
  readonly outcome: 'in flight' | 'outlived' | 'succeeded' | 'failed'
  readonly slot: number
  readonly claim: number
  /** In ms; null where its claimer has not written it. */
  readonly leaseUntil: number | null
}

export interface BreakerView {
  readonly name: string
  readonly createdAt: number
  /** Where its record starts, in words of 32 bits, and how long it is, in lines of 128 bytes. */
  readonly record: { readonly word: number; readonly lines: number }
  /** In force. */
  readonly options: Readonly<Record<string, unknown>>
  /** As it was made; null where those are in force. */
  readonly made: Readonly<Record<string, unknown>> | null
  /** How many words its entry in the directory has had, modulo 2^20: which options are in force. */
  readonly edition: number
  /** The lowest 6 bits of it that STATE says. */
  readonly stateEdition: number
  /** The first generation of the record that is its own; earlier ones were another's. */
  readonly first: number
  /** Its group of keyed breakers; null where it belongs to none. */
  readonly group: { readonly prefix: string; readonly max: number } | null
  /** The breaker is gone, and its record is nobody's. */
  readonly removed: boolean
  /** Also 'removed', and 'not begun': made in a record of a removed one, and not used yet. */
  readonly state: string
  readonly generation: number
  /** Times are in ms of the region's clock; null where the words say none for this generation. */
  readonly since: number | null
  readonly openUntil: number | null
  readonly reason: string | null
  readonly openingsInARow: number
  readonly openedBy: ReturnType<typeof readTrip> | null
  readonly trials: {
    readonly permitted: number
    readonly free: number
    readonly taken: TrialPlace[]
  }
  /** As of the time that the view names. */
  readonly window: Readonly<Counts>
  /** Calls in flight that hang, among the slow ones; null where none is told by age. */
  readonly hanging: number | null
  /** Count windows: the index of the next outcome. */
  readonly head: number | null
  /** Consecutive windows: failures in a row. */
  readonly row: number | null
  /** Outcomes until the next sum; whether the last found the minimum of calls. Null: none yet. */
  readonly stock: { readonly left: number; readonly holdsMinimum: boolean } | null
  readonly periodicSum: (Counts & { readonly at: number }) | null
  /** How often it went from one state to another; pairs that never happened are left out. */
  readonly transitions: TransitionCount[]
  readonly durations: DurationSummary
  readonly totals: Totals
  readonly shards: ShardView[]
}

export function breakerViewOf(name: string, cell: Cell, now: number): BreakerView {
  const seen = load(cell.memory, cell.state)
  const generation = generationOf(seen)
  const state = stateOf(seen)
  const waits = state === OPEN || state === FORCED_OPEN
  return {
    name,
    createdAt: cell.createdAt,
    record: { word: cell.record, lines: cell.shape.lines },
    options: describeShared(cell.numbers),
    made: isAsMade(cell) ? null : describeShared(cell.made),
    edition: editionOfEntry(cell.entry),
    stateEdition: editionOf(seen),
    first: cell.first,
    group: cell.maxKeys > 0 ? groupOf(name, cell) : null,
    removed: isRemoved(cell, seen),
    state: stateNameOf(cell, seen),
    generation,
    since: readSince(cell, generation) ?? null,
    openUntil: waits ? (readTime(cell, generation) ?? null) : null,
    reason: readReason(cell, generation) ?? null,
    openingsInARow: openingsOf(cell, generation),
    openedBy: readTrip(cell, generation) ?? null,
    trials: trialsOf(cell, generation, now),
    ...windowOf(cell, generation, now),
    transitions: transitionsOf(cell),
    durations: summarizeDurations(cell),
    totals: readTotals(cell),
    shards: shardsOf(cell),
  }
}

function isAsMade({ numbers, made }: Cell): boolean {
  return numbers.every((value, option) => Object.is(value, made[option]))
}

function groupOf(name: string, { maxKeys, prefixLength }: Cell): BreakerView['group'] {
  return { prefix: name.slice(0, Math.max(0, prefixLength)), max: maxKeys }
}

function isRemoved(cell: Cell, seen: number): boolean {
  return stateOf(seen) === REMOVED && !isToBegin(cell, seen)
}

function stateNameOf(cell: Cell, seen: number): string {
  const state = stateOf(seen)
  if (state === REMOVED) return isRemoved(cell, seen) ? 'removed' : 'not begun'
  return STATE_NAMES[state] ?? `${state}, which is no state`
}

function transitionsOf(cell: Cell): TransitionCount[] {
  return STATE_NAMES.flatMap((from, row) =>
    STATE_NAMES.map((to, column) => ({ from, to, count: readTransitions(cell, row, column) })),
  ).filter(({ count }) => count > 0)
}

function openingsOf(cell: Cell, generation: number): number {
  const long = cell.recordLong + RECORD.OPENINGS_LONG + (generation & 1)
  const word = load64(cell.memory, long)
  return isTaggedOf(word, generation + 1) ? lowOf(word) : 0
}

function trialsOf(cell: Cell, generation: number, now: number): BreakerView['trials'] {
  const taken: TrialPlace[] = []
  for (let place = 0; place < cell.mostTrials; place++) {
    const at = cell.recordLong + cell.shape.trials / 2 + place * PLACE_LONGS
    const { generation: of, kind, claim, slot } = unpackPlace(load64(cell.memory, at))
    if (of !== generation || kind === FREE) continue
    const lease = load64(cell.memory, at + 1)
    const leaseUntil = isTimedOf(lease, claim) ? timeOf(lease) : null
    const isOver = leaseUntil !== null && leaseUntil <= now
    const settled = kind === SUCCEEDED ? 'succeeded' : 'failed'
    const outcome = kind === CLAIMED ? (isOver ? 'outlived' : 'in flight') : settled
    taken.push({ place, outcome, slot, claim, leaseUntil })
  }
  // Other options may have permitted more.
  const free = Math.max(0, cell.trials - taken.length)
  return { permitted: cell.trials, free, taken }
}

type WindowView = Pick<BreakerView, 'window' | 'hanging' | 'head' | 'row' | 'stock' | 'periodicSum'>

function windowOf(cell: Cell, generation: number, now: number): WindowView {
  const { memory, record, shape } = cell
  const kind = cell.numbers[OPTION.WINDOW]
  const window = emptyCounts()
  new Core(cell, 0).window.sum(generation, now, window)
  const head = load(memory, record + shape.head)
  const stock = load(memory, record + shape.stock)
  const sum = kind === WINDOW_TIME ? readSummary(cell, generation) : undefined
  return {
    window,
    hanging: shape.ages === 0 ? null : countHanging(cell, generation, now),
    head: kind === WINDOW_COUNT ? head >>> 0 : null,
    row: kind === WINDOW_CONSECUTIVE ? rowOf(head, generation) : null,
    stock: stock === 0 ? null : { left: stockOf(stock), holdsMinimum: holdsMinimumOf(stock) },
    periodicSum: sum === undefined ? null : { ...sum.counts, at: sum.at },
  }
}
