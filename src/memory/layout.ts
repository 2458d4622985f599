/**
 * Where everything stands in a region. Nothing but offsets, each derived from the one before it;
 * described/ says what they mean; `npm run layout` makes native-layout/ of both.
 *
 * Offsets count 32-bit words unless the name ends in `Long` or `Double` (64-bit units). Parts that
 * different threads write start on lines of their own: 128 bytes, a pair of cache lines, because
 * processors fetch lines in pairs.
 */

export const MAGIC = 0x42555342 // 'BUSB'
export const LAYOUT_VERSION = 1

export const LINE_WORDS = 32
export const LINE_BYTES = LINE_WORDS * 4

export function linesFor(words: number): number {
  return Math.ceil(words / LINE_WORDS) * LINE_WORDS
}

// ---- header -----------------------------------------------------------------------------------

export const HEADER = {
  MAGIC: 0, // written last
  VERSION: 1,
  MAX_BREAKERS: 2,
  MAX_THREADS: 3,
  ARENA_LINES: 4,
  CLOCK: 5, // CLOCK_MONOTONIC or CLOCK_MANUAL
  SEED: 6, // and 7: random, names the region and seeds the jitter
  ORIGIN_DOUBLE: 4, // words 8, 9
  DEFAULT_TIMEOUT_DOUBLE: 5, // words 10, 11
  TICK_MS_DOUBLE: 6, // words 12, 13; 0: made without a keeper
  MAX_CONTROLS: 14,
  CONTROL_LINES: 15,
  // a line that any thread may write
  MANUAL_CLOCK_LONG: LINE_WORDS / 2,
  SLOTS_USED: LINE_WORDS + 2,
  DAMAGED: LINE_WORDS + 3,
  OVERFLOW_USED: LINE_WORDS + 4,
  ACTIVE: LINE_WORDS + 5,
  THREADS_WITHOUT_SLOT: LINE_WORDS + 6,
  EXPORTER_LONG: LINE_WORDS / 2 + 4, // words 8, 9 of the line
  // a line that only the keeper writes while it is awake, and every call reads
  TICK: 2 * LINE_WORDS,
  // a line that transitions write, and threads that listen sleep on
  JOURNAL_HEAD: 3 * LINE_WORDS,
} as const

export const HEADER_WORDS = 4 * LINE_WORDS

/** The most slots that a region may have: their numbers are part of trial places. */
export const MAX_THREADS = 1023

export const CLOCK_MONOTONIC = 0
export const CLOCK_MANUAL = 1

// ---- options of a breaker: doubles, in this order -----------------------------------------------

export const OPTION = {
  WINDOW: 0, // WINDOW_TIME, WINDOW_COUNT or WINDOW_CONSECUTIVE
  WINDOW_LENGTH: 1, // durationMs, size or failures
  BUCKETS: 2, // 1 unless a time window
  FAILURE_RATE: 3,
  MINIMUM_CALLS: 4,
  SLOW_DURATION_MS: 5, // Infinity: off
  SLOW_RATE: 6,
  WAIT_INITIAL_MS: 7,
  WAIT_MULTIPLIER: 8,
  WAIT_MAX_MS: 9,
  WAIT_JITTER: 10,
  TRIALS: 11,
  TRIAL_FAILURE_RATE: 12, // 0: unset, one failed trial opens
  TRIAL_TIMEOUT_MS: 13,
  HANGING: 14, // 1: calls in flight count as slow once they are
} as const

export const OPTION_COUNT = 15

export const WINDOW_TIME = 0
export const WINDOW_COUNT = 1
export const WINDOW_CONSECUTIVE = 2

// ---- definition: a breaker's name and options, fixed while an entry names it -------------------

export const MAX_NAME_BYTES = 255

const FIRST_WORD = 5 + Math.ceil(MAX_NAME_BYTES / 4)
const OPTIONS_DOUBLE = Math.ceil((FIRST_WORD + 4) / 2)

export const DEFINITION = {
  HOLDER_LONG: 0, // the thread that fills it, 0 = free
  CREATED_DOUBLE: 1,
  NAME_BYTES: 4,
  NAME: 5, // four bytes a word
  FIRST: FIRST_WORD, // the first generation of its record that is this breaker's
  MAX_KEYS: FIRST_WORD + 1, // of a keyed breaker: how many of its group there may be; else 0
  PREFIX_LENGTH: FIRST_WORD + 2, // of its name, in UTF-16 units: its group
  MOST_TRIALS: FIRST_WORD + 3, // under any options that it has had
  OPTIONS_DOUBLE, // in force
  MADE_DOUBLE: OPTIONS_DOUBLE + OPTION_COUNT, // as it was made
  LONGEST_WAIT_DOUBLE: OPTIONS_DOUBLE + 2 * OPTION_COUNT, // under any options that it has had
  LONGEST_LEASE_DOUBLE: OPTIONS_DOUBLE + 2 * OPTION_COUNT + 1,
} as const

export const DEFINITION_WORDS = linesFor((DEFINITION.LONGEST_LEASE_DOUBLE + 1) * 2)

// ---- record of a breaker ------------------------------------------------------------------------

/** How many states there are: state numbers are below it. */
export const STATES = 6

export const MAX_TRIALS = 64
export const MAX_REASON_BYTES = 128
export const REASON_LONGS = 1 + MAX_REASON_BYTES / 4 // its length in bytes, then four bytes each

/** Words that belong to one generation come in two, taken in turn: index + (generation & 1). */
const CONTROL_WORDS = LINE_WORDS
const NEXT_LONG = CONTROL_WORDS / 2
const SINCE_LONG = NEXT_LONG + 2
const OPENINGS_LONG = SINCE_LONG + 2
const TRIP_CALLS_LONG = OPENINGS_LONG + 2
const TRIP_FAILURES_LONG = TRIP_CALLS_LONG + 2
const TRIP_SLOW_LONG = TRIP_FAILURES_LONG + 2
const REASON_LONG = TRIP_SLOW_LONG + 2
const TRANSITIONS_LONG = REASON_LONG + 2 * REASON_LONGS
const TRIALS_START = linesFor((TRANSITIONS_LONG + STATES * STATES) * 2)

export const RECORD = {
  STATE: 0,
  NEXT_LONG,
  SINCE_LONG,
  OPENINGS_LONG,
  TRIP_CALLS_LONG,
  TRIP_FAILURES_LONG,
  TRIP_SLOW_LONG,
  REASON_LONG,
  REASON_STRIDE_LONGS: REASON_LONGS,
  TRANSITIONS_LONG, // one from each state (row) to each (column)
  TRIALS_START,
} as const

/** A trial's place: PLACE, then LEASE. */
export const PLACE_LONGS = 2

/** The line of the periodic sum, longs from its start. */
export const SUMMARY = {
  DUTY_LONG: 0,
  AT_LONG: 1,
  GENERATION_LONG: 2,
  CALLS_LONG: 3,
  FAILURES_LONG: 4,
  SLOW_LONG: 5,
  SLOW_FAILURES_LONG: 6,
} as const

/** The totals at the start of each shard, longs from its start. */
export const TOTAL = {
  ADMITTED: 0,
  SUCCEEDED: 1,
  FAILED: 2,
  SLOW: 3,
  IGNORED: 4,
  LATE: 5,
  REFUSED: 6,
  ABANDONED: 7,
} as const

const TOTALS_WORDS = 16

/** Counters of durations: octaves from DURATION_UNIT_MICROS on, in equal steps; below; above. */
export const DURATION_UNIT_MICROS = 100
export const DURATION_OCTAVES = 23
export const DURATION_STEPS = 10
export const DURATION_COUNTERS = 1 + DURATION_OCTAVES * DURATION_STEPS + 1

/** What a thread counts for people besides its totals, longs from the start of its tally. */
export const TALLY = {
  REFUSED_HALF_OPEN: 0,
  REFUSED_FORCED_OPEN: 1,
  LOCAL_STALLS: 2,
  MICROS: 3,
  DURATIONS: 4,
  USED_DOUBLE: 4 + DURATION_COUNTERS, // when this thread looked the breaker up by its key
  FIRST: (4 + DURATION_COUNTERS + 1) * 2, // a word: of which breaker these and its totals are
} as const

export const TALLY_WORDS = linesFor(TALLY.FIRST + 1)

export const KINDS = 4

/** A time window's bucket in an owner's shard: stamp, turn, then one counter for each kind. */
export const BUCKET = { STAMP: 0, TURN: 1, KINDS: 2 } as const
export const BUCKET_WORDS = 8

/** A bucket in the overflow shard: its epoch, then one tagged counter for each kind. */
export const OVERFLOW_BUCKET_LONGS = 1 + KINDS

/**
 * Where calls in flight are told by age: after the buckets of an owner's shard. First those that
 * hang (TURN, COUNT), then a ring of buckets (STAMP, TURN, COUNT) by when the calls began.
 */
export const HUNG = { TURN: 0, COUNT: 1 } as const
export const AGE = { STAMP: 0, TURN: 1, COUNT: 2 } as const
export const AGE_WORDS = 4
/** Calls hang that began as many buckets ago; the current one and a spare come on top. */
export const AGE_STEPS = 16
export const AGE_BUCKETS = AGE_STEPS + 4
const AGES_WORDS = AGE_WORDS + AGE_BUCKETS * AGE_WORDS

/** Indices of a count window that may be taken and not filled without shortening the window. */
export const SPARE_OUTCOMES = 64

/** Offsets of one breaker's record, in words from its start, which is a multiple of LINE_WORDS. */
export interface RecordShape {
  readonly trials: number
  readonly stock: number
  readonly summary: number
  /** Count windows: HEAD. Consecutive windows: ROW. */
  readonly head: number
  readonly ring: number
  /** A power of two, or 0. */
  readonly ringCapacity: number
  readonly shards: number
  readonly overflowWords: number
  readonly shardWords: number
  /** In each owner's shard, from its start; 0 where calls in flight are not told by age. */
  readonly ages: number
  readonly tallies: number
  readonly buckets: number
  /** The whole record, in lines. */
  readonly lines: number
}

/** Computes the shape of a record from what it depends on. Shard 0 is the overflow shard. */
export function shapeOf(
  options: { window: number; length: number; buckets: number; hanging: number },
  maxThreads: number,
): RecordShape {
  const counts = options.window === WINDOW_COUNT
  const ringCapacity = counts ? 2 ** Math.ceil(Math.log2(options.length + SPARE_OUTCOMES)) : 0
  const buckets = options.window === WINDOW_TIME ? options.buckets : 0
  const trials = RECORD.TRIALS_START
  const stock = trials + linesFor(MAX_TRIALS * PLACE_LONGS * 2)
  const summary = stock + LINE_WORDS
  const head = summary + LINE_WORDS
  const ring = head + LINE_WORDS
  const shards = ring + linesFor(ringCapacity)
  const counted = TOTALS_WORDS + buckets * BUCKET_WORDS
  const isAged = options.hanging !== 0
  const shardWords = linesFor(counted + (isAged ? AGES_WORDS : 0))
  const ages = isAged ? counted : 0
  const overflowWords = linesFor(TOTALS_WORDS + buckets * OVERFLOW_BUCKET_LONGS * 2)
  const tallies = shards + overflowWords + maxThreads * shardWords
  const words = tallies + (maxThreads + 1) * TALLY_WORDS
  const before = { trials, stock, summary, head, ring, ringCapacity }
  const sharded = { shards, overflowWords, shardWords, ages, tallies, buckets }
  return { ...before, ...sharded, lines: words / LINE_WORDS }
}

/** Where a shard's buckets start, in words from the shard's start. */
export const SHARD_BUCKETS = TOTALS_WORDS

// ---- journal: the last transitions of all breakers ----------------------------------------------

/** A power of two. */
export const JOURNAL_ENTRIES = 1024

/** An entry, longs from its start. All but KEY are tagged with its number + 1. */
export const JOURNAL = {
  KEY_LONG: 0,
  TIME_LONG: 1,
  BY_LONG: 2,
  CALLS_LONG: 3,
  FAILURES_LONG: 4,
  SLOW_LONG: 5,
  REASON_LONG: 6, // as in a record
} as const

export const JOURNAL_LONGS = linesFor((JOURNAL.REASON_LONG + REASON_LONGS) * 2) / 2
