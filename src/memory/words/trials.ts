/**
 * Trial places and permits. Pure functions, no memory.
 *
 *   PLACE   64 bits   { generation 28 | kind 2 | claim 22 | slot 12 }
 *   permit  53 bits   { 1 | claim 22 | place 6 | generation's low 24 }
 */

export const FREE = 0
export const CLAIMED = 1
export const SUCCEEDED = 2
export const FAILED = 3

export const CLAIM_BITS = 22
export const KIND_BITS = 2
export const SLOT_BITS = 12

export const CLAIM_MASK = (1 << CLAIM_BITS) - 1

export interface Place {
  generation: number
  kind: number
  claim: number
  slot: number
}

export function packPlace(generation: number, kind: number, claim: number, slot: number): bigint {
  const high = (BigInt(generation) << 2n) | BigInt(kind)
  return BigInt.asIntN(64, (high << 34n) | (BigInt(claim & CLAIM_MASK) << 12n) | BigInt(slot))
}

export function unpackPlace(word: bigint): Place {
  const bits = BigInt.asUintN(64, word)
  return {
    generation: Number(bits >> 36n),
    kind: Number((bits >> 34n) & 3n),
    claim: Number((bits >> 12n) & BigInt(CLAIM_MASK)),
    slot: Number(bits & 0xfffn),
  }
}

/** What `tryAcquire` answers when it refuses. */
export const REFUSED = -1

/** Permits from here on are trials': { 1 | claim 22 | place 6 | generation's low 24 } = 53 bits. */
export const FIRST_TRIAL_PERMIT = 2 ** 52

export const PERMIT_PLACE_BITS = 6
export const PERMIT_GENERATION_BITS = 24
const PERMIT_GENERATIONS = 2 ** PERMIT_GENERATION_BITS

export function packTrialPermit(generation: number, place: number, claim: number): number {
  return (
    FIRST_TRIAL_PERMIT +
    (claim * 64 + place) * PERMIT_GENERATIONS +
    (generation % PERMIT_GENERATIONS)
  )
}

export interface TrialPermit {
  claim: number
  place: number
  generationLow: number
}

export function unpackTrialPermit(permit: number): TrialPermit {
  const rest = permit - FIRST_TRIAL_PERMIT
  const high = Math.floor(rest / PERMIT_GENERATIONS)
  return {
    claim: Math.floor(high / 64),
    place: high % 64,
    generationLow: rest % PERMIT_GENERATIONS,
  }
}

export function isLowOf(generationLow: number, generation: number): boolean {
  return generationLow === generation % PERMIT_GENERATIONS
}
