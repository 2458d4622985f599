/** Buckets of time: of breakers' time windows and of controls' windows. */
import { ahead, field, GENERATION_BITS, GENERATIONS, isLater, type Parts } from './format.ts'
import { CERTAIN, hex, type Options, type Say } from './report.ts'

/** Bits of a bucket's number that STAMP and TURN hold together. */
const NUMBER_BITS = 30 + 32 - GENERATION_BITS

/** Whose buckets they are, and how they are numbered. */
export interface Timed {
  readonly parts: Parts
  readonly options: Options
  /** Where its record starts, in words. */
  readonly record: number
  readonly generation: number
  /** How many a shard has. */
  readonly buckets: number
  /** The number of the present one. */
  readonly present: number
  readonly say: (word: number, name: string, sentence: string, certain?: boolean) => void
}

/** How many buckets ago it was, if it is of the current generation. */
export function checkBucket(
  of: Timed,
  slot: number,
  index: number,
  at: number,
): number | undefined {
  const { parts, record } = of
  const what = `of slot ${slot}, bucket ${index},`
  if (parts.firstNonZero(record + at, record + at + 8) < 0) return undefined
  const stray = parts.firstNonZero(record + at + 6, record + at + 8)
  if (stray >= 0) of.say(at, `unused ${what}`, `is ${hex(parts.word(stray))}, not 0`, CERTAIN)
  return checkStamp(of, what, index, at)
}

/** STAMP and TURN at word `at`: how many buckets ago that was, if of the current generation. */
function checkStamp(of: Timed, what: string, index: number, at: number): number | undefined {
  const { parts, record, options, generation, buckets, present } = of
  const say = (name: string, sentence: string, certain = false): void =>
    of.say(at, `${name} ${what}`, sentence, certain)
  const stamp = parts.word(record + at)
  const turn = parts.word(record + at + 1)
  if (stamp === -1) {
    if (!options.deaths) say('STAMP', 'is -1: it was never turned over to the end')
    return undefined
  }
  if (!(stamp >= 0 && stamp < 2 ** 30)) {
    say('STAMP', `is ${stamp}, not in 0 .. 2^30 - 1`, CERTAIN)
    return undefined
  }
  const number = (turn >>> GENERATION_BITS) * 2 ** 30 + stamp
  const age = ahead(present, number, NUMBER_BITS)
  if (age >= 2 ** (NUMBER_BITS - 1)) say('STAMP', `says bucket ${number}, now is ${present}`)
  if (number % buckets !== index) say('STAMP', `says bucket ${number}: another place's`)
  const generationOf = turn & (GENERATIONS - 1)
  if (isLater(generationOf, generation)) {
    say('TURN', `is of generation ${generationOf}, at generation ${generation}`)
  }
  return generationOf === generation ? age : undefined
}

/** Those of slot 0, from word `start` of the record on. Whether any was ever used. */
export function checkOverflowBuckets(of: Timed, start: number): boolean {
  const { parts, record, generation, buckets, present } = of
  let used = false
  for (let index = 0; index < buckets; index++) {
    const at = start + index * 10
    if (parts.firstNonZero(record + at, record + at + 10) < 0) continue
    used = true
    const epoch = parts.long(record + at)
    const say: Say = (sentence, certain) =>
      of.say(at, `EPOCH of slot 0, bucket ${index},`, `is ${hex(epoch)}: ${sentence}`, certain)
    const generationOf = field(epoch, 36, 28)
    const number = field(epoch, 0, 36)
    if (isLater(generationOf, generation)) {
      say(`generation ${generationOf}, at generation ${generation}`)
    }
    if (number % buckets !== index) say(`bucket ${number}: another place's`, CERTAIN)
    if (ahead(present, number, 36) >= 2 ** 35) say(`bucket ${number}, now is ${present}`)
  }
  return used
}
