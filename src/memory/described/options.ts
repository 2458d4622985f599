/** The options of a breaker, in the region's defaults and in each definition. */
import { MAX_TRIALS, OPTION, OPTION_COUNT } from '../layout.ts'
import { MAX_ROW } from '../words/windows.ts'
import type { Struct, Word } from './types.ts'
import { FIRST } from './writers.ts'

const DOUBLE = 8

const TEN_YEARS = '10 years'

/** Legal values and the name that users know, by layout's OPTION. */
const MEANINGS: Record<keyof typeof OPTION, readonly [legal: string, meaning: string]> = {
  WINDOW: ['0 time, 1 count, 2 consecutive', 'The kind of window.'],
  WINDOW_LENGTH: [
    `(0, ${TEN_YEARS}], 1 .. 16,384, 1 .. ${MAX_ROW.toLocaleString('en')}`,
    'durationMs (at least 1 ms a bucket), size, failures.',
  ],
  BUCKETS: ['1 .. 1,024', 'Of a time window; else 1.'],
  FAILURE_RATE: ['(0, 1]', 'failureRateThreshold.'],
  MINIMUM_CALLS: ['1 .. 1,000,000', 'minimumNumberOfCalls.'],
  SLOW_DURATION_MS: [`[0, ${TEN_YEARS}], Infinity = off`, 'slowCallDurationThresholdMs.'],
  SLOW_RATE: ['(0, 1]', 'slowCallRateThreshold.'],
  WAIT_INITIAL_MS: [`[0, ${TEN_YEARS}]`, 'Of the first opening in a row.'],
  WAIT_MULTIPLIER: ['[1, 1000]', 'From one opening to the next.'],
  WAIT_MAX_MS: [`[0, ${TEN_YEARS}]`, 'The longest.'],
  WAIT_JITTER: ['[0, 1]', 'The part of the wait that is random.'],
  TRIALS: [`1 .. ${MAX_TRIALS}`, 'permittedNumberOfCallsInHalfOpenState.'],
  TRIAL_FAILURE_RATE: [
    '(0, 1], 0 = unset',
    'halfOpenFailureRateThreshold; unset: one failed trial opens.',
  ],
  TRIAL_TIMEOUT_MS: [`(0, ${TEN_YEARS}]`, 'trialTimeoutMs: how long a lease is.'],
  HANGING: [
    '0, 1 = yes, with a time window and a slow threshold',
    'countHangingCalls: calls in flight are told by age.',
  ],
}

function wordOf(name: keyof typeof OPTION): Word {
  const [legal, meaning] = MEANINGS[name]
  return {
    name,
    offset: OPTION[name] * DOUBLE,
    type: 'f64',
    class: 'fixed',
    writers: 'the maker of the region or the breaker',
    legal,
    meaning,
    since: FIRST,
  }
}

export const OPTIONS_STRUCT: Struct = {
  name: 'options',
  title: 'Options',
  about: "The region's defaults, and a part of each definition.",
  size: OPTION_COUNT * DOUBLE,
  alignment: 8,
  ownLine: false,
  inHeader: true,
  words: (Object.keys(OPTION) as (keyof typeof OPTION)[]).map(wordOf),
}
