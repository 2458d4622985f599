/** The table as lines of text that fit a terminal. Pure. */
import { visible } from '../inspect/table.ts'
import type { Board, Seen } from './board.ts'
import { count, duration, latency, pad, percent, rate } from './format.ts'
import { strainOf } from './order.ts'

export interface Size {
  readonly columns: number
  readonly rows: number
}

export interface Look {
  /** Undefined: as large as it gets, for a file or a pipe. */
  readonly size: Size | undefined
  readonly isColoured: boolean
  /** Breakers passed over at the top. */
  readonly offset: number
  /** What to say of the connection; '' where there is nothing to say. */
  readonly link: string
}

interface Column {
  readonly title: string
  readonly align: 'left' | 'right'
  /** In a narrow terminal those with the highest number go first. */
  readonly priority: number
  readonly cell: (breaker: Seen, board: Board) => string
}

const REFUSING = ['open', 'forced-open']

const COLUMNS: readonly Column[] = [
  { title: 'STATE', align: 'left', priority: 0, cell: ({ state }) => state },
  { title: 'BREAKER', align: 'left', priority: 0, cell: ({ name }) => visible(name) },
  { title: 'FOR', align: 'right', priority: 2, cell: (b, { now }) => duration(now - b.since) },
  { title: 'FAILURES', align: 'right', priority: 1, cell: failuresOf },
  { title: 'SLOW', align: 'right', priority: 8, cell: slowOf },
  { title: 'CALLS/S', align: 'right', priority: 3, cell: b => rate(b.callsPerSecond) },
  { title: 'REFUSED/S', align: 'right', priority: 4, cell: b => rate(b.refusedPerSecond) },
  { title: 'P50', align: 'right', priority: 6, cell: b => latency(b.p50Ms) },
  { title: 'P99', align: 'right', priority: 5, cell: b => latency(b.p99Ms) },
  { title: 'IN FLIGHT', align: 'right', priority: 9, cell: b => count(b.inFlight) },
  { title: 'NEXT TRIAL', align: 'left', priority: 7, cell: nextOf },
  { title: 'LAST CHANGE', align: 'left', priority: 10, cell: lastOf },
]

/** "86% of 50%", "12 of 20 calls", "3 of 5 in a row". */
function failuresOf({ introduction, openedBy, failureRate, failures, calls, state }: Seen): string {
  const { failuresInARow, failureRateThreshold, minimumNumberOfCalls } = introduction
  const [all = 0, failed = 0] = openedBy ?? []
  if (failuresInARow !== null)
    return `${openedBy ? failed : failures} of ${failuresInARow} in a row`
  const limit = percent(failureRateThreshold)
  if (all > 0) return `${percent(failed / all)} of ${limit}`
  if (failureRate !== null) return `${percent(failureRate)} of ${limit}`
  const isCounting = state === 'closed' || state === 'metrics-only'
  return isCounting ? `${count(calls)}/${count(minimumNumberOfCalls)} calls` : '-'
}

function slowOf({ introduction, openedBy, slowCallRate }: Seen): string {
  if (introduction.slowCallDurationThresholdMs === null) return ''
  const [all = 0, , slow = 0] = openedBy ?? []
  return percent(all > 0 ? slow / all : slowCallRate)
}

function nextOf({ state, until, trials }: Seen, { now }: Board): string {
  if (trials !== null) {
    const [permitted = 0, inFlight = 0, succeeded = 0] = trials
    return `${succeeded}/${permitted} ok, ${inFlight} out`
  }
  if (!REFUSING.includes(state)) return ''
  if (until === null) return 'when told'
  return until > now ? `in ${duration(Math.ceil((until - now) / 1_000) * 1_000)}` : 'next call'
}

function lastOf(breaker: Seen, board: Board): string {
  const last = board.latestOf(breaker)
  if (last === undefined) return ''
  const by = last.thread === undefined ? '' : `, thread ${last.thread}`
  return visible(`${last.reason}${by}`)
}

const GAP = 2
const MIN_NAME = 16
const MAX_TEXT = 40

/** Lines for the whole screen: a summary, the head, the breakers that fit. */
export function render(board: Board, look: Look): string[] {
  const { size } = look
  const width = size?.columns ?? Number.POSITIVE_INFINITY
  const breakers = board.sorted()
  const room = size === undefined ? breakers.length : Math.max(0, size.rows - 3)
  const isWhole = breakers.length <= room
  const shown = breakers.slice(look.offset, look.offset + (isWhole ? room : Math.max(0, room - 1)))
  const columns = layOut(board, shown, width)
  const head = columns.map(({ title, width, align }) => pad(title, width, align))
  const lines = [
    cut(summaryOf(board, breakers, look.link), width),
    '',
    paint(cut(head.join(' '.repeat(GAP)), width), 'dim', look),
    ...shown.map(breaker => paint(cut(lineOf(columns, breaker, board), width), breaker, look)),
  ]
  const left = breakers.length - look.offset - shown.length
  if (!isWhole) lines.push(paint(cut(moreText(look.offset, left), width), 'dim', look))
  return size === undefined ? lines : lines.slice(0, size.rows)
}

function moreText(above: number, below: number): string {
  return `${above > 0 ? `${above} above, ` : ''}${below} more below`
}

type Laid = Column & { readonly width: number }

/** The columns that pad, and how wide each is: the name takes what is left over. */
function layOut(board: Board, breakers: readonly Seen[], width: number): Laid[] {
  const all = COLUMNS.map(column => {
    const texts = breakers.map(breaker => fitLength(column.cell(breaker, board)))
    return { ...column, width: Math.max(column.title.length, ...texts) }
  })
  const needed = (columns: readonly Laid[]): number =>
    columns.reduce((sum, { title, width }) => {
      return sum + GAP + (title === 'BREAKER' ? Math.min(width, MIN_NAME) : width)
    }, -GAP)
  let columns = all
  while (columns.length > 2 && needed(columns) > width) {
    const worst = Math.max(...columns.map(({ priority }) => priority))
    columns = columns.filter(({ priority }) => priority !== worst)
  }
  const spare = width - needed(columns)
  return columns.map(column => {
    if (column.title !== 'BREAKER') return column
    return { ...column, width: Math.min(column.width, Math.min(column.width, MIN_NAME) + spare) }
  })
}

function fitLength(text: string): number {
  return Math.min(MAX_TEXT, [...text].length)
}

function lineOf(columns: readonly Laid[], breaker: Seen, board: Board): string {
  return columns
    .map(({ cell, width, align }) => pad(cell(breaker, board), width, align))
    .join(' '.repeat(GAP))
}

function cut(text: string, width: number): string {
  return width === Number.POSITIVE_INFINITY ? text.trimEnd() : pad(text, width).trimEnd()
}

const STATES = ['open', 'forced-open', 'half-open', 'closed', 'metrics-only', 'disabled']

function summaryOf({ registry }: Board, breakers: readonly Seen[], link: string): string {
  const counts = STATES.flatMap(state => {
    const found = breakers.filter(breaker => breaker.state === state).length
    return found > 0 ? [`${found} ${state}`] : []
  })
  const states = counts.length > 0 ? counts.join(', ') : 'no breakers'
  const parts = ['busbar', link, states]
  if (registry !== undefined) {
    const { threads, slots, keeper, damaged, threadsWithoutSlot } = registry
    const silent = slots.filter(({ state }) => state === 'silent').length
    const dead = slots.filter(({ state }) => state === 'dead').length
    const ill = `${silent > 0 ? `, ${silent} silent` : ''}${dead > 0 ? `, ${dead} dead` : ''}`
    parts.push(`${threads} threads${ill}`, keeper === 'none' ? 'no keeper' : `keeper ${keeper}`)
    if (threadsWithoutSlot > 0) parts.push(`${threadsWithoutSlot} without a slot`)
    if (damaged > 0) parts.push(`${damaged} damaged words`)
  }
  return parts.filter(part => part !== '').join('  |  ')
}

const COLOURS: Readonly<Record<string, string>> = {
  open: '1;31',
  'forced-open': '1;35',
  'half-open': '1;33',
  disabled: '36',
  'metrics-only': '36',
  dim: '2',
}

/** Colours say nothing that the words do not. */
function paint(line: string, what: Seen | 'dim', { isColoured }: Look): string {
  if (!isColoured || line === '') return line
  const isNear = what !== 'dim' && what.state === 'closed' && strainOf(what) >= 0.75
  const colour = isNear ? '33' : COLOURS[what === 'dim' ? 'dim' : what.state]
  return colour === undefined ? line : `\x1b[${colour}m${line}\x1b[0m`
}
