/**
 * The options of controls: what each kind takes, with ranges and defaults, as a table that reads
 * what a user gives, checks what stands in a region, and says it back.
 */
import { InvalidOptionError, OptionsMismatchError } from '../errors.ts'
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
} from '../memory/controls.ts'
import { OPTION_COUNT } from '../memory/layout.ts'
import {
  between,
  DURATION,
  type Fields,
  isWithin,
  numberOf,
  POSITIVE_DURATION,
  RATE,
  type Range,
  readFields,
  TIMER_DURATION,
  wholeBetween,
} from './read.ts'
import type { SharedNumbers } from './shared.ts'

interface ControlOption {
  /** As users know it; of a group of options `group.name`. */
  readonly key: string
  readonly option: number
  readonly range: Range
  /** Undefined: must be given. */
  readonly fallback: number | undefined
}

function option(
  key: string,
  at: number,
  range: Range,
  fallback: number | undefined,
): ControlOption {
  return Object.freeze({ key, option: at, range, fallback })
}

const RATIO = between(0, 1000)
const PER_SECOND = between(0, 1_000_000)
const CALLS = wholeBetween(1, 1_000_000)
const HOSTS = wholeBetween(1, 65_536)
/** A count or a factor that may be 0: off. */
const FAILURES_OR_OFF = wholeBetween(0, 4095)
const FACTOR_OR_OFF = between(0, 100)
const RATE_OR_OFF = between(0, 1)

const THROTTLE_OPTIONS = [
  option('k', THROTTLE_OPTION.K, between(1, 1000), 2),
  option('windowMs', THROTTLE_OPTION.WINDOW_MS, between(10, 86_400_000), 120_000),
  option('minimumRequestsPerSecond', THROTTLE_OPTION.MINIMUM_PER_SECOND, PER_SECOND, 1),
  option('maxRejectionProbability', THROTTLE_OPTION.MAX_PROBABILITY, RATE, 1),
]

const BULKHEAD_OPTIONS = [
  option(
    'maxConcurrentCalls',
    BULKHEAD_OPTION.MAX_CONCURRENT,
    wholeBetween(1, MAX_PLACES),
    undefined,
  ),
  option('maxQueuedCalls', BULKHEAD_OPTION.MAX_QUEUED, wholeBetween(0, MAX_PLACES), 0),
  option('maxWaitMs', BULKHEAD_OPTION.MAX_WAIT_MS, TIMER_DURATION, 1000),
]

const BUDGET_OPTIONS = [
  option('ratio', BUDGET_OPTION.RATIO, RATIO, 0.2),
  option('minimumPerSecond', BUDGET_OPTION.MINIMUM_PER_SECOND, PER_SECOND, 3),
]

const HOSTS_OPTIONS = [
  option('consecutiveFailures', HOSTS_OPTION.CONSECUTIVE_FAILURES, FAILURES_OR_OFF, 5),
  option('intervalMs', HOSTS_OPTION.INTERVAL_MS, between(10, 86_400_000), 10_000),
  option('baseEjectionMs', HOSTS_OPTION.BASE_EJECTION_MS, POSITIVE_DURATION, 30_000),
  option('maxEjectionMs', HOSTS_OPTION.MAX_EJECTION_MS, POSITIVE_DURATION, 300_000),
  option('jitter', HOSTS_OPTION.JITTER, RATE_OR_OFF, 0),
  option('maxEjectionPercent', HOSTS_OPTION.MAX_EJECTION_PERCENT, between(0, 100), 10),
  option('successRate.stdevFactor', HOSTS_OPTION.STDEV_FACTOR, FACTOR_OR_OFF, 1.9),
  option('successRate.minimumHosts', HOSTS_OPTION.STDEV_HOSTS, HOSTS, 5),
  option('successRate.requestVolume', HOSTS_OPTION.STDEV_VOLUME, CALLS, 100),
  option('failurePercentage.threshold', HOSTS_OPTION.FAILURE_THRESHOLD, RATE_OR_OFF, 0.85),
  option('failurePercentage.minimumHosts', HOSTS_OPTION.FAILURE_HOSTS, HOSTS, 5),
  option('failurePercentage.requestVolume', HOSTS_OPTION.FAILURE_VOLUME, CALLS, 50),
]

/** A host's interval stands with its group. */
const HOST_OPTIONS = [
  option('group', HOST_OPTION.GROUP, wholeBetween(0, 65_535), undefined),
  option('intervalMs', HOSTS_OPTION.INTERVAL_MS, DURATION, undefined),
]

const OPTIONS: Readonly<Record<number, readonly ControlOption[]>> = {
  [THROTTLE]: THROTTLE_OPTIONS,
  [BULKHEAD]: BULKHEAD_OPTIONS,
  [RETRY_BUDGET]: BUDGET_OPTIONS,
  [HOST_GROUP]: HOSTS_OPTIONS,
  [HOST]: HOST_OPTIONS,
}

/** The names of a kind's options, without what stands in a group of them. */
function keysOf(kind: number): string[] {
  return [...new Set((OPTIONS[kind] ?? []).map(({ key }) => key.replace(/\..*/, '')))]
}

/** What a user gave, checked for names. `others`: options that do not stand in the region. */
export function readControlFields(
  kind: number,
  what: string,
  options: unknown,
  others: readonly string[] = [],
): Fields {
  return readFields(what, options, [...keysOf(kind), ...others])
}

/**
 * The numbers of a control by what `fields` say, over `base`, or over the defaults.
 *
 * @throws InvalidOptionError
 */
export function controlNumbers(
  kind: number,
  what: string,
  fields: Fields,
  base?: SharedNumbers,
): SharedNumbers {
  const numbers = new Array<number>(OPTION_COUNT).fill(0)
  numbers[CONTROL_KIND] = kind
  const groups = new Map<string, Fields>()
  for (const { key, option: at, range, fallback } of OPTIONS[kind] ?? []) {
    const [first = key, second] = key.split('.')
    const given = second === undefined ? fields : groupOf(kind, what, first, fields, groups)
    const where = second === undefined ? what : `${what}.${first}`
    const before = base?.[at] ?? fallback ?? Number.NaN
    const value = numberOf(where, given, second ?? key, range, before)
    if (Number.isNaN(value)) {
      throw new InvalidOptionError(`${what}.${key}`, undefined, `given: ${range.text}`)
    }
    numbers[at] = value
  }
  requireOrder(kind, what, numbers)
  return Object.freeze(numbers)
}

/** An object of options within the options, read once. */
function groupOf(
  kind: number,
  what: string,
  group: string,
  fields: Fields,
  groups: Map<string, Fields>,
): Fields {
  const known = groups.get(group)
  if (known !== undefined) return known
  const names = (OPTIONS[kind] ?? [])
    .filter(({ key }) => key.startsWith(`${group}.`))
    .map(({ key }) => key.slice(group.length + 1))
  const value = fields.get(group)
  const read = value === undefined ? new Map() : readFields(`${what}.${group}`, value, names)
  groups.set(group, read)
  return read
}

function requireOrder(kind: number, what: string, numbers: readonly number[]): void {
  if (kind !== HOST_GROUP) return
  const baseMs = numbers[HOSTS_OPTION.BASE_EJECTION_MS] as number
  const maxMs = numbers[HOSTS_OPTION.MAX_EJECTION_MS] as number
  if (maxMs >= baseMs) return
  throw new InvalidOptionError(
    `${what}.maxEjectionMs`,
    maxMs,
    `at least baseEjectionMs (${baseMs})`,
  )
}

/** True when the numbers are ones that `controlNumbers` can produce. */
export function areControlsSound(numbers: SharedNumbers): boolean {
  const kind = numbers[CONTROL_KIND] as number
  const options = OPTIONS[kind]
  return (
    options !== undefined &&
    numbers.length === OPTION_COUNT &&
    options.every(({ option: at, range }) => isWithin(numbers[at], range))
  )
}

/** The numbers as a user would have given them, complete. A fresh object. */
export function describeControl(numbers: SharedNumbers): Record<string, unknown> {
  const described: Record<string, unknown> = {}
  for (const { key, option: at } of OPTIONS[numbers[CONTROL_KIND] as number] ?? []) {
    const [first = key, second] = key.split('.')
    if (second === undefined) described[first] = numbers[at]
    else described[first] = { ...(described[first] as object), [second]: numbers[at] }
  }
  return described
}

/** Throws OptionsMismatchError where `asked` differs from `made`, naming only the differences. */
export function requireSameControl(what: string, made: SharedNumbers, asked: SharedNumbers): void {
  const existing: Record<string, unknown> = {}
  const requested: Record<string, unknown> = {}
  for (const { key, option: at } of OPTIONS[made[CONTROL_KIND] as number] ?? []) {
    if (made[at] === asked[at]) continue
    existing[key] = made[at]
    requested[key] = asked[at]
  }
  if (Object.keys(existing).length > 0) throw new OptionsMismatchError(what, existing, requested)
}
