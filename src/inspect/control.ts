/** Everything that records of controls say. Loads alone. */
import { load, load64 } from '#atomics'
import {
  BULKHEAD,
  CONTROL,
  CONTROL_KIND,
  HOST,
  HOST_BUCKETS,
  HOST_GROUP,
  HOST_OPTION,
  HOSTS_OPTION,
  RETRY_BUDGET,
  THROTTLE,
  THROTTLE_OPTION,
  WAITER,
  WAITER_WORDS,
} from '../memory/controls.ts'
import { waitedMs } from '../memory/words/bulkhead.ts'
import { episodeOf, inARowOf, placeEpisodeOf, placeHostOf, untilOf } from '../memory/words/hosts.ts'
import { probabilityOf, rejectionOf } from '../memory/words/throttle.ts'
import { rowOf } from '../memory/words/windows.ts'
import { describeControl } from '../options/controls.ts'
import type { SharedNumbers } from '../options/shared.ts'
import type { Control } from '../protocol/control.ts'
import { BUDGET_WINDOW_MS } from '../protocol/retry-budget.ts'
import { RollingCounts } from '../protocol/rolling.ts'
import { OVERFLOW_SLOT } from '../protocol/slots.ts'
import { type Counters, readCounters, sumCounters } from '../protocol/totals.ts'

const KIND_NAMES: Readonly<Record<number, string>> = {
  [THROTTLE]: 'throttle',
  [BULKHEAD]: 'bulkhead',
  [RETRY_BUDGET]: 'retry budget',
  [HOST_GROUP]: 'host group',
  [HOST]: 'host',
}

interface PlaceView {
  readonly place: number
  readonly thread: number
  /** Of one who waits; null where that is not written yet. */
  readonly waitedMs?: number | null
}

export interface HostView {
  readonly name: string
  readonly createdAt: number
  /** Until when it is ejected, in ms; null: it is not. */
  readonly ejectedUntil: number | null
  readonly ejectionsInARow: number
  readonly failuresInARow: number
  /** In the interval that goes on and the one before. */
  readonly window: { readonly succeeded: number; readonly failed: number }
  readonly totals: { readonly succeeded: number; readonly failed: number }
}

export interface ControlView {
  readonly kind: string
  readonly name: string
  /** In ms of the region's clock. */
  readonly createdAt: number
  /** Where its record starts, in words of 32 bits, and how long it is, in lines of 128 bytes. */
  readonly record: { readonly word: number; readonly lines: number }
  readonly options: Readonly<Record<string, unknown>>
  /** Of throttles, as it was published last. */
  readonly rejectionProbability?: number
  /** What is in the window of a throttle or a retry budget, by name. */
  readonly window?: Readonly<Record<string, number>>
  /** Of bulkheads: who has calls in flight, and whose calls wait. */
  readonly places?: PlaceView[]
  readonly queue?: PlaceView[]
  /** Of host groups. */
  readonly hosts?: HostView[]
  readonly totals: Counters
  /** Those in which something was counted. */
  readonly shards: { readonly slot: number; readonly totals: Counters }[]
}

/** `controls`: those whose records can be read. Hosts stand in their groups. */
export function controlViewsOf(controls: readonly Control[], now: number): ControlView[] {
  return controls
    .filter(({ shape }) => shape.kind !== HOST)
    .map(control => ({
      kind: KIND_NAMES[control.shape.kind] ?? 'unknown',
      name: control.name,
      createdAt: control.createdAt,
      record: { word: control.record, lines: control.shape.lines },
      options: describeControl(control.numbers),
      ...detailsOf(control, controls, now),
      totals: sumCounters(control),
      shards: shardsOf(control),
    }))
}

function shardsOf(control: Control): ControlView['shards'] {
  const slots = Array.from({ length: control.region.maxThreads + 1 }, (_, slot) => slot)
  return slots
    .map(slot => ({ slot, totals: readCounters(control, slot) }))
    .filter(({ totals }) => Object.values(totals).some(total => total !== 0))
}

function detailsOf(
  control: Control,
  controls: readonly Control[],
  now: number,
): Partial<ControlView> {
  switch (control.shape.kind) {
    case THROTTLE:
      return throttleOf(control)
    case BULKHEAD:
      return bulkheadOf(control, now)
    case RETRY_BUDGET:
      return budgetOf(control)
    default:
      return { hosts: hostsOf(control, controls, now) }
  }
}

/** How long a control's window is; 0: it has none. */
export function windowMsOf(numbers: SharedNumbers): number {
  switch (numbers[CONTROL_KIND]) {
    case THROTTLE:
      return numbers[THROTTLE_OPTION.WINDOW_MS] as number
    case RETRY_BUDGET:
      return BUDGET_WINDOW_MS
    case HOST:
      return HOST_BUCKETS * (numbers[HOSTS_OPTION.INTERVAL_MS] as number)
    default:
      return 0
  }
}

/** Counts of the window by kind, as of the clock's time. */
function kindsOf(control: Control): number[] {
  const kinds = [0, 0, 0, 0]
  new RollingCounts(control, OVERFLOW_SLOT, windowMsOf(control.numbers)).sum(kinds)
  return kinds
}

function throttleOf(control: Control): Partial<ControlView> {
  const word = load(control.memory, control.record + CONTROL.PROBABILITY)
  const [accepted = 0, rejected = 0, refused = 0] = kindsOf(control)
  return {
    rejectionProbability: probabilityOf(rejectionOf(word)),
    window: { accepted, rejected, refused },
  }
}

function budgetOf(control: Control): Partial<ControlView> {
  const [calls = 0, givenBack = 0, taken = 0] = kindsOf(control)
  return { window: { calls, retries: taken - givenBack } }
}

function bulkheadOf({ memory, record, shape }: Control, now: number): Partial<ControlView> {
  const takenOf = (start: number, count: number, stride: number): PlaceView[] =>
    Array.from({ length: count }, (_, place) => {
      const owner = load(memory, record + start + place * stride)
      return { place, thread: owner - 1 }
    }).filter(({ thread }) => thread !== -1)
  const arrivedAt = (place: number): number =>
    load(memory, record + shape.queue + place * WAITER_WORDS + WAITER.ARRIVED)
  const queue = takenOf(shape.queue + WAITER.OWNER, shape.queueLength, WAITER_WORDS)
  return {
    places: takenOf(shape.places, shape.placeCount, 1),
    queue: queue.map(of => {
      const waited = waitedMs(arrivedAt(of.place), now)
      return { ...of, waitedMs: Number.isNaN(waited) ? null : waited }
    }),
  }
}

function hostsOf(group: Control, controls: readonly Control[], now: number): HostView[] {
  const ejected = new Set<number>()
  const byNumber = new Map(controls.map(control => [control.number, control]))
  for (let place = 0; place < group.shape.placeCount; place++) {
    const word = load(group.memory, group.record + group.shape.places + place)
    const host = byNumber.get(placeHostOf(word))
    const isLast = host && episodeOf(ejectionOf(host)) === placeEpisodeOf(word)
    if (isLast && now < untilOf(ejectionOf(host))) ejected.add(host.number)
  }
  return controls
    .filter(({ numbers }) => isOf(group, numbers))
    .map(host => hostOf(host, ejected.has(host.number)))
}

function isOf(group: Control, numbers: readonly number[]): boolean {
  return numbers[CONTROL_KIND] === HOST && numbers[HOST_OPTION.GROUP] === group.number
}

function ejectionOf({ memory, record }: Control): bigint {
  return load64(memory, record / 2 + CONTROL.EJECTION_LONG)
}

function hostOf(host: Control, isEjected: boolean): HostView {
  const ejection = ejectionOf(host)
  const [succeeded = 0, failed = 0] = kindsOf(host)
  const totals = sumCounters(host)
  return {
    name: host.name,
    createdAt: host.createdAt,
    ejectedUntil: isEjected ? untilOf(ejection) : null,
    ejectionsInARow: inARowOf(ejection),
    failuresInARow: rowOf(load(host.memory, host.record + CONTROL.ROW), episodeOf(ejection)),
    window: { succeeded, failed },
    totals: { succeeded: totals.succeeded, failed: totals.failed },
  }
}
