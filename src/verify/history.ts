/**
 * The entries of each breaker, in order: of the one that has the record now. A transition is
 * published by whoever has appended or found its entry, so none lacks; a helper may append a
 * second, before the next of that breaker.
 */
import { makerOf, timeOf } from './details.ts'
import { isOwnGeneration } from './format.ts'
import type { Entry, Journal, Standing } from './journal.ts'
import { CLOSED, wrap } from './state.ts'

export function checkHistory(journal: Journal): void {
  const byBreaker = groupsOf(journal.entries, ({ breaker }) => breaker)
  for (const [breaker, standing] of journal.breakers) {
    const all = byBreaker.get(breaker) ?? []
    // What had the record before has no standing any more.
    const entries = all.filter(({ generation }) => isOwnGeneration(standing, generation))
    checkOrder(journal, standing, entries)
    checkEnd(journal, breaker, standing, entries)
    if (!journal.options.deaths) checkMakers(journal, entries)
  }
}

function groupsOf(
  entries: readonly Entry[],
  keyOf: (entry: Entry) => number,
): ReadonlyMap<number, readonly Entry[]> {
  const groups = new Map<number, Entry[]>()
  for (const entry of entries) {
    const group = groups.get(keyOf(entry)) ?? []
    group.push(entry)
    groups.set(keyOf(entry), group)
  }
  return groups
}

function checkOrder(
  { isWhole, say }: Journal,
  { first: start }: Standing,
  entries: readonly Entry[],
): void {
  let before = isWhole ? { generation: start, to: CLOSED } : undefined
  let first: Entry | undefined
  for (const entry of entries) {
    const { number, breaker, generation, from, to } = entry
    const isSecond = first?.generation === generation
    const what = `of breaker ${breaker} began generation ${generation}`
    if (isSecond && (first?.from !== from || first.to !== to)) {
      say(number, 'KEY', `${what} from ${from} to ${to}, entry ${first?.number} says otherwise`)
    }
    if (!isSecond && before !== undefined) {
      if (generation !== wrap(before.generation + 1)) {
        say(number, 'KEY', `${what}, the one before it ${before.generation}`)
      } else if (from !== before.to) {
        say(number, 'KEY', `${what} from state ${from}, the one before it led to ${before.to}`)
      }
    }
    first = isSecond ? first : entry
    before = entry
  }
}

/** A removal has no entry, so what came before it is the last. */
function checkEnd(
  { options, isWhole, say }: Journal,
  breaker: number,
  { generation, state, first, removal, isToBegin }: Standing,
  entries: readonly Entry[],
): void {
  const last = entries.at(-1)
  const end = removal === 'removed' ? wrap(generation - 1) : generation
  if (last === undefined) {
    if (!isWhole || isToBegin || end === first) return
    say(0, 'KEY', `and later ones know nothing of breaker ${breaker}, at generation ${generation}`)
    return
  }
  // Appended by somebody who died before it was published.
  if (options.deaths && last.generation === wrap(generation + 1)) return
  const what = `of breaker ${breaker}, its last,`
  if (last.generation !== end) {
    say(last.number, 'KEY', `${what} began ${last.generation}, STATE says ${generation}`)
  } else if (removal === 'none' && last.to !== state) {
    say(last.number, 'KEY', `${what} led to ${last.to}, STATE says ${state}`)
  }
}

/**
 * Nobody died, so of each transition an entry says when it was, and the first who made it. Where
 * the ring has gone round, the first of the oldest transition may be gone, and its second still
 * there.
 */
function checkMakers(journal: Journal, entries: readonly Entry[]): void {
  const groups = [...groupsOf(entries, ({ generation }) => generation).values()]
  for (const group of journal.isWhole ? groups : groups.slice(1)) {
    const number = group[0]?.number ?? 0
    if (group.every(entry => timeOf(journal, entry) === undefined)) {
      journal.say(number, 'TIME', 'lacks, yet nobody died')
    }
    if (group.every(entry => makerOf(journal, entry) === undefined)) {
      journal.say(number, 'BY', 'lacks its thread, yet nobody died')
    }
  }
}
