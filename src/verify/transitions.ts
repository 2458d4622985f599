/**
 * How often a breaker went from one state to another. Each transition is counted before STATE says
 * it, once, so the counts add up to the generations that it has had and lead to the present state.
 * Its removal is not counted, nor how it began; counts of an earlier breaker read as 0.
 */
import { field, GENERATIONS, isOwnGeneration, NEAR } from './format.ts'
import { REMOVED } from './format-breaker.ts'
import { CERTAIN, hex, type Subject } from './report.ts'
import { CLOSED, STATES, TRANSITIONS, wrap } from './state.ts'

interface Count {
  readonly from: number
  readonly to: number
  /** The generation that its last transition began. */
  readonly last: number
  readonly value: number
}

/** A pair of states that had no transition for half of all generations may miss one. */
const HALF = GENERATIONS / 2

export function checkTransitions(subject: Subject): void {
  const { options, generation, first, removal, state } = subject
  const counts = readCounts(subject)
  // Nobody counts its removal, so what came before that is the latest.
  const present = removal === 'removed' ? wrap(generation - 1) : generation
  // Counted by somebody who died before it was published.
  const next = counts.find(({ last }) => last === wrap(generation + 1))
  const isAhead = options.deaths === true && next !== undefined
  const end = isAhead ? wrap(generation + 1) : present
  const latest = isAhead || removal !== 'none' ? undefined : state
  checkLast(subject, counts, end, latest)
  const sum = counts.reduce((all, { value }) => all + value, 0)
  const began = removal === 'to begin' ? end : first
  const missing = wrap((wrap(end - began) - sum) % GENERATIONS)
  const mayMiss = sum >= HALF && missing < NEAR
  if (missing !== 0 && !mayMiss) {
    const sentence = `add up to ${sum}, from generation ${began} to ${end}`
    subject.say(TRANSITIONS, 'TRANSITIONS', sentence)
  } else if (missing === 0 && state <= REMOVED) {
    const last = counts.toSorted((a, b) => wrap(end - a.last) - wrap(end - b.last))[0]
    checkFlow(subject, counts, latest ?? last?.to ?? CLOSED)
  }
}

function wordOf({ from, to }: Pick<Count, 'from' | 'to'>): number {
  return TRANSITIONS + (from * STATES + to) * 2
}

function nameOf({ from, to }: Pick<Count, 'from' | 'to'>): string {
  return `TRANSITIONS ${from} to ${to}`
}

/** Those of the breaker that has the record now. */
function readCounts(subject: Subject): Count[] {
  const { parts, record, say } = subject
  const counts: Count[] = []
  for (let from = 0; from < STATES; from++) {
    for (let to = 0; to < STATES; to++) {
      const at = { from, to }
      const long = parts.long(record + wordOf(at))
      if (long === 0n) continue
      const tag = field(long, 32, 32)
      if (tag === 0 || tag > GENERATIONS) {
        say(wordOf(at), nameOf(at), `is ${hex(long)}, tagged with no generation`, CERTAIN)
      }
      const last = wrap(tag - 1)
      if (isOwnGeneration(subject, last)) counts.push({ ...at, last, value: field(long, 0, 32) })
    }
  }
  return counts
}

/**
 * One transition began each generation, so the last ones hang together, back from the end. `state`:
 * to which the latest led; undefined where STATE does not say so.
 */
function checkLast(
  subject: Subject,
  counts: readonly Count[],
  end: number,
  state: number | undefined,
): void {
  const { generation, say } = subject
  const back = ({ last }: Count): number => wrap(end - last)
  const sorted = counts.toSorted((a, b) => back(a) - back(b))
  let after: Count | undefined
  for (const count of sorted) {
    const age = back(count)
    if (age >= GENERATIONS - NEAR) {
      const sentence = `was last counted for generation ${count.last}, at generation ${generation}`
      say(wordOf(count), nameOf(count), sentence)
      continue
    }
    if (after === undefined && (age > 0 || (state !== undefined && count.to !== state))) {
      const sentence = `is of generation ${count.last}, the latest`
      say(wordOf(count), nameOf(count), `${sentence}; STATE says ${generation}, ${subject.state}`)
    }
    if (after !== undefined && back(after) === age) {
      const sentence = `is of generation ${count.last}, as is ${nameOf(after)}`
      say(wordOf(count), nameOf(count), sentence)
    }
    if (after !== undefined && back(after) + 1 === age && after.from !== count.to) {
      const sentence = `is of generation ${count.last}, and ${nameOf(after)} of the next`
      say(wordOf(count), nameOf(count), sentence)
    }
    after = count
  }
}

/** A state is entered as often as it is left, but for the first and the present one. */
function checkFlow({ say }: Subject, counts: readonly Count[], present: number): void {
  for (let state = 0; state < STATES; state++) {
    const sumOf = (side: 'from' | 'to'): number =>
      counts.filter(count => count[side] === state).reduce((all, { value }) => all + value, 0)
    const entered = sumOf('to') + (state === CLOSED ? 1 : 0)
    const left = sumOf('from') + (state === present ? 1 : 0)
    if (entered % 2 ** 32 === left % 2 ** 32) continue
    const sentence = `enter state ${state} ${sumOf('to')} times and leave it`
    const end = `${sumOf('from')} times; it is in state ${present}`
    say(TRANSITIONS, 'TRANSITIONS', `${sentence} ${end}`)
  }
}
