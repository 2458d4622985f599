/** One control as text. */
import type { Counters } from '../protocol/totals.ts'
import type { ControlView, HostView } from './control.ts'
import { type Cell, count, ms, pairs, plural, quoted, table } from './table.ts'
import { moment, slotName, valueText } from './text-breaker.ts'
import type { RegionView } from './view.ts'

export function controlLines(control: ControlView, region: RegionView): string[] {
  const options = Object.entries(control.options).map(([name, value]): [string, string] => [
    name,
    valueText(value),
  ])
  const parts = [
    pairs(statePairs(control, region), '  '),
    pairs(options, '  '),
    hostLines(control.hosts ?? [], region),
    totalLines(control, region),
  ]
  const lines = [`${control.kind} ${quoted(control.name)}`]
  for (const part of parts) if (part.length > 0) lines.push('', ...part)
  return lines
}

function statePairs(control: ControlView, region: RegionView): [string, string][] {
  const { rejectionProbability, window, places, queue, hosts, createdAt, record } = control
  const rows: [string, string][] = []
  if (rejectionProbability !== undefined)
    rows.push(['refuses', `${count(rejectionProbability)} of calls`])
  if (window !== undefined) {
    rows.push([
      'window',
      Object.entries(window)
        .map(([name, of]) => `${count(of)} ${name}`)
        .join(', '),
    ])
  }
  if (places !== undefined)
    rows.push(['in flight', `${plural(places.length, 'call')}${of(places)}`])
  if (queue !== undefined) rows.push(['waiting', `${plural(queue.length, 'call')}${of(queue)}`])
  if (hosts !== undefined) {
    const ejected = hosts.filter(({ ejectedUntil }) => ejectedUntil !== null).length
    rows.push(['hosts', `${count(hosts.length)}, ${count(ejected)} ejected`])
  }
  rows.push(['made at', moment(createdAt, region)])
  rows.push(['record', `from word ${count(record.word)} on, ${plural(record.lines, 'line')}`])
  return rows
}

/** Of which threads the calls are. */
function of(places: NonNullable<ControlView['places']>): string {
  const threads = new Map<number, number>()
  for (const { thread } of places) threads.set(thread, (threads.get(thread) ?? 0) + 1)
  const texts = [...threads].map(([thread, calls]) => `${count(calls)} of thread ${thread}`)
  const waits = places.flatMap(({ waitedMs }) => waitedMs ?? [])
  if (waits.length > 0) texts.push(`the longest for ${ms(Math.max(...waits))}`)
  return texts.length === 0 ? '' : `: ${texts.join(', ')}`
}

function hostLines(hosts: readonly HostView[], region: RegionView): string[] {
  if (hosts.length === 0) return []
  const rows = hosts.map(host => [
    quoted(host.name),
    host.ejectedUntil === null ? 'no' : `until ${moment(host.ejectedUntil, region)}`,
    host.ejectionsInARow,
    host.failuresInARow,
    host.window.succeeded,
    host.window.failed,
    host.totals.succeeded,
    host.totals.failed,
  ])
  const lately = ['succeeded lately', 'failed lately']
  const head = ['host', 'ejected', 'in a row', 'failures in a row', ...lately]
  return table([...head, 'succeeded', 'failed'], rows, '  ')
}

type Column = readonly [title: string, name: keyof Counters]

/** What the totals of each kind count. */
const COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  throttle: [
    ['admitted', 'admitted'],
    ['accepted', 'succeeded'],
    ['rejected', 'failed'],
    ['ignored', 'ignored'],
    ['abandoned', 'abandoned'],
    ['refused', 'refused'],
  ],
  bulkhead: [
    ['admitted', 'admitted'],
    ['succeeded', 'succeeded'],
    ['failed', 'failed'],
    ['released', 'ignored'],
    ['late', 'late'],
    ['abandoned', 'abandoned'],
    ['refused', 'refused'],
  ],
  'retry budget': [
    ['calls', 'admitted'],
    ['retries', 'succeeded'],
    ['refused', 'refused'],
  ],
  'host group': [['untracked', 'refused']],
}

function totalLines({ kind, totals, shards }: ControlView, region: RegionView): string[] {
  const columns = COLUMNS[kind] ?? []
  if (shards.length === 0) return []
  const rowOf = (who: string, counters: Counters): Cell[] => {
    return [who, ...columns.map(([, name]) => counters[name])]
  }
  const rows = shards.map(({ slot, totals: counters }) => rowOf(slotName(slot, region), counters))
  rows.push(rowOf('all', totals))
  return table(['since it was made', ...columns.map(([title]) => title)], rows, '  ')
}
