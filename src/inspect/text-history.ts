/** The last transitions as text. */
import type { HistoryView } from './history.ts'
import { count, ms, quoted, table } from './table.ts'
import { arrow } from './text-breaker.ts'

/** The last so many of them, the oldest first. */
export function historyLines(history: readonly HistoryView[], last: number): string[] {
  if (history.length === 0) return ['no transitions']
  const shown = history.slice(Math.max(0, history.length - last))
  const title = `the last ${count(shown.length)} of ${count(history.length)} transitions`
  if (shown.length === 0) return [title]
  const rows = shown.map(of => [
    of.entry,
    ms(of.at),
    quoted(of.breaker),
    arrow(of.from, of.to),
    of.generation,
    of.thread === null ? 'unknown' : `${of.thread}`,
    of.counts?.calls ?? '',
    of.counts?.failures ?? '',
    of.counts?.slowCalls ?? '',
    of.said ? quoted(of.reason) : of.reason,
  ])
  const head = ['entry', 'at', 'breaker', 'transition', 'generation', 'thread']
  return [title, '', ...table([...head, 'calls', 'failed', 'slow', 'reason'], rows, '  ')]
}
