/** Orders that a seed repeats. */

/** The xmur3 hash: spreads a text over 32 bits, so that near seeds give far sequences. */
function hashOf(text) {
  let hash = 1779033703 ^ text.length
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 3432918353)
    hash = (hash << 13) | (hash >>> 19)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 2246822507)
  hash = Math.imul(hash ^ (hash >>> 13), 3266489909)
  return hash ^ (hash >>> 16)
}

/**
 * The mulberry32 generator: numbers in [0, 1), the same ones for the same seed and purpose.
 *
 * @param {number} seed
 * @param {string} purpose   gives each question a sequence of its own
 */
export function randomOf(seed, purpose) {
  let state = hashOf(`${seed} ${purpose}`)
  return function random() {
    state = (state + 0x6d2b79f5) | 0
    let word = Math.imul(state ^ (state >>> 15), state | 1)
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61)
    return ((word ^ (word >>> 14)) >>> 0) / 2 ** 32
  }
}
