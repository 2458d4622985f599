/**
 * What a throttle publishes. Pure functions, no memory.
 *
 *   PROBABILITY   31 bits   { fence's low 7 | probability 24 }   in parts of 2^24, below 2^24
 */

export const PROBABILITY_BITS = 24
const PARTS = 2 ** PROBABILITY_BITS
const PROBABILITY_MASK = PARTS - 1
const ROUND_MASK = 0x7f

/** A probability in parts of 2^24, rounded down; 1 is one part less. */
export function partsOf(probability: number): number {
  return Math.min(Math.floor(probability * PARTS), PROBABILITY_MASK)
}

export function probabilityOf(parts: number): number {
  return parts / PARTS
}

export function packRejection(fence: number, parts: number): number {
  return ((fence & ROUND_MASK) << PROBABILITY_BITS) | parts
}

export function rejectionOf(word: number): number {
  return word & PROBABILITY_MASK
}

/** Whether the word was published in the round of that fence, or 128 rounds before or after. */
export function isOfRound(word: number, fence: number): boolean {
  return word >>> PROBABILITY_BITS === (fence & ROUND_MASK)
}

/** Whether a throttle that refuses with at most `most` parts can have published the word. */
export function isLegalRejection(word: number, most: number): boolean {
  return word >= 0 && rejectionOf(word) <= most
}
