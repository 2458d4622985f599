/** One breaker as text. */
import { inspect } from 'node:util'
import { EDITION_BITS } from '../memory/words/state.ts'
import { SHARED_KEYS } from '../options/shared.ts'
import { type ShardTotals, TOTAL_NAMES } from '../protocol/totals.ts'
import type { BreakerView } from './breaker.ts'
import { type Cell, count, ms, pairs, plural, quoted, table } from './table.ts'
import type { RegionView } from './view.ts'

export function breakerLines(breaker: BreakerView, region: RegionView): string[] {
  const parts = [
    pairs(statePairs(breaker, region), '  '),
    pairs(optionPairs(breaker.options), '  '),
    madeLines(breaker),
    trialLines(breaker, region),
    transitionLines(breaker),
    totalLines(breaker, region),
    bucketLines(breaker),
  ]
  const lines = [`breaker ${quoted(breaker.name)}${breaker.removed ? ', removed' : ''}`]
  for (const part of parts) if (part.length > 0) lines.push('', ...part)
  return lines
}

/** With how long that is from now, where the file says when now is. */
export function moment(time: number | null, { clock, now }: RegionView): string {
  const said = ms(time)
  if (clock !== 'manual' || time === null || time === Number.POSITIVE_INFINITY) return said
  if (time === now) return `${said}, which is now`
  return time > now ? `${said}, in ${ms(time - now)}` : `${said}, ${ms(now - time)} ago`
}

function statePairs(breaker: BreakerView, region: RegionView): [string, string][] {
  const rows: [string, string][] = [
    ['state', `${breaker.state}, generation ${count(breaker.generation)}`],
    ['since', moment(breaker.since, region)],
  ]
  if (breaker.openUntil !== null) rows.push(['open until', moment(breaker.openUntil, region)])
  if (breaker.reason !== null) rows.push(['reason', quoted(breaker.reason)])
  rows.push(['openings', `${count(breaker.openingsInARow)} in a row`])
  const { openedBy } = breaker
  if (openedBy) {
    const { calls, failures, slowCalls } = openedBy
    const text = `${plural(calls, 'call')}, ${count(failures)} failed, ${count(slowCalls)} slow`
    rows.push(['opened by', text])
  }
  rows.push(...windowPairs(breaker, region))
  rows.push(['durations', durationsText(breaker.durations)])
  const { word, lines } = breaker.record
  rows.push(['made at', moment(breaker.createdAt, region)])
  rows.push(['edition', editionText(breaker)])
  if (breaker.group !== null) rows.push(['group', groupText(breaker.group)])
  const own = breaker.first === 0 ? '' : `; its own from generation ${count(breaker.first)} on`
  rows.push(['record', `from word ${count(word)} on, ${plural(lines, 'line')}${own}`])
  return rows
}

/** STATE has the lowest bits. */
const STATE_EDITIONS = 2 ** EDITION_BITS

function editionText({ edition, stateEdition }: BreakerView): string {
  if (edition % STATE_EDITIONS === stateEdition) return count(edition)
  return `${count(edition)}; STATE still says ${count(stateEdition)}`
}

function groupText({ prefix, max }: NonNullable<BreakerView['group']>): string {
  return `${quoted(prefix)}, at most ${plural(max, 'breaker')}`
}

/** The options that are others now. */
function madeLines({ options, made }: BreakerView): string[] {
  if (made === null) return []
  const inForce = new Map(optionPairs(options))
  const rows = optionPairs(made).filter(([name, text]) => inForce.get(name) !== text)
  if (rows.length === 0) return []
  return ['  made with', '', ...pairs(rows, '    ')]
}

function windowPairs(breaker: BreakerView, region: RegionView): [string, string][] {
  const { window, hanging, head, row, stock, periodicSum } = breaker
  if (row !== null) return [['window', `${plural(row, 'failure')} in a row`]]
  const rows: [string, string][] = [['window', countsText(window)]]
  if (hanging !== null) rows.push(['hanging', `${plural(hanging, 'call')}, counted as slow`])
  if (head !== null) rows.push(['head', `the next outcome has index ${count(head)}`])
  if (periodicSum !== null) {
    const { at, ...counts } = periodicSum
    rows.push(['last sum', `${countsText(counts)}; at ${moment(at, region)}`])
  }
  const minimum = stock?.holdsMinimum ? 'found' : 'did not find'
  const sum = `the last one ${minimum} the minimum of calls`
  const left = stock && `${plural(stock.left, 'outcome')} until a sum; ${sum}`
  rows.push(['stock', left ?? 'no sum yet'])
  return rows
}

function countsText(counts: BreakerView['window']): string {
  const { calls, failures, slowCalls, slowFailures } = counts
  const slow = `${count(slowCalls)} slow, ${count(slowFailures)} both`
  return `${plural(calls, 'call')}, ${count(failures)} failed, ${slow}`
}

/** Quantiles are about so: within 4.8 %. */
function durationsText({
  count: measured,
  meanMs,
  p50Ms,
  p99Ms,
}: BreakerView['durations']): string {
  if (measured === 0) return 'none measured'
  const quantiles = `p50 about ${ms(p50Ms)}, p99 about ${ms(p99Ms)}`
  return `${count(measured)} measured, mean ${ms(meanMs)}, ${quantiles}`
}

/** As a user would write them, in the order of the documentation. */
export function optionPairs(options: Readonly<Record<string, unknown>>): [string, string][] {
  const names = SHARED_KEYS.filter(name => Object.hasOwn(options, name))
  return names.map(name => [name, valueText(options[name])])
}

const FORMAT = { breakLength: Number.POSITIVE_INFINITY, numericSeparator: true } as const

/** The value of an option. */
export function valueText(value: unknown): string {
  return value === 'off' ? 'off' : inspect(value, FORMAT)
}

function trialLines({ trials }: BreakerView, region: RegionView): string[] {
  if (trials.taken.length === 0) return []
  const rows = trials.taken.map(({ place, outcome, slot, claim, leaseUntil }) => [
    place,
    outcome,
    slot,
    threadIn(slot, region),
    claim,
    leaseUntil === null ? 'not yet written' : moment(leaseUntil, region),
  ])
  const head = ['trial', 'outcome', 'slot', 'thread', 'claim', 'lease until']
  const free = `  ${count(trials.free)} of ${plural(trials.permitted, 'trial')} free`
  return [...table(head, rows, '  '), free]
}

function threadIn(slot: number, { slots }: RegionView): string {
  if (slot === 0) return 'unknown'
  return String(slots[slot - 1]?.thread ?? 'none now')
}

function transitionLines({ transitions }: BreakerView): string[] {
  if (transitions.length === 0) return []
  const rows = transitions.map(({ from, to, count: times }) => [arrow(from, to), times])
  return table(['transitions', 'times'], rows, '  ')
}

/** From one state to another. */
export function arrow(from: string, to: string): string {
  return `${from} -> ${to}`
}

/** Those of which there is a column. */
const COLUMNS = TOTAL_NAMES.filter(
  name => !['refusedHalfOpen', 'refusedForcedOpen', 'localStalls'].includes(name),
)

function totalLines({ totals, shards }: BreakerView, region: RegionView): string[] {
  const rowOf = (who: string, of: ShardTotals): Cell[] => [who, ...COLUMNS.map(name => of[name])]
  const rows = shards.map(shard => [
    ...rowOf(slotName(shard.slot, region), shard.totals),
    inFlightOf(shard.totals),
  ])
  rows.push([...rowOf('all', totals), totals.inFlight])
  return [
    ...table(['calls', ...COLUMNS, 'in flight'], rows, '  '),
    ...refusalLines(totals),
    ...stallLines(totals),
  ]
}

function stallLines({ localStalls }: ShardTotals): string[] {
  if (localStalls === 0) return []
  return [`  ${plural(localStalls, 'timeout')} late because the thread's own loop was blocked`]
}

function refusalLines({ refused, refusedHalfOpen, refusedForcedOpen }: ShardTotals): string[] {
  if (refusedHalfOpen + refusedForcedOpen === 0) return []
  const open = refused - refusedHalfOpen - refusedForcedOpen
  const others = `${count(refusedHalfOpen)} half-open, ${count(refusedForcedOpen)} forced-open`
  return [`  refused while ${count(open)} open, ${others}`]
}

function inFlightOf(totals: ShardTotals): number {
  const { admitted, succeeded, failed, ignored, late, abandoned } = totals
  return admitted - succeeded - failed - ignored - late - abandoned
}

/** A slot, and whether nobody holds it. */
export function slotName(slot: number, region: RegionView): string {
  if (slot === 0) return 'slot 0, overflow'
  return `slot ${slot}${region.slots[slot - 1]?.state === 'free' ? ', free' : ''}`
}

function bucketLines({ shards, generation }: BreakerView): string[] {
  const rows = shards.flatMap(({ slot, buckets }) =>
    buckets.map(bucket => [
      `slot ${slot}`,
      bucket.turning ? 'turning' : bucket.number,
      bucket.turning ? 'unknown' : ms(bucket.startMs),
      bucket.generation === generation ? bucket.generation : `${bucket.generation}, over`,
      bucket.good,
      bucket.failed,
      bucket.slow,
      bucket.slowFailed,
    ]),
  )
  if (rows.length === 0) return []
  const head = ['buckets', 'number', 'began at', 'generation', 'good', 'failed', 'slow', 'both']
  return table(head, rows, '  ')
}
