/** The breakers of the soak, and their counters set to just before they wrap. */
import type { BreakerOptions, Registry } from '../../src/index.ts'
import {
  DEFINITION,
  DEFINITION_WORDS,
  HEADER,
  JOURNAL,
  JOURNAL_ENTRIES,
  JOURNAL_LONGS,
  LINE_WORDS,
  PLACE_LONGS,
  RECORD,
  STATES,
  SUMMARY,
  shapeOf,
  TALLY,
  TALLY_WORDS,
  TOTAL,
  WINDOW_CONSECUTIVE,
  WINDOW_COUNT,
  WINDOW_TIME,
} from '../../src/memory/layout.ts'
import { BY_HAND, entryTag, packBy, packKey } from '../../src/memory/words/journal.ts'
import { CLOSED, GENERATION_BITS, OPEN, packNext, packState } from '../../src/memory/words/state.ts'
import {
  definitionOf,
  linesOf,
  packEntry,
  packMaking,
  packThread,
} from '../../src/memory/words/threads.ts'
import { packTagged, packTimed } from '../../src/memory/words/timed.ts'
import { CLAIM_MASK, FREE, packPlace } from '../../src/memory/words/trials.ts'
import { packRow } from '../../src/memory/words/windows.ts'
import { Parts } from '../../src/verify/format.ts'
import { readOptions } from '../../src/verify/format-breaker.ts'

export const MAX_WAIT_MS = 160
export const JITTER = 0.2
export const TRIAL_TIMEOUT_MS = 300

const COMMON = {
  waitDurationInOpenStateMs: { initialMs: 20, multiplier: 2, maxMs: MAX_WAIT_MS, jitter: JITTER },
  permittedNumberOfCallsInHalfOpenState: 3,
  trialTimeoutMs: TRIAL_TIMEOUT_MS,
} as const

/** Every window, slow calls, trials by rate, and one that never opens and takes half of the calls. */
export const BREAKERS: Record<string, BreakerOptions> = {
  steady: { failureRateThreshold: 1 },
  time: { ...COMMON, slidingWindow: { type: 'time', durationMs: 1000, buckets: 10 } },
  slow: {
    ...COMMON,
    slidingWindow: { type: 'time', durationMs: 500, buckets: 50 },
    slowCallDurationThresholdMs: 50,
    slowCallRateThreshold: 0.4,
  },
  count: { ...COMMON, slidingWindow: { type: 'count', size: 100 } },
  'count, odd': { ...COMMON, slidingWindow: { type: 'count', size: 7 }, minimumNumberOfCalls: 5 },
  row: { ...COMMON, slidingWindow: { type: 'consecutive', failures: 5 } },
  rate: {
    ...COMMON,
    slidingWindow: { type: 'count', size: 20 },
    permittedNumberOfCallsInHalfOpenState: 5,
    halfOpenFailureRateThreshold: 0.5,
  },
}

/** Removed and made again, over and over, and counted by nobody. */
export const FLEETING = {
  name: 'fleeting',
  options: { ...COMMON, slidingWindow: { type: 'consecutive', failures: 5 } },
} as const

/** Keys come and go: there are more than there is room for. */
export const KEYED = {
  prefix: 'key',
  keys: 12,
  options: { ...FLEETING.options, max: 5, overflow: 'shared' },
} as const

/** The breakers are none of the first: they began with this generation, which is even as well. */
const FIRST = 2 ** GENERATION_BITS - 2040
/** Even, so that one that closes and opens by turns from the first on is closed now. */
const GENERATION = 2 ** GENERATION_BITS - 40
/** Of entries and of makings. */
const EDITION = 2 ** 20 - 6
const SEQUENCE = 2 ** 26 - 40
/** The number of the next entry of the journal. */
const HEAD = -100
const NEAR_32_BITS = 2n ** 32n - 100_000n
const FENCE = 8190

/** Makes the breakers and moves every counter to just before its wrap. Nobody may use them yet. */
export function setUp(registry: Registry): void {
  for (const [name, options] of Object.entries(BREAKERS)) registry.breaker(name, options)
  // One moment for all of them, after they were made.
  const parts = new Parts(registry.handle.buffer, Math.ceil(registry.now() * 1000))
  const { breakers } = parts
  let record = breakers.arena
  for (const index of Object.keys(BREAKERS).keys()) {
    const long = breakers.directory / 2 + index
    const entry = parts.memory.longs[long] ?? 0n
    const definition = breakers.definitions + definitionOf(entry) * DEFINITION_WORDS
    const { numbers } = readOptions(parts, definition + DEFINITION.OPTIONS_DOUBLE * 2)
    const window = [WINDOW_TIME, WINDOW_COUNT, WINDOW_CONSECUTIVE][numbers.window] ?? WINDOW_TIME
    const { length, buckets, trials, hanging } = numbers
    const shape = shapeOf({ window, length, buckets, hanging }, parts.maxThreads)
    parts.memory[definition + DEFINITION.FIRST] = FIRST
    parts.memory.longs[long] = packEntry(EDITION, definitionOf(entry), linesOf(entry))
    jump(parts, record, shape, window)
    jumpPlaces(parts, record, trials)
    jumpTransitions(parts, record)
    record += linesOf(entry) * LINE_WORDS
  }
  const making = { sequence: SEQUENCE, definition: -1, entry: 0 }
  parts.memory.longs[breakers.making / 2] = packMaking(making)
  jumpJournal(parts)
  jumpSlots(parts)
}

function jump(parts: Parts, record: number, shape: ReturnType<typeof shapeOf>, window: number) {
  const { memory: words } = parts
  const { longs } = words
  const now = parts.now / 1000
  const control = record / 2
  words[record + RECORD.STATE] = packState(GENERATION, CLOSED, EDITION)
  const [mine, other] = [GENERATION & 1, ~GENERATION & 1]
  longs[control + RECORD.NEXT_LONG + mine] = packNext(GENERATION, CLOSED, now)
  longs[control + RECORD.NEXT_LONG + other] = packNext(GENERATION - 1, OPEN, now)
  longs[control + RECORD.SINCE_LONG + mine] = packTimed(GENERATION, now)
  longs[control + RECORD.SINCE_LONG + other] = packTimed(GENERATION - 1, now)
  longs[control + RECORD.OPENINGS_LONG + mine] = packTagged(GENERATION + 1, 0)
  longs[control + RECORD.OPENINGS_LONG + other] = packTagged(GENERATION, 1)
  if (window === WINDOW_COUNT) words[record + shape.head] = -50_000
  if (window === WINDOW_CONSECUTIVE) words[record + shape.head] = packRow(GENERATION, 0)
  else words[record + shape.stock] = ((2 ** 18 - 50) << 14) | 8193
  if (window === WINDOW_TIME) {
    const summary = (record + shape.summary) / 2
    longs[summary + SUMMARY.DUTY_LONG] = packTimed(FENCE, 0)
    longs[summary + SUMMARY.AT_LONG] = packTimed(FENCE, 0)
    for (let long = SUMMARY.GENERATION_LONG; long <= SUMMARY.SLOW_FAILURES_LONG; long++) {
      longs[summary + long] = packTagged(FENCE, 0)
    }
    longs[summary + SUMMARY.GENERATION_LONG] = packTagged(FENCE, GENERATION)
  }
  for (let slot = 1; slot <= parts.maxThreads; slot++) {
    const shard = record + shape.shards + shape.overflowWords + (slot - 1) * shape.shardWords
    longs[shard / 2 + TOTAL.ADMITTED] = NEAR_32_BITS
    longs[shard / 2 + TOTAL.SUCCEEDED] = NEAR_32_BITS
    longs[shard / 2 + TOTAL.REFUSED] = NEAR_32_BITS
    words[record + shape.tallies + slot * TALLY_WORDS + TALLY.FIRST] = FIRST
  }
}

/** As often to open as back, and that last. */
function jumpTransitions(parts: Parts, record: number): void {
  const { longs } = parts.memory
  const counts = record / 2 + RECORD.TRANSITIONS_LONG
  longs[counts + CLOSED * STATES + OPEN] = packTagged(GENERATION, (GENERATION - FIRST) / 2)
  longs[counts + OPEN * STATES + CLOSED] = packTagged(GENERATION + 1, (GENERATION - FIRST) / 2)
}

/** Full of transitions by command, of the breakers in turn. */
function jumpJournal(parts: Parts): void {
  const { longs } = parts.memory
  const breakers = Object.keys(BREAKERS).length
  for (let back = 0; back < JOURNAL_ENTRIES; back++) {
    const number = HEAD - 1 - back
    const generation = GENERATION - Math.floor(back / breakers)
    const [from, to] = generation % 2 === 0 ? [OPEN, CLOSED] : [CLOSED, OPEN]
    const at = parts.journal / 2 + (number & (JOURNAL_ENTRIES - 1)) * JOURNAL_LONGS
    const key = { breaker: back % breakers, generation, from, to }
    const tag = entryTag(number)
    longs[at + JOURNAL.KEY_LONG] = packKey(number, key)
    longs[at + JOURNAL.TIME_LONG] = packTimed(tag, parts.now / 1000)
    longs[at + JOURNAL.BY_LONG] = packTagged(tag, packBy(0, BY_HAND))
  }
  parts.memory[HEADER.JOURNAL_HEAD] = HEAD
}

/** Free places, last used in the generation before. */
function jumpPlaces(parts: Parts, record: number, trials: number): void {
  for (let place = 0; place < trials; place++) {
    const at = (record + RECORD.TRIALS_START) / 2 + place * PLACE_LONGS
    parts.memory.longs[at] = packPlace(GENERATION - 1, FREE, CLAIM_MASK - 20, 0)
  }
}

/** Every slot was used before, 2,040 times. This thread's own stays as it is. */
function jumpSlots(parts: Parts): void {
  parts.memory[HEADER.SLOTS_USED] = parts.maxThreads
  for (let slot = 1; slot <= parts.maxThreads; slot++) {
    const at = parts.threads / 2 + slot
    if (parts.memory.longs[at] !== 0n) continue
    parts.memory.longs[at] = packThread(false, 2040, { thread: 0, parent: 0 })
  }
}
