/**
 * The latest time that stands in a region. What the clock was when the region was copied is not in
 * it, unless the clock is manual; it was not before this.
 */
import { load, load64 } from '#atomics'
import type { Memory } from '../memory/atomics.ts'
import { CONTROL, THROTTLE } from '../memory/controls.ts'
import {
  BUCKET,
  BUCKET_WORDS,
  HEADER,
  JOURNAL,
  JOURNAL_ENTRIES,
  JOURNAL_LONGS,
  LINE_WORDS,
  OPTION,
  OVERFLOW_BUCKET_LONGS,
  PLACE_LONGS,
  RECORD,
  SHARD_BUCKETS,
  SUMMARY,
} from '../memory/layout.ts'
import type { RegionShape } from '../memory/region-shape.ts'
import { generationOf } from '../memory/words/state.ts'
import { timeOf } from '../memory/words/timed.ts'
import { unpackPlace } from '../memory/words/trials.ts'
import { type Cell, type Sharded, shardOf } from '../protocol/cell.ts'
import type { Control } from '../protocol/control.ts'
import { MAX_LEASE_MS } from '../protocol/lease.ts'
import { numberOfEpoch, numberOfStamp, startOf } from './buckets.ts'
import { windowMsOf } from './control.ts'
import { BEAT_UNIT_MS } from './slots.ts'

/** The duty of the periodic sum is due this long after it was taken. */
const INTERVAL_MS = 100

/** In ms of the region's clock. */
export function latestTime(
  memory: Memory,
  region: RegionShape,
  cells: readonly Cell[],
  controls: readonly Control[],
): number {
  let latest = 0
  const times = [...cells.map(timesOf), ...controls.map(timesOfControl)]
  for (const some of [timesOfRegion(memory, region), ...times]) {
    for (const time of some) {
      // For ever is no time.
      if (time > latest && time < Number.POSITIVE_INFINITY) latest = time
    }
  }
  return latest
}

function* timesOfRegion(memory: Memory, region: RegionShape): Generator<number> {
  yield timeOf(load64(memory, HEADER.EXPORTER_LONG)) - MAX_LEASE_MS
  for (let slot = 1; slot <= region.maxThreads; slot++) {
    yield Math.max(0, (load(memory, region.presence + slot * LINE_WORDS) >>> 0) - 1) * BEAT_UNIT_MS
  }
  for (let entry = 0; entry < JOURNAL_ENTRIES; entry++) {
    yield timeOf(load64(memory, region.journalLong + entry * JOURNAL_LONGS + JOURNAL.TIME_LONG))
  }
}

function* timesOf(cell: Cell): Generator<number> {
  const { memory, recordLong, shape } = cell
  yield cell.createdAt
  yield timeOf(load64(memory, recordLong + RECORD.SINCE_LONG))
  yield timeOf(load64(memory, recordLong + RECORD.SINCE_LONG + 1))
  // The leases of what had the record before may have been longer.
  const now = generationOf(load(memory, cell.state))
  for (let place = 0; place < cell.mostTrials; place++) {
    const at = recordLong + shape.trials / 2 + place * PLACE_LONGS
    const { generation } = unpackPlace(load64(memory, at))
    if (generation === now && cell.longestLeaseMs >= 0)
      yield timeOf(load64(memory, at + 1)) - cell.longestLeaseMs
  }
  if (shape.buckets > 0) yield* timesOfWindow(cell)
}

function* timesOfWindow(cell: Cell): Generator<number> {
  const { memory, recordLong, shape } = cell
  const summary = recordLong + shape.summary / 2
  yield timeOf(load64(memory, summary + SUMMARY.AT_LONG))
  yield timeOf(load64(memory, summary + SUMMARY.DUTY_LONG)) - INTERVAL_MS
  yield* timesOfBuckets(cell, cell.numbers[OPTION.WINDOW_LENGTH] as number)
}

function* timesOfControl(control: Control): Generator<number> {
  const { memory, record, shape, numbers } = control
  yield control.createdAt
  const duty = timeOf(load64(memory, record / 2 + CONTROL.DUTY_LONG))
  if (shape.kind === THROTTLE) yield duty - INTERVAL_MS
  yield* timesOfBuckets(control, windowMsOf(numbers))
}

/** `length`: of all buckets of the window, in ms. */
function* timesOfBuckets(of: Sharded, length: number): Generator<number> {
  const { memory, shape } = of
  for (let index = 0; index < shape.buckets; index++) {
    const overflow = (shardOf(of, 0) + SHARD_BUCKETS) / 2 + index * OVERFLOW_BUCKET_LONGS
    yield startOf(numberOfEpoch(load64(memory, overflow)), length, shape.buckets)
    for (let slot = 1; slot <= of.region.maxThreads; slot++) {
      const bucket = shardOf(of, slot) + SHARD_BUCKETS + index * BUCKET_WORDS
      const stamp = load(memory, bucket + BUCKET.STAMP)
      const number = numberOfStamp(stamp, load(memory, bucket + BUCKET.TURN))
      if (stamp >= 0) yield startOf(number, length, shape.buckets)
    }
  }
}
