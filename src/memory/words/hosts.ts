/**
 * Ejected hosts. Pure functions, no memory.
 *
 *   EJECTION  64 bits   { episode 14 | in a row 8 | until 42 }   of a host
 *   PLACE     31 bits   { host 17 | episode 14 }                 of a group; host = number + 1
 *
 * Each ejection of a host is an episode of its own. `until` is in whole ms since the region was
 * made: 2^42 of them are 139 years. A place of 0 has never been used.
 */

export const EPISODE_BITS = 14
export const IN_A_ROW_BITS = 8
export const UNTIL_BITS = 42

const EPISODE_MASK = (1 << EPISODE_BITS) - 1
const UNTIL_MASK = (1n << BigInt(UNTIL_BITS)) - 1n
const MAX_UNTIL = 2 ** UNTIL_BITS - 1

/** More ejections in a row than this are counted as so many. */
export const MAX_IN_A_ROW = (1 << IN_A_ROW_BITS) - 1

export function nextEpisode(episode: number): number {
  return (episode + 1) & EPISODE_MASK
}

export function packEjection(episode: number, inARow: number, untilMs: number): bigint {
  const high = BigInt(((episode & EPISODE_MASK) << IN_A_ROW_BITS) | inARow)
  const until = BigInt(Math.min(Math.ceil(untilMs), MAX_UNTIL))
  return BigInt.asIntN(64, (high << BigInt(UNTIL_BITS)) | until)
}

function highOf(word: bigint): number {
  return Number(BigInt.asUintN(64, word) >> BigInt(UNTIL_BITS))
}

export function episodeOf(word: bigint): number {
  return highOf(word) >>> IN_A_ROW_BITS
}

export function inARowOf(word: bigint): number {
  return highOf(word) & MAX_IN_A_ROW
}

/** When the ejection is over, in ms of the region's clock. */
export function untilOf(word: bigint): number {
  return Number(word & UNTIL_MASK)
}

export function packPlace(host: number, episode: number): number {
  return ((host + 1) << EPISODE_BITS) | episode
}

/** The number of the host that a place names; below 0: none. */
export function placeHostOf(place: number): number {
  return (place >> EPISODE_BITS) - 1
}

export function placeEpisodeOf(place: number): number {
  return place & EPISODE_MASK
}
