/** Violations planted by hand, each with the sentence that must come of it. */
import {
  BUCKET,
  DEFINITION_WORDS,
  HEADER,
  LINE_WORDS,
  RECORD,
  SHARD_BUCKETS,
  SUMMARY,
  TOTAL,
} from '../../src/memory/layout.ts'
import { packNext, packState } from '../../src/memory/words/state.ts'
import { markedDead, packThread } from '../../src/memory/words/threads.ts'
import { packTagged, packTimed } from '../../src/memory/words/timed.ts'
import { packPlace } from '../../src/memory/words/trials.ts'
import { packRing, packRow } from '../../src/memory/words/windows.ts'
import { type Cell, shardOf } from '../../src/protocol/cell.ts'
import { double, long, type Plant, recordLong, word } from './planting.ts'
import type { Made } from './support.ts'

export const placeLong = (cell: Cell, place = 0): number =>
  (cell.record + cell.shape.trials) / 2 + place
const shard = (slot: number, total: number) => (from: Made) =>
  shardOf(from.cells.time, slot) / 2 + total
const bucket = (field: number) => (from: Made) =>
  shardOf(from.cells.time, 1) + SHARD_BUCKETS + 6 * 8 + field
const summary = (field: number) => (from: Made) =>
  (from.cells.time.record + from.cells.time.shape.summary) / 2 + field
const copyEntry = (to: Made, value: bigint): void => {
  to.memory.longs[to.region.shape.breakers.directoryLong + 3] = value
}

export const PLANTS: Plant[] = [
  ['another magic', word(() => HEADER.MAGIC, 1), /^header, MAGIC is 1/],
  ['another version', word(() => HEADER.VERSION, 9), /^header, VERSION is 9/],
  ['more threads', word(() => HEADER.MAX_THREADS, 99), /^header, geometry asks for/],
  ['an unknown clock', word(() => HEADER.CLOCK, 2), /^header, CLOCK is 2/],
  ['a tick that is no tick', double(() => HEADER.TICK_MS_DOUBLE, 0.5), /^header, TICK_MS is 0.5/],
  [
    'a keeper beside a manual clock',
    double(() => HEADER.TICK_MS_DOUBLE, 5),
    /^header, TICK_MS is 5, yet the clock is manual/,
  ],
  ['a tick out of range', word(() => HEADER.TICK, -2), /^header, TICK is -2, not in -1 .. 10/],
  ['a tick of no keeper', word(() => HEADER.TICK, 7), /^header, TICK is 7, yet there is no k/],
  ['use of no keeper', word(() => HEADER.ACTIVE, 1), /^header, ACTIVE is 1, yet there is no k/],
  ['use that is neither', word(() => HEADER.ACTIVE, 2), /^header, ACTIVE is 2, not in 0 .. 1/],
  ['damage met', word(() => HEADER.DAMAGED, 3), /^header, DAMAGED is 3/],
  ['too many slots', word(() => HEADER.SLOTS_USED, 4), /^header, SLOTS_USED is 4/],
  ['slots not covered', word(() => HEADER.SLOTS_USED, 0), /^slot 1, THREAD .* beyond SLOTS_USED 0/],
  ['an unused word of the header', word(() => 20, 1), /^header, unused word 20 is 0x1/],
  [
    'a default out of range',
    to => (to.memory.doubles[to.region.shape.defaultsDouble + 3] = 7),
    /^defaults, option failureRate is 7/,
  ],
  [
    'a thread in two slots',
    to => {
      to.memory[HEADER.SLOTS_USED] = 2
      to.memory.longs[to.region.shape.threadsLong + 2] =
        to.memory.longs[to.region.shape.threadsLong + 1] ?? 0n
    },
    /^slot 2, THREAD .* holds slot 1 as well/,
  ],
  [
    'a slot whose thread is dead',
    to => {
      const at = to.region.shape.threadsLong + 1
      to.memory.longs[at] = markedDead(to.memory.longs[at] ?? 0n)
    },
    /^slot 1, THREAD .* dead, and nobody reaped it/,
  ],
  [
    'a free slot with a name',
    long(
      from => from.region.shape.threadsLong + 1,
      () => packThread(false, 1, { thread: 4, parent: 0 }),
    ),
    /^slot 1, THREAD .* free, yet/,
  ],
  [
    'a hole in the directory',
    to => {
      to.memory.longs[to.region.shape.breakers.directoryLong + 4] =
        to.memory.longs[to.region.shape.breakers.directoryLong] ?? 0n
    },
    /^entry 4, ENTRY .* after an empty one/,
  ],
  ['no such definition', to => copyEntry(to, 900n << 24n), /^entry 3, .* no definition 899/],
  [
    'two entries of one definition',
    to => copyEntry(to, to.memory.longs[to.region.shape.breakers.directoryLong] ?? 0n),
    /^entry 3, .* has an entry already/,
  ],
  [
    'a record of another length',
    to => {
      const at = to.region.shape.breakers.directoryLong
      to.memory.longs[at] = (to.memory.longs[at] ?? 0n) + 1n
    },
    /^entry 0, .* need \d+ lines, not \d+/,
  ],
  [
    'a name that is not UTF-8',
    word(from => from.region.shape.breakers.definitions + 5, -1),
    /^definition 0, NAME is ffffffff/,
  ],
  [
    'a published definition that is free',
    long(
      from => from.region.shape.breakers.definitions / 2,
      () => 0n,
    ),
    /^definition 0, HOLDER is 0x0: free, yet/,
  ],
  [
    "a dead maker's definition",
    long(
      from => (from.region.shape.breakers.definitions + 5 * DEFINITION_WORDS) / 2,
      () => packThread(true, 0, { thread: 77, parent: 0 }),
    ),
    /^definition 5, HOLDER .* thread 77, which is not alive/,
  ],
  [
    'a word beyond the last record',
    to => {
      const { arena, arenaLines } = to.region.shape.breakers
      to.memory[arena + arenaLines * LINE_WORDS - 1] = 5
    },
    /^arena, word \d+ is 0x5/,
  ],
]

export const RECORDS: Plant[] = [
  [
    'a state that is none',
    word(from => from.cells.row.state, 7),
    /"row", word 0, STATE .* state 7/,
  ],
  ['a sign', word(from => from.cells.row.state, -8), /"row", word 0, STATE .* more than 31 bits/],
  ['a word behind it', word(from => from.cells.row.state + 1, 1), /"row", word 1, unused is 0x1/],
  [
    'STATE beside its NEXT',
    word(from => from.cells.row.state, 1),
    /"row", word 32, NEXT decided state 0, STATE says 1/,
  ],
  [
    'a generation without its NEXT',
    word(from => from.cells.row.state, packState(5, 0, 1)),
    /"row", word 34, NEXT .* tagged 0, not 5/,
  ],
  [
    'a decision that nobody published',
    recordLong('row', RECORD.NEXT_LONG + 1, packNext(1, 1, 5000)),
    /"row", word 34, NEXT .* tagged 1, beside generation 0/,
  ],
  [
    'SINCE in the future',
    recordLong('row', RECORD.SINCE_LONG, packTimed(0, 1e9)),
    /"row", word 36, SINCE says 1000000000 ms/,
  ],
  [
    'SINCE of no neighbour',
    recordLong('row', RECORD.SINCE_LONG + 1, packTimed(9, 0)),
    /"row", word 38, SINCE is tagged 9/,
  ],
  [
    'openings while closed',
    recordLong('row', RECORD.OPENINGS_LONG, packTagged(1, 3)),
    /"row", word 40, OPENINGS says 3 while closed/,
  ],
  [
    'a trip of a generation to come',
    recordLong('row', RECORD.TRIP_CALLS_LONG + 1, packTagged(8, 3)),
    /"row", word 46, TRIP is tagged 8/,
  ],
  [
    'a reason that is too long',
    recordLong('row', RECORD.REASON_LONG, packTagged(1, 129)),
    /"row", word 56, REASON says 129 bytes/,
  ],
  [
    'a place of a generation to come',
    long(
      from => placeLong(from.cells.row),
      () => packPlace(4, 1, 1, 1),
    ),
    /"row", word 288, PLACE 0 .* of generation 4/,
  ],
  [
    'a claim while closed',
    long(
      from => placeLong(from.cells.row, 2),
      () => packPlace(0, 1, 1, 1),
    ),
    /"row", word 292, PLACE 1 holds kind 1 of generation 0, which is state 0/,
  ],
  [
    'a lease for ever',
    long(
      from => placeLong(from.cells.row) + 1,
      () => packTimed(0, Number.POSITIVE_INFINITY),
    ),
    /"row", word 288, PLACE 0 has a LEASE until/,
  ],
  [
    'a slot that there is not',
    long(
      from => placeLong(from.cells.row),
      () => packPlace(0, 0, 0, 4),
    ),
    /"row", word 288, PLACE 0 .* no slot 4/,
  ],
  [
    'a full row while closed',
    word(from => from.cells.row.record + from.cells.row.shape.head, packRow(0, 5)),
    /ROW says 5 failures in a row of 5, yet it is closed/,
  ],
  [
    'a row of a generation to come',
    word(from => from.cells.row.record + from.cells.row.shape.head, packRow(1, 1)),
    /ROW is 0x1001, of a generation after 0/,
  ],
  [
    'an outcome that is none',
    word(from => from.cells.count.record + from.cells.count.shape.ring, packRing(0, 1, 6)),
    /RING 0 is 0xf: no such outcome/,
  ],
  [
    'a lap to come',
    word(from => from.cells.count.record + from.cells.count.shape.ring, packRing(0, 3, 0)),
    /RING 0 is of lap 3, HEAD 22 says 0/,
  ],
  [
    'failures enough to open',
    to => {
      const { record, shape } = to.cells.count
      for (let index = 16; index < 22; index++) {
        to.memory[record + shape.ring + index] = packRing(0, 0, 1)
      }
    },
    /RING holds \d failed and \d slow of 10, yet it is closed/,
  ],
  [
    'a stock that waits too long',
    word(from => from.cells.count.record + from.cells.count.shape.stock, 8192 + 4000),
    /STOCK says 4000 outcomes until a sum, \d may be enough/,
  ],
  ['a bucket left turning', word(bucket(BUCKET.STAMP), -1), /STAMP of slot 1, bucket 6, is -1/],
  [
    'a bucket to come',
    word(bucket(BUCKET.STAMP), 16),
    /STAMP of slot 1, .* says bucket 16, now is/,
  ],
  ["another place's bucket", word(bucket(BUCKET.STAMP), 2), /says bucket 2: another place's/],
  ['a turn to come', word(bucket(BUCKET.TURN), 3), /TURN of slot 1, .* is of generation 3/],
  ['outcomes nobody recorded', word(bucket(BUCKET.KINDS), 5000), /know 22 outcomes, .* hold 50/],
  ["a bucket's unused word", word(bucket(7), 1), /unused of slot 1, bucket 6, is 0x1/],
  ['a shard that nobody had', long(shard(3, 0), () => 1n), /shard 3 is 0x1, yet no thread ever/],
  [
    'more ended than admitted',
    long(shard(1, TOTAL.LATE), () => 9n),
    /totals of slot 1 count 9 more/,
  ],
  ['a call in flight', long(shard(1, TOTAL.ADMITTED), () => 25n), /totals leave 1 calls in flight/],
  ['a total below zero', long(shard(1, TOTAL.REFUSED), () => -1n), /REFUSED of slot 1 is -1/],
  ['more slow than all', long(shard(1, TOTAL.SLOW), () => 99n), /SLOW of slot 1 is 99 of 22/],
  [
    'a duty that is never due',
    long(summary(SUMMARY.DUTY_LONG), () => packTimed(1, 1e9)),
    /DUTY is due at 1000000000 ms/,
  ],
  [
    'a sum of a round to come',
    long(summary(SUMMARY.CALLS_LONG), () => packTagged(4000, 1)),
    /SUMMARY CALLS is of round 4000/,
  ],
]
