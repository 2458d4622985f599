/** What is being made in a directory: one thing at a time, and each has the next number. */
import { type Area, ahead, field, type Parts } from './format.ts'
import { CERTAIN, hex, type Options, type Say } from './report.ts'

const SEQUENCE_BITS = 26

/** Entries as far as this needs to know them. */
interface Made {
  readonly definition: number
  readonly first: number
}

/** The definition that is about to be published, if one is. */
export function checkMaking(
  parts: Parts,
  area: Area,
  options: Options,
  entries: readonly Made[],
  sayOf: Say,
): number | undefined {
  const word = parts.long(area.making)
  const sequence = field(word, 38, SEQUENCE_BITS)
  const definition = field(word, 18, 20) - 1
  const entry = field(word, 0, 18)
  const say: Say = (sentence, certain) => sayOf(`MAKING is ${hex(word)}: ${sentence}`, certain)
  checkSequence(sequence, definition, entry, entries, say)
  if (definition < 0) {
    if (entry !== 0) say(`entry ${entry}, yet no definition`, CERTAIN)
    return undefined
  }
  if (definition >= area.definitionCount) say(`there is no definition ${definition}`, CERTAIN)
  if (entry >= area.entries) say(`there can be no entry ${entry}`, CERTAIN)
  else if (entry > entries.length) say(`entry ${entry}, there are ${entries.length}`)
  if (options.quiet && !options.deaths) say('yet nobody makes anything')
  return definition
}

/** Each making published one entry. Where none is of a record that another had, it is a new one. */
function checkSequence(
  sequence: number,
  definition: number,
  entry: number,
  entries: readonly Made[],
  say: Say,
): void {
  if (entries.some(({ first }) => first !== 0)) return
  const isToCome = definition >= 0 && entries[entry]?.definition !== definition
  const made = entries.length + (isToCome ? 1 : 0)
  if (ahead(sequence, made, SEQUENCE_BITS) === 0) return
  say(`${sequence} were made, the directory says ${made}`)
}
