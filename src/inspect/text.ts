/** A region as text: what `busbar-dump` prints. */
import type { Finding } from '../verify/report.ts'
import type { BreakerView } from './breaker.ts'
import type { Candidate } from './file.ts'
import type { SlotView } from './slots.ts'
import { type Cell, count, ms, pairs, plural, quoted, table, visible } from './table.ts'
import { breakerLines, moment, optionPairs } from './text-breaker.ts'
import { controlLines } from './text-control.ts'
import { historyLines } from './text-history.ts'
import type { RegionView } from './view.ts'

/** Transitions that are printed unless told otherwise. */
const HISTORY = 20

/** `breakers`: those to print, as `history` has their transitions; `last`: how many of these. */
export function textOf(
  file: string,
  view: RegionView,
  breakers: readonly BreakerView[],
  last = HISTORY,
): string {
  const lines = [
    `region in ${visible(file)}`,
    '',
    ...pairs(headerPairs(view), '  '),
    '',
    'options of a breaker that is made without any',
    '',
    ...pairs(optionPairs(view.defaults), '  '),
    '',
    'slots',
    '',
    ...slotLines(view),
    '',
    ...historyLines(view.history, last),
    '',
  ]
  for (const breaker of breakers) lines.push(...breakerLines(breaker, view), '')
  if (view.breakers.length === 0) lines.push('no breakers', '')
  for (const name of view.unreadable) lines.push(...unreadableLines('breaker', name))
  for (const control of view.controls) lines.push(...controlLines(control, view), '')
  for (const name of view.unreadableControls) lines.push(...unreadableLines('control', name))
  lines.push(...findingLines(view))
  return `${lines.join('\n')}\n`
}

function unreadableLines(what: string, name: string): string[] {
  return [`${what} ${quoted(name)}: its options are not legal, its record cannot be read`, '']
}

function headerPairs(view: RegionView): [string, string][] {
  const live = view.slots.filter(({ state }) => state === 'live').length
  const dead = view.slots.filter(({ state }) => state === 'dead').length
  const threads = `${count(live)} live, ${count(dead)} dead of ${count(view.maxThreads)}`
  const overflow = view.overflowUsed ? 'used as well' : 'never used'
  return [
    ['size', `${count(view.bytes)} bytes, layout version ${view.layoutVersion}, id ${view.id}`],
    ['breakers', breakersText(view)],
    ['records', `${count(view.arenaLinesUsed)} of ${plural(view.arenaLines, 'line')} of 128 bytes`],
    ['controls', controlsText(view)],
    ['slots', `${threads}, ${count(view.slotsUsed)} ever used; the overflow slot was ${overflow}`],
    ['no slot', `${plural(view.threadsWithoutSlot, 'thread')} found none free`],
    [
      'journal',
      `${plural(view.journalEntries, 'entry', 'entries')}, of which the last 1,024 are kept`,
    ],
    ['exporter', exporterText(view)],
    ['clock', clockText(view)],
    ['keeper', keeperText(view)],
    ['damaged', `${plural(view.damagedWordsMet, 'word')} met by calls`],
    ['timeoutMs', view.defaultTimeoutMs === null ? 'off' : ms(view.defaultTimeoutMs)],
  ]
}

function breakersText({ breakers, unreadable, maxBreakers }: RegionView): string {
  const removed = breakers.filter(breaker => breaker.removed).length
  const there = breakers.length + unreadable.length - removed
  const records = removed === 0 ? '' : `; ${plural(removed, 'record')} of removed ones`
  return `${count(there)} of ${count(maxBreakers)}${records}`
}

/** A host is a control of its own. */
function controlsText({ controls, unreadableControls, ...view }: RegionView): string {
  const hosts = controls.reduce((sum, of) => sum + (of.hosts?.length ?? 0), 0)
  const made = controls.length + hosts + unreadableControls.length
  const lines = `${count(view.controlLinesUsed)} of ${plural(view.controlLines, 'line')}`
  return `${count(made)} of ${count(view.maxControls)}, in ${lines}`
}

function exporterText(view: RegionView): string {
  const until = view.exporterLeaseUntil
  return until === null ? 'no lease yet' : `a lease until ${moment(until, view)}`
}

function clockText({ clock, now }: RegionView): string {
  if (clock === 'manual') return `manual, at ${ms(now)}`
  return `${clock}; it was ${ms(now)} or later: the latest time in the file`
}

function keeperText({ keeper }: RegionView): string {
  if (keeper.tickMs === 0) return 'made without one'
  const state = keeper.state === 'awake' ? `awake, at tick ${count(keeper.tick)}` : keeper.state
  return `${state}, a tick every ${ms(keeper.tickMs)}`
}

/** Slots that are free come in one row where they stand together and were taken as often. */
function slotLines({ slots }: RegionView): string[] {
  const rows: Cell[][] = []
  for (let at = 0; at < slots.length; at++) {
    const first = slots[at] as SlotView
    const isLike = ({ state, epoch }: Pick<SlotView, 'state' | 'epoch'>) =>
      state === 'free' && epoch === first.epoch
    let last = at
    while (isLike(first) && isLike(slots[last + 1] ?? FENCE)) last++
    rows.push(slotRow(first, last - at))
    at = last
  }
  const head = ['slot', 'state', 'thread', 'started by', 'epoch', 'silent for']
  return table(head, rows, '  ')
}

/** Behind the last: it is like none. */
const FENCE = { state: 'live', epoch: 0 } as const

function slotRow(slot: SlotView, more: number): Cell[] {
  const number = more === 0 ? count(slot.slot) : `${slot.slot} to ${slot.slot + more}`
  const { state, thread, native, parent, epoch, silentMs } = slot
  if (thread === null) return [number, state, '', '', epoch, '']
  const who = native ? `${thread} (native)` : thread === 0 ? '0 (main)' : `${thread}`
  const by = thread === 0 ? '' : parent === null ? 'nobody known' : `${parent}`
  return [number, state, who, by, epoch, silentMs === null ? 'unknown' : ms(silentMs)]
}

function findingLines({ findings, clock }: RegionView): string[] {
  const lines = [`findings: ${findings.length === 0 ? 'none' : count(findings.length)}`]
  if (findings.length > 0) lines.push('')
  for (const finding of findings) lines.push(`  ${causeOf(finding)}  ${visible(finding.sentence)}`)
  if (findings.some(({ certain }) => !certain)) {
    lines.push(
      '',
      '  perhaps: words that do not fit each other. In a region at rest that is a fault. A copy',
      '  that was made while threads worked may show it too, and so may one in which a thread',
      '  died in the midst of an operation.',
    )
  }
  if (findings.some(({ certain }) => certain)) {
    lines.push('', '  certain: what no thread of this version writes, at work or not.')
  }
  if (clock !== 'manual') {
    lines.push(
      '',
      '  No time could be held against the present: the file does not say when it was.',
    )
  }
  return lines
}

function causeOf({ certain }: Finding): string {
  return certain ? 'certain' : 'perhaps'
}

export function candidatesText(file: string, found: readonly Candidate[]): string {
  const rows = found.map(({ offset, bytes, reason }) => [
    offset,
    `0x${offset.toString(16)}`,
    reason ?? `a region of ${count(bytes ?? 0)} bytes`,
  ])
  const head = `${plural(found.length, 'place')} in ${visible(file)}`
  const lines = [head, '', ...table(['byte', 'for --offset', 'what is there'], rows, '  ')]
  return `${lines.join('\n')}\n`
}
