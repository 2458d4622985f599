/** The options of controls, in their definitions: KIND first, what a kind does not use is 0. */
import {
  BUDGET_OPTION,
  BULKHEAD,
  BULKHEAD_OPTION,
  CONTROL_KIND,
  HOST,
  HOST_GROUP,
  HOST_OPTION,
  HOSTS_OPTION,
  MAX_PLACES,
  RETRY_BUDGET,
  THROTTLE,
  THROTTLE_OPTION,
} from '../controls.ts'
import { OPTION_COUNT } from '../layout.ts'
import type { Struct, StructName, Word } from './types.ts'
import { DEFINED, FIRST } from './writers.ts'

const DOUBLE = 8
const TEN_YEARS = '10 years'
const DAY_MS = '86,400,000'
const PLACES = MAX_PLACES.toLocaleString('en')

type Meaning = readonly [legal: string, meaning: string]

/** `options`: where each stands, and what it says by the name that users know. */
function optionsOf<Name extends string>(
  name: StructName,
  of: string,
  kind: number,
  options: Readonly<Record<Name, number>>,
  meanings: Readonly<Record<Name, Meaning>>,
): Struct {
  const word = (option: string, at: number, [legal, meaning]: Meaning): Word => {
    return { name: option, offset: at * DOUBLE, type: 'f64', ...DEFINED, legal, meaning }
  }
  const names = (Object.keys(options) as Name[]).sort((a, b) => options[a] - options[b])
  const words = [
    word('KIND', CONTROL_KIND, [`${kind}`, 'What the control is.']),
    ...names.map(option => word(option, options[option], meanings[option])),
  ]
  return {
    name,
    title: `Options of a ${of}`,
    about: `In the definition of a ${of}, where breakers have theirs.`,
    size: OPTION_COUNT * DOUBLE,
    alignment: 8,
    ownLine: false,
    inHeader: true,
    words: [...words, ...unusedAfter(words)],
  }
}

/** What stands in none of them, behind the last or between two. */
function unusedAfter(words: readonly Word[]): Word[] {
  const last = words.at(-1)?.offset ?? 0
  const count = OPTION_COUNT - last / DOUBLE - 1
  if (count === 0) return []
  return [
    {
      name: 'UNUSED',
      offset: last + DOUBLE,
      type: 'f64',
      count,
      class: 'unused',
      writers: 'nobody',
      legal: '0',
      meaning: 'What this kind has no use for.',
      since: FIRST,
    },
  ]
}

const PER_SECOND = '[0, 1,000,000]'

export const CONTROL_OPTIONS_STRUCTS: readonly Struct[] = [
  optionsOf('throttle_options', 'throttle', THROTTLE, THROTTLE_OPTION, {
    K: ['[1, 1000]', 'k.'],
    WINDOW_MS: [`[10, ${DAY_MS}]`, 'windowMs.'],
    MINIMUM_PER_SECOND: [PER_SECOND, 'minimumRequestsPerSecond.'],
    MAX_PROBABILITY: ['(0, 1]', 'maxRejectionProbability.'],
  }),
  optionsOf('bulkhead_options', 'bulkhead', BULKHEAD, BULKHEAD_OPTION, {
    MAX_CONCURRENT: [`1 .. ${PLACES}`, 'maxConcurrentCalls.'],
    MAX_QUEUED: [`0 .. ${PLACES}`, 'maxQueuedCalls.'],
    MAX_WAIT_MS: ['(0, 2,147,483,647]', 'maxWaitMs.'],
  }),
  optionsOf('retry_budget_options', 'retry budget', RETRY_BUDGET, BUDGET_OPTION, {
    RATIO: ['[0, 1000]', 'ratio.'],
    MINIMUM_PER_SECOND: [PER_SECOND, 'minimumPerSecond.'],
  }),
  optionsOf('host_group_options', 'host group', HOST_GROUP, HOSTS_OPTION, {
    CONSECUTIVE_FAILURES: ['0 .. 4,095, 0 = off', 'consecutiveFailures.'],
    INTERVAL_MS: [`[10, ${DAY_MS}]`, 'intervalMs.'],
    BASE_EJECTION_MS: [`(0, ${TEN_YEARS}]`, 'baseEjectionMs.'],
    MAX_EJECTION_MS: [`[baseEjectionMs, ${TEN_YEARS}]`, 'maxEjectionMs.'],
    JITTER: ['[0, 1]', 'jitter.'],
    MAX_EJECTION_PERCENT: ['[0, 100]', 'maxEjectionPercent.'],
    STDEV_FACTOR: ['[0, 100], 0 = off', 'successRate.stdevFactor.'],
    STDEV_HOSTS: ['1 .. 65,536', 'successRate.minimumHosts.'],
    STDEV_VOLUME: ['1 .. 1,000,000', 'successRate.requestVolume.'],
    FAILURE_THRESHOLD: ['[0, 1], 0 = off', 'failurePercentage.threshold.'],
    FAILURE_HOSTS: ['1 .. 65,536', 'failurePercentage.minimumHosts.'],
    FAILURE_VOLUME: ['1 .. 1,000,000', 'failurePercentage.requestVolume.'],
  }),
  optionsOf(
    'host_options',
    'host',
    HOST,
    { GROUP: HOST_OPTION.GROUP, INTERVAL_MS: HOSTS_OPTION.INTERVAL_MS },
    {
      GROUP: ['0 .. 65,535', 'The number of its group in the directory of controls.'],
      INTERVAL_MS: [`[0, ${TEN_YEARS}]`, "Its group's intervalMs."],
    },
  ),
]
