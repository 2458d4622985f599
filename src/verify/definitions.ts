/** Definitions: names, options and limits, and who holds them. */
import { type Area, DEFINITION_WORDS, field, GENERATIONS, HEADER, type Parts } from './format.ts'
import { CERTAIN, hex, type Options, type Say } from './report.ts'

/** Words of a definition. */
const NAME = 5
const FIRST = 69
const MAX_KEYS = FIRST + 1
const PREFIX_LENGTH = FIRST + 2
const MOST_TRIALS = FIRST + 3
const LIMITS_END = FIRST + 4
const OPTIONS = LIMITS_END + 1
const MADE = OPTIONS + 30
const LONGEST_WAIT = MADE + 30
const LONGEST_LEASE = LONGEST_WAIT + 2
const END = LONGEST_LEASE + 2

const MOST_KEYS = 65_536
const MOST_BYTES = 255
const MOST_PLACES = 64

/** What options say, and what is wrong with them. */
export interface ReadOptions<N> {
  readonly numbers: N
  /** Of one word each. */
  readonly faults: readonly string[]
  /** Of words that do not fit each other. */
  readonly misfits: readonly string[]
}

/** What bounds what may stand in a record. */
export interface Limits {
  readonly mostTrials: number
  readonly longestWaitMs: number
  readonly longestLeaseMs: number
}

/** What is in definitions: of breakers or of controls. */
export interface Defined<N> {
  /** Those of breakers may be given others, and be another's in the end. */
  readonly isFixed: boolean
  /** The options at word `at`. */
  readOptions(parts: Parts, at: number): ReadOptions<N>
  /** In what two sets of options differ that one record cannot have. */
  differenceOf(numbers: N, made: N): string | undefined
  /** What these options come to. */
  limitsOf(numbers: N): Limits
}

export interface Definition<N> extends Limits {
  readonly name: string
  /** In force. */
  readonly numbers: N
  readonly made: N
  /** Whether its options are legal: else its record cannot be read. */
  readonly isSound: boolean
  /** When it was made, in ms. */
  readonly created: number
  readonly first: number
  readonly maxKeys: number
  /** The part of the name that is its group; '' where it belongs to none. */
  readonly group: string
}

export function checkDefinition<N>(
  parts: Parts,
  of: Defined<N>,
  area: Area,
  definition: number,
  sayOf: Say,
): Definition<N> {
  const start = area.definitions + definition * DEFINITION_WORDS
  const say: Say = (sentence, certain) => sayOf(`definition ${definition}, ${sentence}`, certain)
  const created = parts.double(start + 2)
  if (!(created >= 0 && created * 1000 <= parts.now + 1)) {
    say(`CREATED is ${created}, not a time up to now`)
  }
  const inForce = checkOptions(parts, of, start + OPTIONS, '', say)
  const made = checkOptions(parts, of, start + MADE, 'as made, ', say)
  const difference = of.differenceOf(inForce.numbers, made.numbers)
  if (difference !== undefined) say(`as made, ${difference}`, of.isFixed)
  const limits = checkLimits(parts, start, of, [inForce.numbers, made.numbers], say)
  const name = nameOf(parts, start, definition, of.isFixed, say)
  return {
    ...inForce,
    ...limits,
    made: made.numbers,
    name,
    created,
    ...keysOf(parts, start, name, of.isFixed, say),
  }
}

function checkOptions<N>(parts: Parts, of: Defined<N>, at: number, what: string, say: Say) {
  const { numbers, faults, misfits } = of.readOptions(parts, at)
  for (const fault of faults) say(`${what}${fault}`, CERTAIN)
  for (const misfit of misfits) say(`${what}${misfit}`, of.isFixed)
  return { numbers, isSound: faults.length + misfits.length === 0 }
}

/** They bound whatever options it has had, so those in force and those of old. */
function checkLimits<N>(
  parts: Parts,
  start: number,
  of: Defined<N>,
  options: readonly N[],
  say: Say,
): Limits {
  const limits = {
    mostTrials: parts.word(start + MOST_TRIALS),
    longestWaitMs: parts.double(start + LONGEST_WAIT),
    longestLeaseMs: parts.double(start + LONGEST_LEASE),
  }
  for (const [name, what, most] of [
    ['mostTrials', 'MOST_TRIALS', MOST_PLACES],
    ['longestWaitMs', 'LONGEST_WAIT_MS', Number.MAX_VALUE],
    ['longestLeaseMs', 'LONGEST_LEASE_MS', Number.MAX_VALUE],
  ] as const) {
    const limit = limits[name]
    const least = Math.max(...options.map(numbers => of.limitsOf(numbers)[name]))
    if (of.isFixed && limit !== 0) say(`${what} is ${limit}, not 0`, CERTAIN)
    else if (!(limit >= 0 && limit <= most)) say(`${what} is ${limit}, not legal`, CERTAIN)
    else if (limit < least) say(`${what} is ${limit}, its options say ${least}`)
  }
  return limits
}

function keysOf(parts: Parts, start: number, name: string, isFixed: boolean, say: Say) {
  const check = (what: string, word: number, most: number): number => {
    const value = parts.word(start + word)
    if (isFixed && value !== 0) say(`${what} is ${value}, not 0`, CERTAIN)
    if (!(value >= 0 && value <= most)) say(`${what} is ${value}, not in 0 .. ${most}`, CERTAIN)
    return value
  }
  const first = check('FIRST', FIRST, GENERATIONS - 1)
  const maxKeys = check('MAX_KEYS', MAX_KEYS, MOST_KEYS)
  const length = check('PREFIX_LENGTH', PREFIX_LENGTH, MOST_BYTES)
  if (length > 0 && length >= name.length) {
    say(`PREFIX_LENGTH is ${length}, its name has ${name.length} units`)
  }
  if (length > 0 && maxKeys === 0) say(`PREFIX_LENGTH is ${length}, yet MAX_KEYS is 0`)
  return { first, maxKeys, group: maxKeys > 0 ? name.slice(0, length) : '' }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function nameOf(
  parts: Parts,
  start: number,
  definition: number,
  isFixed: boolean,
  say: Say,
): string {
  const length = parts.word(start + 4)
  if (!(length >= 1 && length <= MOST_BYTES)) {
    say(`NAME_BYTES is ${length}, not in 1 .. ${MOST_BYTES}`, CERTAIN)
    return `?${definition}`
  }
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; at++) {
    bytes[at] = parts.word(start + NAME + (at >> 2)) >>> ((at & 3) * 8)
  }
  try {
    return decoder.decode(bytes)
  } catch {
    say(`NAME is ${Buffer.from(bytes).toString('hex')}, not UTF-8`, isFixed)
    return `?${definition}`
  }
}

/** Which definitions an entry names, or is about to. */
export interface Taken {
  readonly published: ReadonlySet<number>
  readonly making: number | undefined
}

/**
 * A definition without an entry is free, or a living thread is about to publish it. Who takes one
 * out of its entry frees it, unless it dies: then it stays taken until its maker ends.
 */
export function checkHolders(
  parts: Parts,
  isFixed: boolean,
  area: Area,
  { published, making }: Taken,
  options: Options,
  holders: ReadonlyMap<number, number>,
  say: Say,
): void {
  const living = new Set(holders.values())
  const mayBeLeft = parts.word(HEADER.OVERFLOW_USED) !== 0 || (options.deaths && !isFixed)
  for (let definition = 0; definition < area.definitionCount; definition++) {
    const start = area.definitions + definition * DEFINITION_WORDS
    checkUnused(parts, start, definition, say)
    const holder = parts.long(start)
    const what = `definition ${definition}, HOLDER is ${hex(holder)}`
    if (holder !== 0n && field(holder, 52, 12) !== 0x800)
      say(`${what}: not a maker's word`, CERTAIN)
    if (published.has(definition) || definition === making) {
      if (holder === 0n) say(`${what}: free, yet the directory names it`, isFixed)
    } else if (holder !== 0n) {
      const thread = field(holder, 26, 26)
      if (options.quiet && !(options.deaths && !isFixed)) {
        say(`${what}: taken by thread ${thread} and never published`)
      } else if (!living.has(thread) && !mayBeLeft) {
        say(`${what}: taken by thread ${thread}, which is not alive, and not published`)
      }
    }
  }
}

function checkUnused(parts: Parts, start: number, definition: number, say: Say): void {
  for (const [from, to] of [
    [LIMITS_END, OPTIONS],
    [END, DEFINITION_WORDS],
  ] as const) {
    const at = parts.firstNonZero(start + from, start + to)
    if (at < 0) continue
    say(`definition ${definition}, unused word ${at} is ${hex(parts.word(at))}, not 0`, CERTAIN)
  }
}
