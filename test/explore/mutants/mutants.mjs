/**
 * Planted faults: each a small patch of the real code that some scenario must catch. `from` stands in
 * the file exactly once, so a patch cannot rot in silence.
 */

/** A CAS that is none: looks, then writes. */
const loadThenStore64 = (at, old, mine) =>
  `(load64(${at}) === ${old} ? (add64(${at}, ${mine} - ${old}), ${old}) : load64(${at}))`

export const mutants = [
  {
    name: 'decide-load-store',
    about: 'NEXT is decided by a load and a store',
    file: 'src/protocol/state.ts',
    replace: [
      [
        'const found = compareExchange64(memory, next, old, mine)',
        `const found = ${loadThenStore64('memory, next', 'old', 'mine')}`,
      ],
      [
        'import { compareExchange, compareExchange64,',
        'import { add64, compareExchange, compareExchange64,',
      ],
    ],
    scenarios: ['two-commands', 'two-trip'],
  },
  {
    name: 'decide-unchecked',
    about: 'STATE is not looked at again between loading NEXT and replacing it',
    file: 'src/protocol/state.ts',
    replace: [['  if (load(memory, cell.state) !== seen) return false\n', '']],
    scenarios: ['stale-decider'],
  },
  {
    name: 'state-before-decision',
    about: 'STATE is published before NEXT is decided',
    file: 'src/protocol/state.ts',
    replace: [
      [
        '  if (load(memory, cell.state) !== seen) return false\n',
        '  if (compareExchange(memory, cell.state, seen, packState(generation, target)) !== seen) ' +
          'return false\n',
      ],
    ],
    scenarios: ['two-trip'],
  },
  {
    name: 'publish-by-store',
    about: 'STATE is stored, not CASed',
    file: 'src/protocol/state.ts',
    replace: [
      [
        'compareExchange(cell.memory, cell.state, seen, packState(generation, target))',
        'store(cell.memory, cell.state, packState(generation, target))',
      ],
      ['load, load64 }', 'load, load64, store }'],
    ],
    scenarios: ['late-outcome', 'two-commands', 'trip-command'],
  },
  {
    name: 'no-help',
    about: 'a decision that another thread made is not published',
    file: 'src/protocol/state.ts',
    replace: [
      [
        '  publish(cell, seen, decided, detail.sinceMs)\n  return won',
        '  if (won) publish(cell, seen, decided, detail.sinceMs)\n  return won',
      ],
    ],
    scenarios: ['trials-close', 'two-trip', 'two-commands'],
  },
  {
    name: 'settle-any-claim',
    about: 'a trial settles whatever claim its place holds',
    file: 'src/protocol/trials.ts',
    replace: [[' || held.claim !== claim) return LATE', ') return LATE']],
    scenarios: ['used-twice'],
  },
  {
    name: 'settle-any-generation',
    about: 'the generation is not checked when a trial settles',
    file: 'src/protocol/trials.ts',
    replace: [
      ['  if (!isLowOf(generationLow, generation)) return LATE\n', ''],
      ['held.generation !== generation || ', ''],
    ],
    scenarios: ['stale-settle'],
  },
  {
    name: 'claim-load-store',
    about: 'a place is claimed by a load and a store',
    file: 'src/protocol/trials.ts',
    replace: [
      [
        'if (compareExchange64(cell.memory, at, found, mine) !== found) continue',
        `if (${loadThenStore64('cell.memory, at', 'found', 'mine')} !== found) continue`,
      ],
      ['import { compareExchange64,', 'import { add64, compareExchange64,'],
    ],
    scenarios: ['used-twice', 'three-ask-two'],
  },
  {
    name: 'claim-unchecked',
    about: 'a claimer does not look at STATE again',
    file: 'src/protocol/trials.ts',
    replace: [
      [
        'if (load(cell.memory, cell.state) === seen) return packTrialPermit(generation, place, claim)',
        'if (seen === seen) return packTrialPermit(generation, place, claim)',
      ],
    ],
    scenarios: ['ended-claim'],
  },
  {
    name: 'trial-counter',
    about: 'every place is taken for free: what a count that was never given back comes to',
    file: 'src/protocol/trials.ts',
    replace: [['    if (old.generation === generation && old.kind !== FREE) continue\n', '']],
    scenarios: ['three-ask-two', 'used-twice'],
  },
  {
    name: 'lease-not-helped',
    about: 'a claim without a lease is waited for',
    file: 'src/protocol/trials.ts',
    replace: [
      [
        'else viewLease(view, leaseEnd(cell, at, word, claim), now)',
        'else {\n      const lease = load64(cell.memory, at + 1)\n      viewLease(view, isTimedOf(lease, ' +
          'claim) ? timeOf(lease) : Number.POSITIVE_INFINITY, now)\n    }',
      ],
    ],
    scenarios: ['trials-close', 'trials-open'],
  },
  {
    name: 'verdict-not-finished',
    about: 'an asker does not finish what a dead settler left undone',
    file: 'src/protocol/trials.ts',
    replace: [
      [
        '  return verdictStrict(cell, view.succeeded, view.failed, now)\n}\n\n/** What a settled',
        '  return undefined\n}\n\n/** What a settled',
      ],
    ],
    scenarios: ['trials-close', 'trials-open'],
  },
  {
    name: 'lap-by-greater',
    about: 'laps of the ring are compared by > and not by wrapped difference',
    file: 'src/memory/words/windows.ts',
    replace: [
      [
        '  return ahead !== 0 && ahead < 256',
        '  return ((word >>> 3) & LAP_MASK) > (lap & LAP_MASK)',
      ],
    ],
    scenarios: ['ring-wrap'],
  },
  {
    name: 'slot-load-store',
    about: 'a slot is claimed by a load and a store',
    file: 'src/protocol/slots.ts',
    replace: [
      [
        'if (compareExchange64(memory, at, found, mine) === found) return slot',
        `if (${loadThenStore64('memory, at', 'found', 'mine')} === found) return slot`,
      ],
      [
        'import { compareExchange, compareExchange64,',
        'import { add64, compareExchange, compareExchange64,',
      ],
    ],
    scenarios: ['slot-claims'],
  },
  {
    name: 'slot-freed-first',
    about: 'a slot is free for others before its calls in flight are abandoned',
    file: 'src/threads/deaths.ts',
    replace: [
      [
        '    for (const cell of cells) {\n',
        '    freeSlot(memory, shape, slot, word)\n    for (const cell of cells) {\n',
      ],
      [
        'stillHeld = (): boolean => slotWord(memory, shape, slot) === word',
        'stillHeld = (): boolean => true',
      ],
    ],
    scenarios: ['reap-reuse'],
  },
  {
    name: 'reap-unchecked',
    about: 'a reaper does not look whether the slot is still the dead thread’s',
    file: 'src/threads/deaths.ts',
    replace: [
      [
        'stillHeld = (): boolean => slotWord(memory, shape, slot) === word',
        'stillHeld = (): boolean => true',
      ],
    ],
    scenarios: ['reap-reuse'],
  },
  {
    name: 'abandon-twice',
    about: 'a second reaper adds the calls in flight once more',
    file: 'src/protocol/totals.ts',
    replace: [
      [
        'compareExchange64(cell.memory, at, before, before + inFlight)',
        'add64(cell.memory, at, inFlight)',
      ],
    ],
    scenarios: ['reap-reuse'],
  },
  {
    name: 'free-whatever',
    about: 'a slot is freed whoever holds it',
    file: 'src/protocol/slots.ts',
    replace: [
      [
        'compareExchange64(memory, region.threadsLong + slot, held, free)',
        'add64(memory, region.threadsLong + slot, free - load64(memory, region.threadsLong + slot))',
      ],
      [
        'import { compareExchange, compareExchange64,',
        'import { add64, compareExchange, compareExchange64,',
      ],
    ],
    scenarios: ['late-leaver'],
  },
  {
    name: 'turn-in-place',
    about: 'a bucket is zeroed with its stamp on',
    file: 'src/protocol/window-time.ts',
    replace: [['    store(memory, bucket + BUCKET.STAMP, TURNING)\n', '']],
    scenarios: ['turn-over', 'turn-generation'],
  },
  {
    name: 'read-once',
    about: 'a reader does not look at stamp and turn again',
    file: 'src/protocol/window-time.ts',
    replace: [
      ['    if (load(memory, bucket + BUCKET.STAMP) !== stamp) return\n', ''],
      ['    if (load(memory, bucket + BUCKET.TURN) !== turn) return\n    addKind', '    addKind'],
    ],
    scenarios: ['turn-over', 'turn-generation'],
  },
  {
    name: 'reset-by-reader',
    about: 'whoever meets an old bucket zeroes it, its owner or not',
    file: 'src/protocol/window-time.ts',
    replace: [
      [
        '    if (stamp === TURNING || !(age < this.#buckets && age > -this.#buckets)) return\n',
        '    if (!(age < this.#buckets)) for (let k = 0; k < KINDS; k++) store(memory, bucket + 2 + k, 0)\n' +
          '    if (stamp === TURNING || !(age < this.#buckets && age > -this.#buckets)) return\n',
      ],
    ],
    scenarios: ['turn-over'],
  },
  {
    name: 'ring-by-index',
    about: 'the count window is the last `size` indices, filled or not',
    file: 'src/protocol/window-count.ts',
    replace: [
      ['back <= this.#mask && into.calls < this.#size; back++', 'back <= this.#size; back++'],
    ],
    scenarios: ['count-ring'],
  },
  {
    name: 'stock-by-store',
    about: 'a stock is published whatever was taken out meanwhile',
    file: 'src/protocol/stock.ts',
    replace: [
      [
        'if (compareExchange(cell.memory, stockWord(cell), before, after) === before) {',
        'store(cell.memory, stockWord(cell), after)\n    if (after === after) {',
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
        '    const after = restock(',
        '    const before = load(cell.memory, stockWord(cell))\n    const after = restock(',
      ],
    ],
    scenarios: ['stock-order'],
  },
  {
    name: 'periodic-unfenced',
    about: 'a late owner of the periodic duty publishes on',
    file: 'src/protocol/periodic.ts',
    replace: [['    if (load64(memory, start + SUMMARY.DUTY_LONG) !== mine) return\n', '']],
    scenarios: ['periodic-duty'],
  },
  {
    name: 'row-unfenced',
    about: 'a late failure is put into the row of a newer generation',
    file: 'src/protocol/window-consecutive.ts',
    replace: [['      if (load(cell.memory, cell.state) !== seen) return\n', '']],
    scenarios: ['late-outcome'],
  },
  {
    name: 'definition-leaked',
    about: 'the loser of a race for a name keeps its definition',
    file: 'src/protocol/directory.ts',
    replace: [['      this.#giveBack(definition)\n', '']],
    scenarios: ['make-same'],
  },
  {
    name: 'name-unread',
    about: 'a maker that lost an entry tries the next without reading it',
    file: 'src/protocol/directory.ts',
    replace: [
      [
        '        const found = this.find(name)\n        if (found !== undefined) return found\n        this.#requireRoom',
        '        if (attempt > 1) {\n          const found = this.find(name)\n          if (found !== undefined) return found\n        } else if (attempt === 1) this.#known++\n        this.#requireRoom',
      ],
    ],
    scenarios: ['make-same', 'make-other'],
  },
]
