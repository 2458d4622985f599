/** A small seeded generator (mulberry32): the same seed gives the same history anywhere. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1))
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.next() * items.length)]
    if (item === undefined) throw new RangeError('nothing to pick from')
    return item
  }

  /** Picks a key in proportion to its weight. */
  weighted<K extends string>(weights: Record<K, number>): K {
    const entries = Object.entries(weights) as [K, number][]
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
    for (const [key, weight] of entries) {
      left -= weight
      if (left < 0) return key
    }
    throw new RangeError('no weights')
  }
}

/**
 * How many histories a run plays; `BUSBAR_HISTORIES=n` for a longer search. A third of the usual on
 * the WebAssembly kernel: test/kernel/twins.test.ts holds it against the other, step by step.
 */
export function historyCount(usual: number): number {
  const count = process.env.BUSBAR_TEST_KERNEL === 'wasm' ? Math.ceil(usual / 3) : usual
  return Number(process.env.BUSBAR_HISTORIES ?? count)
}

/**
 * The seed of the first history of this run. Each history has its own seed, the one after it the
 * next; a failure names its seed, and `BUSBAR_SEED=n` makes that history the first of the run.
 */
export function baseSeed(test: string): number {
  const given = process.env.BUSBAR_SEED
  const seed = given === undefined ? Date.now() % 2 ** 31 : Number(given)
  console.log(`${test}: BUSBAR_SEED=${seed}`)
  return seed
}
