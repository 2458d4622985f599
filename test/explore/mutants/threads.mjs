/** Faults in slots, reaping and the directory. */
import { loadThenStore64 } from './patch.mjs'

export const threadMutants = [
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
        'import { add, compareExchange, compareExchange64,',
        'import { add, add64, compareExchange, compareExchange64,',
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
        'import { add, compareExchange, compareExchange64,',
        'import { add, add64, compareExchange, compareExchange64,',
      ],
    ],
    scenarios: ['late-leaver'],
  },
  {
    name: 'parent-first',
    about: 'a parent is marked dead before its children, who are found by way of it',
    file: 'src/protocol/slots.ts',
    replace: [['slots.reverse()', 'slots']],
    scenarios: ['mark-family'],
  },
  {
    name: 'parent-by-slot',
    about:
      'a child in a lower slot than its parent is found, and so marked, as if it came before it',
    file: 'src/protocol/slots.ts',
    replace: [
      [
        'round === 0 ? thread === dead : parents.has(parent)',
        'round === 0 ? thread === dead || parent === dead : parents.has(parent)',
      ],
    ],
    scenarios: ['mark-family'],
  },
  {
    name: 'mark-whatever',
    about: 'a slot is marked dead whoever holds it by then',
    file: 'src/protocol/slots.ts',
    replace: [
      [
        'compareExchange64(memory, region.threadsLong + slot, word, markedDead(word))',
        'compareExchange64(memory, region.threadsLong + slot, slotWord(memory, region, slot), markedDead(slotWord(memory, region, slot)))',
      ],
    ],
    scenarios: ['reap-reuse'],
  },
  {
    name: 'free-unmarked',
    about: 'slots are freed that nobody has marked dead',
    file: 'src/protocol/slots.ts',
    replace: [
      ['if (isDead(word)) found.set(slot, word)', 'if (isLive(word)) found.set(slot, word)'],
    ],
    scenarios: ['mark-family'],
  },
  {
    name: 'marked-maker-kept',
    about: 'who frees a marked slot leaves the definition that its thread had taken',
    file: 'src/threads/deaths.ts',
    replace: [
      [
        '  freeDefinitionsOf(memory, shape, new Set([...slots.values()].map(word => threadOf(word).thread)))\n',
        '',
      ],
    ],
    scenarios: ['mark-family'],
  },
]
