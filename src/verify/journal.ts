/**
 * The journal of transitions. Entries have numbers, and entry n stands at n mod JOURNAL_ENTRIES;
 * KEY makes it, the other words are details that may lack.
 *
 * Everything before JOURNAL_HEAD is there. Whoever appends an entry has raised the head up to it
 * before, and raises it over it at once, so at most one is there beyond, where somebody died.
 */
import { checkDetails } from './details.ts'
import type { Removal } from './directory.ts'
import {
  ENTRY_WORDS,
  field,
  GENERATION_BITS,
  HEADER,
  JOURNAL_ENTRIES,
  type Ownership,
  type Parts,
} from './format.ts'
import { checkHistory } from './history.ts'
import { CERTAIN, hex, type Options, type Say } from './report.ts'
import { STATES } from './state.ts'

const LAP_BITS = 20
const LAPS = 2 ** LAP_BITS
const NUMBERS = 2 ** 32

/** What is known of a breaker besides. */
export interface Standing extends Ownership {
  readonly removal: Removal
  readonly state: number
  /** When the generation began, in microseconds; undefined where the record does not say. */
  readonly since: number | undefined
  readonly mostTrials: number
}

/** An entry with a legal key. */
export interface Entry {
  readonly number: number
  /** Its start, in words. */
  readonly at: number
  readonly breaker: number
  readonly generation: number
  readonly from: number
  readonly to: number
}

/** A journal as the checks of its parts are given it. */
export interface Journal {
  readonly parts: Parts
  readonly options: Options
  readonly breakers: ReadonlyMap<number, Standing>
  readonly entries: readonly Entry[]
  /** It holds all transitions that there ever were. */
  readonly isWhole: boolean
  readonly say: (number: number, name: string, sentence: string, certain?: boolean) => void
}

export function checkJournal(
  parts: Parts,
  options: Options,
  breakers: ReadonlyMap<number, Standing>,
  say: Say,
): void {
  const head = parts.word(HEADER.JOURNAL_HEAD) >>> 0
  const sayOf: Journal['say'] = (number, name, sentence, certain) =>
    say(`journal, entry ${number}, ${name} ${sentence}`, certain)
  const before: Entry[] = []
  const beyond: Entry[] = []
  for (let step = 0; step < JOURNAL_ENTRIES; step++) {
    const number = wrap(head - JOURNAL_ENTRIES + step)
    const entry = checkKey(parts, options, number, head, sayOf)
    if (entry === undefined) continue
    if (entry.number === number) before.push(entry)
    else beyond.push(entry)
  }
  const entries = [...before, ...beyond]
  const isWhole = head < JOURNAL_ENTRIES && before.every(({ number }) => number < head)
  const journal = { parts, options, breakers, entries, isWhole, say: sayOf }
  for (const entry of entries) checkDetails(journal, entry)
  checkHistory(journal)
}

function wrap(number: number): number {
  return (number + NUMBERS) % NUMBERS
}

function lapOf(number: number): number {
  return (Math.floor(number / JOURNAL_ENTRIES) + 1) % LAPS
}

/** The entry where `number` should be, or the next one of that place. */
function checkKey(
  parts: Parts,
  options: Options,
  number: number,
  head: number,
  say: Journal['say'],
): Entry | undefined {
  const at = parts.journal + (number % JOURNAL_ENTRIES) * ENTRY_WORDS
  const key = parts.long(at)
  const next = wrap(number + JOURNAL_ENTRIES)
  if (key === 0n) {
    // In the first lap there was none before.
    if (number < head) say(number, 'KEY', `is 0, JOURNAL_HEAD is ${head}`)
    const stray = parts.firstNonZero(at, at + ENTRY_WORDS)
    if (stray >= 0) say(number, `word ${stray - at}`, `is ${hex(parts.word(stray))}, KEY is 0`)
    return undefined
  }
  const lap = field(key, 44, LAP_BITS)
  if (lap !== lapOf(number) && lap !== lapOf(next)) {
    say(number, 'KEY', `is ${hex(key)}, of lap ${lap}, JOURNAL_HEAD ${head} says ${lapOf(number)}`)
    return undefined
  }
  const found = lap === lapOf(number) ? number : next
  const mayBeBeyond = options.deaths === true && found === head
  if (found === next && !mayBeBeyond) {
    say(found, 'KEY', `is ${hex(key)}, JOURNAL_HEAD is only ${head}`)
  }
  return readKey(parts, key, found, at, say)
}

function readKey(
  parts: Parts,
  key: bigint,
  number: number,
  at: number,
  say: Journal['say'],
): Entry | undefined {
  const [from, to] = [field(key, 3, 3), field(key, 0, 3)]
  const breaker = field(key, 28, 16)
  for (const state of [from, to]) {
    if (state < STATES) continue
    say(number, 'KEY', `is ${hex(key)}: there is no state ${state}`, CERTAIN)
    return undefined
  }
  if (breaker >= parts.maxBreakers) {
    say(number, 'KEY', `is ${hex(key)}: there can be no breaker ${breaker}`, CERTAIN)
    return undefined
  }
  if (parts.long(parts.breakers.directory + breaker * 2) === 0n) {
    say(number, 'KEY', `is ${hex(key)}: there is no breaker ${breaker}`)
    return undefined
  }
  return { number, at, breaker, generation: field(key, 6, GENERATION_BITS), from, to }
}
