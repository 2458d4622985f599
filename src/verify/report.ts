/** How a violation is told: breaker, word and value in one sentence. */
import type { Limits } from './definitions.ts'
import type { Removal } from './directory.ts'
import type { Ownership, Parts } from './format.ts'
import type { Numbers, Shape } from './format-breaker.ts'

export interface Options {
  /** Nobody is in the midst of a call and every permit is settled: nothing may be in flight. */
  readonly quiet?: boolean
  /** Somebody died in the midst of an operation: what that may leave half done is legal. */
  readonly deaths?: boolean
  /** Microseconds to hold times against; without it the present, by the region's clock. */
  readonly now?: number
}

export interface Finding {
  readonly sentence: string
  /**
   * One word that no thread ever writes so, or words that do not change once they are there. False:
   * words that do not fit each other. They may not either while threads work, or where one died.
   */
  readonly certain: boolean
}

/** For findings that nothing excuses. */
export const CERTAIN = true

export type Say = (sentence: string, certain?: boolean) => void

/** One breaker of the region that is looked at. */
export interface Subject extends Limits, Ownership {
  readonly parts: Parts
  readonly options: Options
  readonly numbers: Numbers
  readonly shape: Shape
  /** Its record's start, in words. */
  readonly record: number
  readonly state: number
  readonly removal: Removal
  /** Of its entry. */
  readonly edition: number
  /** Whether it is known that it never had other options. */
  readonly isAsMade: boolean
  /** Adds "breaker ..., word ..." before what it is told; words count from its record on. */
  readonly say: (word: number, name: string, sentence: string, certain?: boolean) => void
}

export function hex(value: number | bigint): string {
  const unsigned = typeof value === 'bigint' ? BigInt.asUintN(64, value) : value >>> 0
  return `0x${unsigned.toString(16)}`
}

/** A time in microseconds as people read it. */
export function ms(micros: number): string {
  return `${micros / 1000} ms`
}
