/**
 * Durations in nanoseconds, counted in bins that grow with the value: exact below 128, then 64 bins
 * for each doubling, so that a bin is at most 1.6 % wide. Everything is allocated beforehand.
 */
const BITS = 6
const BINS_A_DOUBLING = 1 << BITS
const EXACT_BELOW = BINS_A_DOUBLING * 2
const MOST = 2 ** 31 - 1
const BINS = binOf(MOST) + 1

function binOf(value) {
  if (value < EXACT_BELOW) return value
  const shift = 31 - Math.clz32(value) - BITS
  return shift * BINS_A_DOUBLING + (value >> shift)
}

/** The highest value of a bin. */
function highestOf(bin) {
  if (bin < EXACT_BELOW) return bin
  const shift = (bin >> BITS) - 1
  const step = (bin & (BINS_A_DOUBLING - 1)) + BINS_A_DOUBLING
  return (step + 1) * 2 ** shift - 1
}

export class Histogram {
  total = 0
  /** Exactly. */
  max = 0
  #counts = new Float64Array(BINS)

  add(value) {
    this.total++
    if (value > this.max) this.max = value
    this.#counts[binOf(Math.min(value, MOST))]++
  }

  clear() {
    this.total = 0
    this.max = 0
    this.#counts.fill(0)
  }

  /** The value that this part of all values does not exceed, to 1.6 %. */
  quantile(part) {
    if (this.total === 0) throw new RangeError('nothing was measured')
    const rank = Math.ceil(part * this.total)
    let counted = 0
    for (let bin = 0; bin < BINS; bin++) {
      counted += this.#counts[bin]
      if (counted >= rank) return Math.min(highestOf(bin), this.max)
    }
    return this.max
  }
}
