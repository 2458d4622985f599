/** Faults in bulkheads: their places, their queue, and its hint. */

export const bulkheadMutants = [
  {
    name: 'place-load-store',
    about: 'a place is taken by a look and a store',
    file: 'src/protocol/places.ts',
    replace: [
      [
        '    if (compareExchange(memory, word, NOBODY, ownerOf(thread)) === NOBODY) return place\n',
        '    if (load(memory, word) !== NOBODY) continue\n    store(memory, word, ownerOf(thread))\n    return place\n',
      ],
      ['import { compareExchange, load, peek }', 'import { compareExchange, load, peek, store }'],
    ],
    scenarios: ['bulkhead-one'],
  },
  {
    name: 'reap-by-store',
    about: 'a late reaper frees a place that another holds by then',
    file: 'src/protocol/places.ts',
    replace: [
      [
        '    if (compareExchange(memory, word, holder, NOBODY) === holder) freed++\n',
        '    store(memory, word, NOBODY)\n    freed++\n',
      ],
      ['import { compareExchange, load, peek }', 'import { compareExchange, load, peek, store }'],
    ],
    scenarios: ['bulkhead-reap'],
  },
  {
    name: 'reap-the-living',
    about: 'a reaper frees whatever place is taken',
    file: 'src/protocol/places.ts',
    replace: [
      ['holder === NOBODY || !dead.has(holder - 1)', 'holder === NOBODY || dead.size === 0'],
    ],
    scenarios: ['bulkhead-reap'],
  },
  {
    name: 'permits-unnoted',
    about: 'a thread does not note which permit holds a place: one counts however often it comes',
    file: 'src/protocol/bulkhead-core.ts',
    replace: [['    this.#permits[place] = SETTLED\n', '']],
    scenarios: ['bulkhead-twice'],
  },
  {
    name: 'hint-before-place',
    about: 'a joiner sets the hint before it takes its place in the queue',
    file: 'src/protocol/waiting.ts',
    replace: [
      [
        '  const place = takePlace(queueOf(control), control.thread, from)\n',
        '  announceWaiter(control)\n  const place = takePlace(queueOf(control), control.thread, from)\n',
      ],
      ['  announceWaiter(control)\n  return place\n', '  return place\n'],
    ],
    scenarios: ['bulkhead-wait'],
  },
  {
    name: 'hint-same-version',
    about: 'a joiner that finds the hint set leaves it as it is',
    file: 'src/memory/words/bulkhead.ts',
    replace: [['return (((waiting >>> 1) + 1) << 1) | ANY', 'return waiting | ANY']],
    scenarios: ['bulkhead-join'],
  },
  {
    name: 'hint-not-again',
    about: 'a joiner whose hint a clearer has thwarted does not set it again',
    file: 'src/protocol/waiting.ts',
    replace: [['const ANNOUNCE_ATTEMPTS = 2', 'const ANNOUNCE_ATTEMPTS = 1']],
    scenarios: ['bulkhead-join'],
  },
  {
    name: 'hint-read-late',
    about: 'a clearer reads the hint after it has found the queue empty',
    file: 'src/protocol/waiting.ts',
    replace: [
      [
        '  const found = load(memory, waitingWord(control))\n  if (!saysAny(found) || countWaiters(control) > 0) return\n',
        '  if (countWaiters(control) > 0) return\n  const found = load(memory, waitingWord(control))\n',
      ],
    ],
    scenarios: ['bulkhead-wait'],
  },
  {
    name: 'hint-read-early',
    about: 'a thread looks at the hint before it frees its place',
    file: 'src/protocol/bulkhead-core.ts',
    replace: [
      [
        '    freePlace(this.#places, thread, place)\n    if (this.mayWait && someoneMayWait(this.cell)) this.#passOn()\n',
        '    const waits = this.mayWait && someoneMayWait(this.cell)\n    freePlace(this.#places, thread, place)\n    if (waits) this.#passOn()\n',
      ],
    ],
    scenarios: ['bulkhead-wait'],
  },
  {
    name: 'notified-early',
    about: 'a release is announced before the place is free',
    file: 'src/protocol/bulkhead-core.ts',
    replace: [
      [
        '    freePlace(this.#places, thread, place)\n    if (this.mayWait && someoneMayWait(this.cell)) this.#passOn()\n',
        '    if (this.mayWait && someoneMayWait(this.cell)) this.#passOn()\n    freePlace(this.#places, thread, place)\n',
      ],
    ],
    scenarios: ['bulkhead-wait'],
  },
]
