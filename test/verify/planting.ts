/** How words are set by hand. */
import type { Made } from './support.ts'

/** A word set by hand, and the sentence that must come of it. */
export type Plant = [what: string, plant: (made: Made) => void, sentence: RegExp]

export const word = (at: (made: Made) => number, value: number) => (to: Made) => {
  to.memory[at(to)] = value
}
export const double = (at: (made: Made) => number, value: number) => (to: Made) => {
  to.memory.doubles[at(to)] = value
}
export const long = (at: (made: Made) => number, value: (made: Made) => bigint) => (to: Made) => {
  to.memory.longs[at(to)] = value(to)
}
export const recordLong =
  (breaker: keyof Made['cells'], offset: number, value: bigint) =>
  (to: Made): void => {
    to.memory.longs[to.cells[breaker].recordLong + offset] = value
  }
