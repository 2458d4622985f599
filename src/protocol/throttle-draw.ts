/**
 * Random numbers for decisions: cheap, and never guessed at by anybody who gains by it. Xorshift
 * with 32 bits of state (Marsaglia, "Xorshift RNGs", 2003); period 2^32 - 1.
 */
export class Draws {
  #state: number

  /** `seed`: a whole number other than 0 in 32 bits. */
  constructor(seed: number) {
    this.#state = seed | 0
  }

  /** The next whole number in [0, 2^24). */
  next(): number {
    let state = this.#state
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    this.#state = state
    return state >>> 8
  }
}
