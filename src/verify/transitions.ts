/**
 * How often a breaker went from one state to another. Each transition is counted before STATE says
 * it, once, so the counts add up to the generation and lead to the present state.
 */
import { field, GENERATIONS } from './format.ts'
import { CERTAIN, hex, type Subject } from './report.ts'
import { CLOSED, STATES, TRANSITIONS, wrap } from './state.ts'

interface Count {
  readonly from: number
  readonly to: number
  /** The generation that its last transition began. */
  readonly last: number
  readonly value: number
}

export function checkTransitions(subject: Subject): void {
  const { options, generation, state } = subject
  const counts = readCounts(subject)
  // Counted by somebody who died before it was published.
  const next = counts.find(({ last }) => last === wrap(generation + 1))
  const isAhead = options.deaths === true && next !== undefined
  const end = isAhead ? wrap(generation + 1) : generation
  checkLast(subject, counts, end, isAhead ? next.to : state)
  const sum = counts.reduce((all, { value }) => all + value, 0)
  if (sum % GENERATIONS !== end) {
    const sentence = `add up to ${sum}, at generation ${generation}`
    subject.say(TRANSITIONS, 'TRANSITIONS', sentence)
  } else if (state < STATES) checkFlow(subject, counts, isAhead ? next.to : state)
}

function wordOf({ from, to }: Pick<Count, 'from' | 'to'>): number {
  return TRANSITIONS + (from * STATES + to) * 2
}

function nameOf({ from, to }: Pick<Count, 'from' | 'to'>): string {
  return `TRANSITIONS ${from} to ${to}`
}

function readCounts({ parts, record, say }: Subject): Count[] {
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
      counts.push({ ...at, last: wrap(tag - 1), value: field(long, 0, 32) })
    }
  }
  return counts
}

/** One transition began each generation, so the last ones hang together, back from the present. */
function checkLast(subject: Subject, counts: readonly Count[], end: number, state: number): void {
  const { generation, say } = subject
  const back = ({ last }: Count): number => wrap(end - last)
  const sorted = counts.toSorted((a, b) => back(a) - back(b))
  let after: Count | undefined
  for (const count of sorted) {
    const age = back(count)
    if (age >= GENERATIONS / 2) {
      const sentence = `was last counted for generation ${count.last}, at generation ${generation}`
      say(wordOf(count), nameOf(count), sentence)
      continue
    }
    if (after === undefined && (age > 0 || count.to !== state)) {
      const sentence = `is of generation ${count.last}, the latest`
      say(wordOf(count), nameOf(count), `${sentence}; STATE says ${generation}, ${state}`)
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
