/** Faults in the stock: when to sum, and which good outcomes are spared. */

export const stockMutants = [
  {
    name: 'sum-once',
    about: 'one sum decides, although it may have missed what came before what it saw',
    file: 'src/protocol/stock.ts',
    replace: [['if (surelyReaches(first, counts, thresholds)) {', 'if (first !== undefined) {']],
    scenarios: ['sum-early'],
  },
  {
    name: 'stock-by-store',
    about: 'a stock is published whatever was taken out meanwhile',
    file: 'src/protocol/stock.ts',
    replace: [
      [
        'found = compareExchange(cell.memory, stockWord(cell), expected, after)',
        'store(cell.memory, stockWord(cell), after)',
      ],
      ['import { add, compareExchange, load }', 'import { add, load, store }'],
    ],
    scenarios: ['stock-order'],
  },
  {
    name: 'stock-read-late',
    about: 'the stock is read after the sum that replaces it',
    file: 'src/protocol/stock.ts',
    replace: [
      ['    const before = load(cell.memory, stockWord(cell))\n', ''],
      [
        '    const left = stockUntilThreshold(',
        '    const before = load(cell.memory, stockWord(cell))\n    const left = stockUntilThreshold(',
      ],
    ],
    scenarios: ['stock-order'],
  },
  {
    name: 'spent-forgotten',
    about: 'what was taken out during the sum is not subtracted from the new stock',
    file: 'src/protocol/stock.ts',
    replace: [['Math.max(1, left - spent)', 'Math.max(1, left)']],
    scenarios: ['stock-order', 'minimum-both'],
  },
  {
    name: 'stock-over-sum',
    about: 'a stock replaces that of another sum, which was published meanwhile',
    file: 'src/protocol/stock.ts',
    replace: [['    if (!isSameStock(found, before)) return false\n', '']],
    scenarios: ['stock-order', 'minimum-both'],
  },
  {
    name: 'minimum-always-held',
    about: 'a stock says that the minimum of calls is reached when it is not',
    file: 'src/protocol/stock.ts',
    replace: [['left - spent), holdsMinimum)', 'left - spent), true)']],
    scenarios: ['minimum-good'],
  },
  {
    name: 'good-for-nothing',
    about: 'good outcomes take nothing out below the minimum of a time window',
    file: 'src/protocol/window-time.ts',
    replace: [
      [
        'const stock = spend(cell, seen)',
        'const stock = kind === GOOD ? load(cell.memory, cell.record + cell.shape.stock) : spend(cell, seen)',
      ],
    ],
    scenarios: ['minimum-time', 'minimum-both'],
  },
  {
    name: 'good-for-nothing-count',
    about: 'good outcomes take nothing out below the minimum of a count window',
    file: 'src/protocol/window-count.ts',
    replace: [
      [
        'const stock = spend(this.#cell, seen)',
        'const stock = kind === GOOD ? load(this.#memory, this.#cell.record + this.#cell.shape.stock) : spend(this.#cell, seen)',
      ],
    ],
    scenarios: ['minimum-count'],
  },
  {
    name: 'spared-too-early',
    about: 'a thread spares its good outcomes before it has found the minimum, in a time window',
    file: 'src/protocol/window-time.ts',
    replace: [
      [
        '(this.#reliesOnBucket === number && this.#foundMinimum)',
        'this.#reliesOnBucket === number',
      ],
    ],
    scenarios: ['minimum-time', 'minimum-both'],
  },
  {
    name: 'spared-too-early-count',
    about: 'the same in a count window',
    file: 'src/protocol/window-count.ts',
    replace: [['isFull ? this.#reliesOnGeneration : -1', 'this.#reliesOnGeneration']],
    scenarios: ['minimum-count'],
  },
  {
    name: 'spared-past-generation',
    about: 'good outcomes of the next generation go on into the counter of the last',
    file: 'src/protocol/window-time.ts',
    replace: [
      [
        'if (generationOf(seen) !== this.#sparesGeneration) return false',
        'if (this.#sparesGeneration < 0) return false',
      ],
    ],
    scenarios: ['spare-generation'],
  },
  {
    name: 'spared-past-metrics',
    about: 'the same, where the last generation was metrics-only',
    file: 'src/protocol/window-time.ts',
    replace: [
      [
        'if (generationOf(seen) !== this.#sparesGeneration) return false',
        'if (this.#sparesGeneration < 0) return false',
      ],
    ],
    scenarios: ['spare-metrics'],
  },
  {
    name: 'spared-past-bucket',
    about: 'good outcomes of the next bucket go on into the counter of the last',
    file: 'src/protocol/window-time.ts',
    replace: [['return clock.latest < this.#sparesUntil', 'return clock.latest >= 0']],
    scenarios: ['spare-bucket'],
  },
  {
    name: 'spared-on-in-count',
    about: 'a thread that has found the minimum of a count window spares in later generations too',
    file: 'src/protocol/window-count.ts',
    replace: [
      [
        'kind === GOOD && this.#sparesGoodOf === generation',
        'kind === GOOD && this.#sparesGoodOf >= 0',
      ],
    ],
    scenarios: ['spare-count-ends'],
  },
]
