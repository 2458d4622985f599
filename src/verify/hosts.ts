/** Hosts and their groups: rows of failures, ejections and the places that put them in force. */
import type { ControlSubject } from './controls.ts'
import { field, LINE } from './format.ts'
import { HOST, HOST_GROUP, MAX_EJECTED, OPTION } from './format-control.ts'
import { CERTAIN, hex, ms } from './report.ts'

/** Words of a host's first line. */
const ROW = 1
const EJECTION = 2
/** Of a group's second line. */
const DUTY = LINE

const EPISODE_BITS = 14
const EPISODES = 2 ** EPISODE_BITS

export function checkHost(
  subject: ControlSubject,
  byIndex: ReadonlyMap<number, ControlSubject>,
): void {
  const { parts, record, numbers, index, say } = subject
  const groupIndex = numbers[OPTION.GROUP] ?? Number.NaN
  const group = byIndex.get(groupIndex)
  if (!(groupIndex < index && group?.kind === HOST_GROUP)) {
    say(0, 'GROUP', `is ${groupIndex}, which is no group made before it`, CERTAIN)
    return
  }
  const [intervalMs, groupMs] = [numbers, group.numbers].map(of => of[OPTION.INTERVAL_MS])
  if (intervalMs !== groupMs) {
    say(0, 'INTERVAL_MS', `is ${intervalMs}, that of its group ${groupMs}`, CERTAIN)
  }
  const row = parts.word(record + ROW)
  if (row >>> 12 >= EPISODES) say(ROW, 'ROW', `is ${hex(row)}, of no episode`, CERTAIN)
  const until = untilOf(subject)
  const latest = parts.now / 1000 + longestMs(group) + 1
  if (until > latest) {
    say(EJECTION, 'EJECTION', `ends at ${until} ms, at ${ms(parts.now)}: later than any lasts`)
  }
}

function ejectionOf({ parts, record }: ControlSubject): bigint {
  return parts.long(record + EJECTION)
}

function untilOf(host: ControlSubject): number {
  return field(ejectionOf(host), 0, 42)
}

/** Rounded up to whole ms, as ends are. */
function longestMs({ numbers }: ControlSubject): number {
  const longest = numbers[OPTION.MAX_EJECTION_MS] ?? Number.NaN
  return longest * (1 + (numbers[OPTION.JITTER] ?? Number.NaN)) + 1
}

export function checkGroup(group: ControlSubject, controls: readonly ControlSubject[]): void {
  const hosts = new Map(
    controls
      .filter(({ kind, numbers }) => kind === HOST && numbers[OPTION.GROUP] === group.index)
      .map(host => [host.index, host]),
  )
  checkDuty(group)
  checkPlaces(group, hosts)
}

/** Its time counts intervals: a thousand for each. */
function checkDuty({ parts, record, numbers, say }: ControlSubject): void {
  const due = field(parts.long(record + DUTY), 0, 51) / 1000
  const present = Math.floor(parts.now / 1000 / (numbers[OPTION.INTERVAL_MS] ?? Number.NaN))
  if (due > present + 1) say(DUTY, 'DUTY', `is due in interval ${due}, in interval ${present}`)
}

function checkPlaces(group: ControlSubject, hosts: ReadonlyMap<number, ControlSubject>): void {
  const { parts, record, shape, numbers, say } = group
  const percent = numbers[OPTION.MAX_EJECTION_PERCENT] ?? Number.NaN
  const share = Math.max(1, Math.floor((percent * hosts.size) / 100))
  const allowed = Math.min(share, MAX_EJECTED)
  const ejected = new Set<ControlSubject>()
  for (let place = 0; place < shape.placeCount; place++) {
    const word = parts.word(record + shape.places + place)
    if (word === 0) continue
    const told = (sentence: string, certain = false): void =>
      say(shape.places + place, `EJECTED ${place}`, `is ${hex(word)}: ${sentence}`, certain)
    if (word < 0) told('more than 31 bits', CERTAIN)
    if (place >= allowed) told(`${allowed} of ${hosts.size} hosts may be ejected`)
    const number = (word >>> EPISODE_BITS) - 1
    const host = hosts.get(number)
    if (host === undefined) told(`control ${number} is no host of this group`)
    else if (isInForce(host, word)) {
      if (ejected.has(host)) told(`host ${number} has a place already`)
      ejected.add(host)
    }
  }
}

function isInForce(host: ControlSubject, place: number): boolean {
  const isLast = field(ejectionOf(host), 50, EPISODE_BITS) === (place & (EPISODES - 1))
  return isLast && host.parts.now / 1000 < untilOf(host)
}
