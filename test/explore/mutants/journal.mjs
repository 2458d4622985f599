/** Faults in the journal of transitions. */
export const journalMutants = [
  {
    name: 'append-published',
    about: 'who finds the transition published does not look for its entry again',
    file: 'src/protocol/journal.ts',
    replace: [['    if (isPublished) continue\n', '    if (isPublished) return undefined\n']],
    scenarios: ['journal-one'],
  },
  {
    name: 'head-after-key',
    about: 'the head is read after the key: an entry made in between seems overrun',
    file: 'src/protocol/journal.ts',
    replace: [
      ['isBefore(number, newest)', 'isBefore(number, journalHead(cell))'],
      ['      number = newest\n', '      number = journalHead(cell)\n'],
    ],
    scenarios: ['journal-one'],
  },
  {
    name: 'append-unchecked',
    about: 'an entry is appended without a look at STATE: one of old may come after its time',
    file: 'src/protocol/journal.ts',
    replace: [
      [
        '    isPublished = generationOf(load(cell.memory, cell.state)) !== generationOf(seen)\n',
        '',
      ],
    ],
    scenarios: ['journal-helper'],
  },
  {
    name: 'head-after-decision',
    about: 'the maker looks from a head that it read after it decided',
    file: 'src/protocol/state.ts',
    replace: [
      ['  const head = journalHead(cell)\n', ''],
      [
        '  enter(cell, seen, nextStateOf(decided), head,',
        '  enter(cell, seen, nextStateOf(decided), journalHead(cell),',
      ],
    ],
    scenarios: ['journal-one'],
  },
  {
    name: 'publish-first',
    about: 'a transition is published before it has an entry',
    file: 'src/protocol/state.ts',
    replace: [
      [
        '  enter(cell, seen, nextStateOf(decided), head, sinceMs, won ? detail : undefined)\n' +
          '  publish(cell, seen, decided)\n',
        '  publish(cell, seen, decided)\n' +
          '  enter(cell, seen, nextStateOf(decided), head, sinceMs, won ? detail : undefined)\n',
      ],
    ],
    scenarios: ['journal-one'],
  },
  {
    name: 'count-any',
    about: 'a late helper counts a transition again after the next of its kind',
    file: 'src/protocol/transition-counts.ts',
    replace: [['!isLater(generation, highOf(old) - 1)', 'highOf(old) === generation + 1']],
    scenarios: ['journal-again'],
  },
  {
    name: 'claim-ignored',
    about: 'the maker announces its transition although a listener has claimed it',
    file: 'src/protocol/journal.ts',
    replace: [
      [
        'isClaimed ? CLAIMED_BY_LISTENER : announces ? MAKER_ANNOUNCES : 0',
        'announces ? MAKER_ANNOUNCES : 0',
      ],
    ],
    scenarios: ['announce-maker'],
  },
]
