/**
 * A bulkhead's words. Pure functions, no memory.
 *
 *   OWNER    32 bits   the holder's thread number + 1; 0 = nobody   (protocol/places.ts)
 *   ARRIVED  31 bits   whole ms of the region's clock + 1, mod 2^31; 0 = not written yet
 *   WAITING  32 bits   { version 31 | any 1 }
 *   permit   31 bits   { claim 19 to 31 | place 12 to 0 }   claims are numbered from 1
 */

/** Whole numbers of so many bits V8 passes on without allocating anything. */
const PERMIT_BITS = 31

/** How many bits of a permit say the place, where there are so many places. */
export function placeBitsOf(places: number): number {
  return 32 - Math.clz32(places - 1)
}

/**
 * The greatest number of a claim; the next is 1 again. It is 2^19 - 1, and more where there are
 * fewer than 4,096 places: a permit that is settled again exactly so many claims later is taken for
 * that of its place's new call.
 */
export function lastClaimOf(placeBits: number): number {
  return 2 ** (PERMIT_BITS - placeBits) - 1
}

export function packPermit(claim: number, place: number, placeBits: number): number {
  return (claim << placeBits) | place
}

/** Of anything that is no permit, some number. */
export function placeOfPermit(permit: number, placeBits: number): number {
  return permit & ((1 << placeBits) - 1)
}

const ARRIVED_MASK = 2 ** 31 - 1

export function packArrived(nowMs: number): number {
  return (Math.floor(nowMs) + 1) & ARRIVED_MASK
}

/** Whole ms since then; right below 2^30 ms, which is 12 days. NaN when it was not written yet. */
export function waitedMs(arrived: number, nowMs: number): number {
  if (arrived === 0) return Number.NaN
  const wrapped = packArrived(nowMs) - arrived
  return (wrapped << 1) >> 1
}

const ANY = 1

/** Whether somebody may wait. */
export function saysAny(waiting: number): boolean {
  return (waiting & ANY) !== 0
}

/** Somebody has joined: another word than before, whatever it said. */
export function withAny(waiting: number): number {
  return (((waiting >>> 1) + 1) << 1) | ANY
}

/** Nobody waits: the same version. */
export function withoutAny(waiting: number): number {
  return waiting & ~ANY
}
