/** Violations in controls and in what tells calls by age, each with the sentence that comes of it. */
import {
  BULKHEAD_OPTION,
  CONTROL,
  HOST_OPTION,
  HOSTS_OPTION,
  THROTTLE_OPTION,
} from '../../src/memory/controls.ts'
import {
  AGE_WORDS,
  BUCKET_WORDS,
  DEFINITION,
  DEFINITION_WORDS,
  HEADER,
  LINE_WORDS,
  SHARD_BUCKETS,
  TALLY,
  TOTAL,
} from '../../src/memory/layout.ts'
import { packAgeCount } from '../../src/memory/words/ages.ts'
import { packEjection, packPlace } from '../../src/memory/words/hosts.ts'
import { packRejection } from '../../src/memory/words/throttle.ts'
import { packTimed } from '../../src/memory/words/timed.ts'
import { packRow } from '../../src/memory/words/windows.ts'
import { shardOf, tallyOf } from '../../src/protocol/cell.ts'
import type { MadeControls } from './support-controls.ts'

export type ControlPlant = [what: string, plant: (made: MadeControls) => void, sentence: RegExp]

type Place = (made: MadeControls) => number

const word = (at: Place, value: number) => (to: MadeControls) => {
  to.memory[at(to)] = value
}
const long = (at: Place, value: bigint) => (to: MadeControls) => {
  to.memory.longs[at(to)] = value
}
/** A word of the control's record. */
const own =
  (name: string, offset: number): Place =>
  made =>
    made.control(name).record + offset
const ownLong =
  (name: string, offset: number): Place =>
  made =>
    made.control(name).record / 2 + offset
const place =
  (name: string, number = 0): Place =>
  made =>
    own(name, made.control(name).shape.places + number)(made)
const queue =
  (offset: number): Place =>
  made =>
    own('k', made.control('k').shape.queue + offset)(made)
const total =
  (name: string, slot: number, offset: number): Place =>
  made =>
    shardOf(made.control(name), slot) / 2 + offset
const bucket =
  (name: string, index: number, offset: number): Place =>
  made =>
    shardOf(made.control(name), 1) + SHARD_BUCKETS + index * BUCKET_WORDS + offset
/** An option in the definition of a control: they were made in the order of their numbers. */
const option =
  (name: string, option: number, value: number) =>
  (to: MadeControls): void => {
    const { definitions } = to.region.shape.controls
    const at = definitions + to.control(name).number * DEFINITION_WORDS
    to.memory.doubles[at / 2 + DEFINITION.OPTIONS_DOUBLE + option] = value
  }
/** Host c, the last but one, is control number 6. */
const C = 6

export const DIRECTORY: ControlPlant[] = [
  ['no controls', word(() => HEADER.MAX_CONTROLS, 0), /^header, MAX_CONTROLS is 0/],
  // In whole pages of WebAssembly's memory a few lines fewer may not show.
  [
    'fewer of their lines',
    word(() => HEADER.CONTROL_LINES, 9),
    /^header, geometry asks for|: its record goes beyond the arena$/,
  ],
  ['a kind that is none', option('t', 0, 5), /^controls, definition 0, KIND is 5: no kind/],
  [
    'an option out of range',
    option('t', THROTTLE_OPTION.K, 0),
    /^controls, definition 0, option K is 0, which is not legal/,
  ],
  [
    'an option of no use',
    option('r', 9, 1),
    /^controls, definition 2, unused option 9 is 1, not 0/,
  ],
  [
    'a longest ejection that is shorter than the first',
    option('g', HOSTS_OPTION.MAX_EJECTION_MS, 1),
    /option MAX_EJECTION_MS is 1, less than BASE_EJECTION_MS/,
  ],
  [
    'more places than the record has',
    option('k', BULKHEAD_OPTION.MAX_CONCURRENT, 4000),
    /^controls, entry 1, ENTRY .* its options need \d+ lines/,
  ],
  [
    'a word behind the last record',
    word(made => made.region.shape.words - 1, 5),
    /^controls, arena, word \d+ is 0x5/,
  ],
  [
    'a word behind the directory',
    word(made => made.region.shape.controls.definitions - 1, 1),
    /^directory of controls, unused word \d+ is 0x1/,
  ],
  [
    'a hole in the directory',
    to => {
      const { directoryLong } = to.region.shape.controls
      to.memory.longs[directoryLong + 10] = to.memory.longs[directoryLong] ?? 0n
    },
    /^controls, entry 10, ENTRY .*, after an empty one/,
  ],
  [
    'a host of no group',
    option('a', HOST_OPTION.GROUP, 1),
    /^host "a", word 0, GROUP is 1, which is no group made before it/,
  ],
  [
    "an interval that is not its group's",
    option('a', HOSTS_OPTION.INTERVAL_MS, 2000),
    /^host "a", word 0, INTERVAL_MS is 2000, that of its group 1000/,
  ],
]

export const OWN: ControlPlant[] = [
  ['a state', word(own('t', CONTROL.STATE), 1), /^throttle "t", word 0, STATE is 0x1, not 0/],
  ['an unused word', word(own('t', 5), 1), /^throttle "t", word 5, unused is 0x1/],
  ["a bulkhead's", word(own('k', LINE_WORDS), 1), /^bulkhead "k", word 32, unused is 0x1/],
  ["a budget's", word(own('r', 1), 1), /^retry budget "r", word 1, unused is 0x1/],
  ["a group's", word(own('g', 2), 1), /^host group "g", word 2, unused is 0x1/],
  ["a host's", word(own('a', 4), 1), /^host "a", word 4, unused is 0x1/],
  ['a word behind the places', word(place('k', 41), 1), /^bulkhead "k", word 105, unused is 0x1/],
  ['a word behind the queue', word(queue(6), 1), /^bulkhead "k", word 134, unused is 0x1/],
  ['a probability of 32 bits', word(own('t', 1), -1), /PROBABILITY is 0xffffffff, more than 31/],
  [
    'a probability above the greatest',
    word(own('t', 1), packRejection(1, 2 ** 23 + 1)),
    /PROBABILITY is 0x1800001, more than 0x800000 in its lower bits/,
  ],
  [
    'a probability that nobody found',
    long(ownLong('t', CONTROL.DUTY_LONG), 0n),
    /PROBABILITY is 0x\w+, yet nobody ever took the duty/,
  ],
  [
    'a duty that is not due',
    long(ownLong('t', CONTROL.DUTY_LONG), packTimed(1, 1e6)),
    /^throttle "t", word 32, DUTY is due at 1000000 ms/,
  ],
  [
    "a group's duty that is not due",
    long(ownLong('g', CONTROL.DUTY_LONG), packTimed(1, 99)),
    /^host group "g", word 32, DUTY is due in interval 99, in interval 5/,
  ],
]

export const PLACES: ControlPlant[] = [
  ['a place of nobody', word(place('k', 3), -1), /PLACE 3 is -1, no number of a thread/],
  [
    'a place of a dead thread',
    word(place('k', 3), 78),
    /PLACE 3 is 78, of a thread that is not al/,
  ],
  ['a place and no call', word(place('k', 3), 1), /PLACES hold 1 calls, by the totals 0 are in fl/],
  ['a place at the end', word(place('k', 3), 1), /PLACE 3 is 1, yet nothing should be in flight/],
  [
    'a call without a place',
    long(total('k', 1, TOTAL.ADMITTED), 25n),
    /PLACES hold 0 calls, by the totals 1 are in flight/,
  ],
  ['a dead thread that waits', word(queue(2), 78), /WAITER 1 is 78, of a thread that is not alive/],
  ['a call that waits unseen', word(queue(2), 1), /WAITING says that nobody waits, .* holds 1/],
  ['a time of 32 bits', word(queue(1), -5), /ARRIVED 0 is -5, more than 31 bits/],
  ['a place of no host', word(place('g'), packPlace(99, 1)), /EJECTED 0 .* control 99 is no host/],
  ['a place of 32 bits', word(place('g'), -1), /EJECTED 0 is 0xffffffff: more than 31 bits/],
  [
    'one ejected host too many',
    word(place('g', 1), packPlace(C, 1)),
    /EJECTED 1 is 0x\w+: 1 of 4 hosts may be ejected/,
  ],
  [
    'a host in two places',
    to => {
      option('g', HOSTS_OPTION.MAX_EJECTION_PERCENT, 100)(to)
      to.memory[place('g', 1)(to)] = to.memory[place('g')(to)] ?? 0
    },
    /EJECTED 1 is 0x\w+: host 4 has a place already/,
  ],
  [
    'an ejection that is too long',
    long(ownLong('c', CONTROL.EJECTION_LONG), packEjection(1, 1, 1e9)),
    /^host "c", word 2, EJECTION ends at 1000000000 ms, .* later than any lasts/,
  ],
  [
    'a row of no episode',
    word(own('c', CONTROL.ROW), packRow(2 ** 14, 1)),
    /^host "c", word 1, ROW is 0x4000001, of no episode/,
  ],
]

export const COUNTS: ControlPlant[] = [
  ['a total below zero', long(total('k', 1, TOTAL.REFUSED), -1n), /REFUSED of slot 1 is -1/],
  [
    'a total that hosts do not count',
    long(total('a', 1, TOTAL.ADMITTED), 3n),
    /^host "a", .* ADMITTED of slot 1 is 3, which this kind does not count/,
  ],
  [
    'one that budgets do not count',
    long(total('r', 1, TOTAL.ABANDONED), 3n),
    /^retry budget "r", .* ABANDONED of slot 1 is 3, which this kind/,
  ],
  [
    'more ended than admitted',
    long(total('t', 1, TOTAL.IGNORED), 99n),
    /^throttle "t", .* totals of slot 1 count \d+ more calls ended than admitted/,
  ],
  ['a call in flight', long(total('t', 1, TOTAL.IGNORED), 0n), /totals leave \d calls in flight/],
  [
    'a shard that nobody had',
    long(total('t', 3, TOTAL.ADMITTED), 1n),
    /shard 3 is 0x1, yet no thread ever had the slot/,
  ],
  ['one of no slot', long(total('t', 0, TOTAL.REFUSED), 1n), /shard 0 is 0x1, yet no thread ever/],
  [
    'a word behind a shard',
    word(made => shardOf(made.control('k'), 1) + SHARD_BUCKETS, 1),
    /^bulkhead "k", .* unused is 0x1, not 0/,
  ],
  [
    'calls that nobody counted',
    word(bucket('t', 2, 3), 9999),
    /^throttle "t", .* buckets of slot 1 hold \d+ calls, its totals know \d+/,
  ],
  [
    'calls of no kind',
    word(bucket('r', 5, 3), 1),
    /^retry budget "r", .* KINDS of slot 1, bucket 5, is 1 in place 1, which this kind/,
  ],
  ['a bucket left turning', word(bucket('t', 2, 0), -1), /STAMP of slot 1, bucket 2, is -1/],
  ['a bucket to come', word(bucket('t', 2, 0), 92), /STAMP of slot 1, .* says bucket 92, now is/],
  ["another place's bucket", word(bucket('t', 2, 0), 51), /says bucket 51: another place's/],
  ['another generation', word(bucket('t', 2, 1), 3), /TURN of slot 1, .* is of generation 3/],
]

const ages =
  (offset: number): Place =>
  ({ cell }) =>
    shardOf(cell, 1) + cell.shape.ages + offset
const bucketOfAge = (index: number, offset: number): Place => ages((1 + index) * AGE_WORDS + offset)

export const AGES: ControlPlant[] = [
  ['an unused word of HUNG', word(ages(2), 1), /unused HUNG of slot 1, is 0x1, not 0/],
  ['an unused word of a bucket', word(bucketOfAge(3, 3), 1), /unused AGE 3 of slot 1, is 0x1/],
  ['a generation to come', word(ages(0), 3), /TURN HUNG of slot 1, is of generation 3/],
  ['a generation of 32 bits', word(bucketOfAge(3, 1), -1), /TURN AGE 3 .* more than 22 bits/],
  ['a bucket left turning', word(bucketOfAge(3, 0), -1), /STAMP AGE 3 of slot 1, is -1: it was/],
  ['a stamp out of range', word(bucketOfAge(3, 0), -7), /STAMP AGE 3 of slot 1, is -7, not in/],
  ["another place's stamp", word(bucketOfAge(3, 0), 4), /STAMP AGE 3 .* is 4: another place's/],
  ['a step to come', word(bucketOfAge(3, 0), 20_003), /STAMP AGE 3 .* is 20003, now is step/],
  [
    'calls that are not in flight',
    word(ages(1), packAgeCount(1, 2)),
    /ages of slot 1 tell of 2 calls, 0 are in flight/,
  ],
  [
    'ages in slot 0',
    word(made => shardOf(made.cell, 0) + made.cell.shape.overflowWords - 1, 1),
    /unused is 0x1, not 0/,
  ],
  [
    'stalls below zero',
    long(({ cell }) => tallyOf(cell, 1) + TALLY.LOCAL_STALLS, -3n),
    /LOCAL_STALLS of slot 1 is -3/,
  ],
  [
    'calls that hang where none can',
    to => {
      const { definitions } = to.region.shape.breakers
      to.memory.doubles[definitions / 2 + DEFINITION.OPTIONS_DOUBLE + 5] = Number.POSITIVE_INFINITY
    },
    /^definition 0, option hanging is 1, yet no call can hang/,
  ],
]
