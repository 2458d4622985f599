/** Limits, and what the numbers in words mean. */
import {
  BULKHEAD,
  CONTROL_BUCKETS,
  HOST,
  HOST_BUCKETS,
  HOST_GROUP,
  MAX_EJECTED,
  MAX_PLACES,
  RETRY_BUDGET,
  THROTTLE,
} from '../controls.ts'
import {
  AGE_BUCKETS,
  AGE_STEPS,
  CLOCK_MANUAL,
  CLOCK_MONOTONIC,
  DURATION_COUNTERS,
  DURATION_OCTAVES,
  DURATION_STEPS,
  DURATION_UNIT_MICROS,
  JOURNAL_ENTRIES,
  KINDS,
  LAYOUT_VERSION,
  LINE_BYTES,
  MAGIC,
  MAX_NAME_BYTES,
  MAX_REASON_BYTES,
  MAX_THREADS,
  MAX_TRIALS,
  OPTION_COUNT,
  SPARE_OUTCOMES,
  STATES,
  WINDOW_CONSECUTIVE,
  WINDOW_COUNT,
  WINDOW_TIME,
} from '../layout.ts'
import { SPARE_DEFINITIONS } from '../region-shape.ts'
import { UNKNOWN_THREAD } from '../words/journal.ts'
import { CLOSED, DISABLED, FORCED_OPEN, HALF_OPEN, METRICS_ONLY, OPEN } from '../words/state.ts'
import { DEAD_PARENT, FIRST_NATIVE_THREAD, NO_PARENT } from '../words/threads.ts'
import { ASLEEP, FIRST_TICK, LAST_TICK, NO_KEEPER } from '../words/tick.ts'
import { MAX_MICROS } from '../words/timed.ts'
import { CLAIMED, FAILED, FIRST_TRIAL_PERMIT, FREE, SUCCEEDED } from '../words/trials.ts'
import { MAX_ROW, MAX_STOCK, STAMP_BITS, STOCK_BIAS, TURNING } from '../words/windows.ts'
import type { Constant, Enumeration } from './types.ts'

function constant(name: string, value: number, meaning: string): Constant {
  return { name, value, meaning }
}

export const CONSTANTS: readonly Constant[] = [
  constant('MAGIC', MAGIC, 'in MAGIC when the region is whole'),
  constant('LAYOUT_VERSION', LAYOUT_VERSION, 'of this description'),
  constant('LINE_BYTES', LINE_BYTES, 'what different threads write is so far apart'),
  constant('MAX_THREADS', MAX_THREADS, 'the most slots, besides slot 0'),
  constant('MAX_NAME_BYTES', MAX_NAME_BYTES, 'the longest name, in UTF-8'),
  constant('MAX_REASON_BYTES', MAX_REASON_BYTES, 'the longest reason that is kept, in UTF-8'),
  constant('MAX_TRIALS', MAX_TRIALS, 'the most trials in half-open'),
  constant('OPTION_COUNT', OPTION_COUNT, 'doubles in options'),
  constant('KINDS', KINDS, 'of outcomes that windows count'),
  constant('SPARE_OUTCOMES', SPARE_OUTCOMES, 'words of a ring beyond the window'),
  constant('STATES', STATES, 'how many states there are'),
  constant('JOURNAL_ENTRIES', JOURNAL_ENTRIES, 'transitions that are remembered'),
  constant('AGE_STEPS', AGE_STEPS, 'a call has hung for sure when more steps have passed'),
  constant('AGE_BUCKETS', AGE_BUCKETS, 'of ages in a shard'),
  constant('CONTROL_BUCKETS', CONTROL_BUCKETS, "of a throttle's or a retry budget's window"),
  constant('HOST_BUCKETS', HOST_BUCKETS, "of a host's: the interval and the one before"),
  constant('MAX_PLACES', MAX_PLACES, 'the most places of a bulkhead, and of its queue'),
  constant('MAX_EJECTED', MAX_EJECTED, 'the most hosts of a group that are ejected at a time'),
  constant('DURATION_UNIT_MICROS', DURATION_UNIT_MICROS, 'where the first octave begins'),
  constant('DURATION_OCTAVES', DURATION_OCTAVES, 'of durations that are told apart'),
  constant('DURATION_STEPS', DURATION_STEPS, 'in each octave, of equal length'),
  constant('DURATION_COUNTERS', DURATION_COUNTERS, 'one below, the steps, one above'),
  constant('UNKNOWN_THREAD', UNKNOWN_THREAD, 'in BY: the maker has not said who it is'),
  constant('SPARE_DEFINITIONS', SPARE_DEFINITIONS, 'beyond one a breaker and one a thread'),
  constant('LAST_TICK', LAST_TICK, 'the next tick is 1'),
  constant('TURNING', TURNING, 'in STAMP while the owner turns the bucket over'),
  constant('STAMP_BITS', STAMP_BITS, 'of a bucket number that stand in STAMP'),
  constant('STOCK_BIAS', STOCK_BIAS, 'added to what is left in STOCK'),
  constant('MAX_STOCK', MAX_STOCK, 'the most outcomes that may pass between two sums'),
  constant('MAX_ROW', MAX_ROW, 'the longest row that can be counted'),
  constant('DEAD_PARENT', DEAD_PARENT, 'the parent of a thread that is known to be dead'),
  constant('NO_PARENT', NO_PARENT, "the parent of a thread that no thread of Node's started"),
  constant('FIRST_NATIVE_THREAD', FIRST_NATIVE_THREAD, "threads that are not Node's, from here on"),
  constant('FOR_EVER', MAX_MICROS, 'the greatest time, in microseconds'),
  constant('FIRST_TRIAL_PERMIT', FIRST_TRIAL_PERMIT, "permits from here on are trials'"),
]

export const ENUMERATIONS: readonly Enumeration[] = [
  {
    name: 'state',
    word: 'STATE, NEXT',
    values: [
      constant('CLOSED', CLOSED, 'calls pass and are counted'),
      constant('OPEN', OPEN, 'calls are refused until the wait is over'),
      constant('HALF_OPEN', HALF_OPEN, 'trials pass'),
      constant('FORCED_OPEN', FORCED_OPEN, 'calls are refused until a command'),
      constant('DISABLED', DISABLED, 'calls pass and are not counted in a window'),
      constant('METRICS_ONLY', METRICS_ONLY, 'calls pass and are counted; nothing opens'),
    ],
  },
  {
    name: 'place_kind',
    word: 'PLACE',
    values: [
      constant('PLACE_FREE', FREE, 'nobody tries here'),
      constant('PLACE_CLAIMED', CLAIMED, 'a trial runs until its lease is over'),
      constant('PLACE_SUCCEEDED', SUCCEEDED, 'the trial succeeded'),
      constant('PLACE_FAILED', FAILED, 'the trial failed'),
    ],
  },
  {
    name: 'window',
    word: 'window',
    values: [
      constant('WINDOW_TIME', WINDOW_TIME, 'the last milliseconds, in buckets'),
      constant('WINDOW_COUNT', WINDOW_COUNT, 'the last outcomes, in a ring'),
      constant('WINDOW_CONSECUTIVE', WINDOW_CONSECUTIVE, 'failures in a row'),
    ],
  },
  {
    name: 'control_kind',
    word: 'KIND of the options of controls',
    values: [
      constant('THROTTLE', THROTTLE, 'refuses some calls of an overloaded dependency'),
      constant('BULKHEAD', BULKHEAD, 'bounds the calls in flight'),
      constant('RETRY_BUDGET', RETRY_BUDGET, 'bounds retries'),
      constant('HOST_GROUP', HOST_GROUP, 'ejects hosts that fail'),
      constant('HOST', HOST, 'one of a host group'),
    ],
  },
  {
    name: 'clock',
    word: 'CLOCK',
    values: [
      constant('CLOCK_MONOTONIC', CLOCK_MONOTONIC, "the machine's monotonic clock"),
      constant('CLOCK_MANUAL', CLOCK_MANUAL, 'MANUAL_CLOCK, moved on by hand'),
    ],
  },
  {
    name: 'keeper',
    word: 'TICK',
    values: [
      constant('NO_KEEPER', NO_KEEPER, 'there is none, or it is gone'),
      constant('KEEPER_ASLEEP', ASLEEP, 'it waits for a notify'),
      constant('FIRST_TICK', FIRST_TICK, 'and above: the number of the tick'),
    ],
  },
  {
    name: 'outcome_kind',
    word: 'kinds, RING',
    values: ['good', 'failed', 'slow', 'slow and failed'].map((kind, value) =>
      constant(
        `KIND_${['GOOD', 'FAILED', 'SLOW', 'SLOW_FAILED'][value]}`,
        value,
        `an outcome that was ${kind}; the ring holds ${value + 1}`,
      ),
    ),
  },
]
