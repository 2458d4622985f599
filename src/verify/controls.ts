/** Controls: what each has in lines of its own, and in its places. */
import { checkShards } from './control-shards.ts'
import { checkDirectory } from './directory.ts'
import { field, HEADER, LINE, type Parts } from './format.ts'
import {
  BULKHEAD,
  CONTROLS,
  type ControlEntry,
  HOST,
  HOST_GROUP,
  KIND_NAMES,
  kindOf,
  type Numbers,
  OPTION,
  type Shape,
  THROTTLE,
} from './format-control.ts'
import { checkGroup, checkHost } from './hosts.ts'
import { CERTAIN, hex, ms, type Options, type Say } from './report.ts'

/** One control of the region that is looked at. */
export interface ControlSubject {
  readonly parts: Parts
  readonly options: Options
  readonly kind: number
  /** Its number in the directory. */
  readonly index: number
  readonly numbers: Numbers
  readonly shape: Shape
  readonly record: number
  readonly generation: 0
  readonly say: (word: number, name: string, sentence: string, certain?: boolean) => void
}

export function checkControls(
  parts: Parts,
  options: Options,
  holders: ReadonlyMap<number, number>,
  say: Say,
): void {
  const entries = checkDirectory(parts, CONTROLS, options, holders, say)
  const subjects = entries
    .filter(({ isSound }) => isSound)
    .map(entry => subjectOf(parts, options, entry, say))
  const byIndex = new Map(subjects.map(subject => [subject.index, subject]))
  const living = new Set(holders.values())
  for (const subject of subjects) {
    checkOwn(subject)
    checkPadding(subject)
    const inFlight = checkShards(subject, new Set(holders.keys()))
    if (subject.kind === BULKHEAD) checkBulkhead(subject, living, inFlight)
    if (subject.kind === HOST) checkHost(subject, byIndex)
    if (subject.kind === HOST_GROUP) checkGroup(subject, subjects)
  }
}

function subjectOf(parts: Parts, options: Options, entry: ControlEntry, say: Say): ControlSubject {
  const { name, numbers, shape, record, index } = entry
  const kind = kindOf(numbers)
  return {
    parts,
    options,
    kind,
    index,
    numbers,
    shape,
    record,
    generation: 0,
    say: (at, what, sentence, certain) =>
      say(`${KIND_NAMES[kind]} "${name}", word ${at}, ${what} ${sentence}`, certain),
  }
}

/** Words of the first line that a kind uses, and whether it has a duty on the second. */
const USED = [2, 3, 1, 2, 4] as const
const DUTY = LINE
const DUTY_WORDS = [2, 0, 0, 2, 0] as const
const PROBABILITY = 1
const PROBABILITY_BITS = 24
/** Of a throttle's duty, in microseconds. */
const INTERVAL = 100_000

function checkOwn(subject: ControlSubject): void {
  const { parts, record, kind, say } = subject
  const state = parts.word(record)
  if (state !== 0) say(0, 'STATE', `is ${hex(state)}, not 0`, CERTAIN)
  if (kind === THROTTLE) checkProbability(subject)
}

function checkProbability({ parts, record, numbers, say }: ControlSubject): void {
  const word = parts.word(record + PROBABILITY)
  const parts24 = word & (2 ** PROBABILITY_BITS - 1)
  const most = Math.min(
    Math.floor((numbers[OPTION.MAX_PROBABILITY] ?? 0) * 2 ** PROBABILITY_BITS),
    2 ** PROBABILITY_BITS - 1,
  )
  const told = (sentence: string, certain = false): void =>
    say(PROBABILITY, 'PROBABILITY', `is ${hex(word)}${sentence}`, certain)
  if (word < 0) told(', more than 31 bits', CERTAIN)
  if (parts24 > most) told(`, more than ${hex(most)} in its lower bits`, CERTAIN)
  const duty = parts.long(record + DUTY)
  if (word !== 0 && duty === 0n) told(', yet nobody ever took the duty')
  const due = field(duty, 0, 51)
  if (due > parts.now + INTERVAL + 1) say(DUTY, 'DUTY', `is due at ${ms(due)}, at ${ms(parts.now)}`)
}

function checkPadding({ parts, record, shape, kind, say }: ControlSubject): void {
  for (const [from, to] of [
    [USED[kind] ?? 1, DUTY],
    [DUTY + (DUTY_WORDS[kind] ?? 0), shape.places],
    [shape.places + shape.placeCount, shape.queue],
    [shape.queue + shape.queueLength * 2, shape.shards],
  ] as const) {
    const at = parts.firstNonZero(record + from, record + to)
    if (at >= 0) say(at - record, 'unused', `is ${hex(parts.word(at))}, not 0`, CERTAIN)
  }
}

const WAITING = 1

function checkBulkhead(subject: ControlSubject, living: ReadonlySet<number>, inFlight: bigint) {
  const { parts, record, shape, options, say } = subject
  const taken = checkOwners(subject, living, 'PLACE', shape.places, shape.placeCount, 1)
  const waiting = checkOwners(subject, living, 'WAITER', shape.queue, shape.queueLength, 2)
  for (let place = 0; place < shape.queueLength; place++) {
    const at = shape.queue + place * 2 + 1
    const arrived = parts.word(record + at)
    if (arrived < 0) say(at, `ARRIVED ${place}`, `is ${arrived}, more than 31 bits`, CERTAIN)
  }
  if (options.deaths) return
  if (BigInt(taken) !== inFlight) {
    say(shape.places, 'PLACES', `hold ${taken} calls, by the totals ${inFlight} are in flight`)
  }
  if (waiting > 0 && (parts.word(record + WAITING) & 1) === 0) {
    say(WAITING, 'WAITING', `says that nobody waits, the queue holds ${waiting}`)
  }
}

const THREADS = 2 ** 26

/** How many of those places somebody has. */
function checkOwners(
  { parts, record, options, say }: ControlSubject,
  living: ReadonlySet<number>,
  name: string,
  start: number,
  count: number,
  stride: number,
): number {
  const othersMayLive = parts.word(HEADER.OVERFLOW_USED) !== 0 || options.deaths === true
  let taken = 0
  for (let place = 0; place < count; place++) {
    const at = start + place * stride
    const owner = parts.word(record + at)
    if (owner === 0) continue
    taken++
    const told = (sentence: string, certain = false): void =>
      say(at, `${name} ${place}`, `is ${owner}${sentence}`, certain)
    if (owner < 0 || owner > THREADS) told(', no number of a thread', CERTAIN)
    else if (!othersMayLive && !living.has(owner - 1)) told(', of a thread that is not alive')
    if (options.quiet) told(', yet nothing should be in flight')
  }
  return taken
}
