/** Faults in how breakers go, in how others get their records, and in other options. */
export const removalMutants = [
  {
    name: 'begin-uncleared',
    about: 'a new breaker begins with what the old one has counted in the shared slot',
    file: 'src/protocol/removal.ts',
    replace: [['if (load(cell.memory, HEADER.OVERFLOW_USED) !== 0)', 'if (cell.first < 0)']],
    scenarios: ['begin-two'],
  },
  {
    name: 'clear-unlooked',
    about: 'who clears the shared counters does not look whether another has begun the breaker',
    file: 'src/protocol/removal.ts',
    replace: [['    if (load(cell.memory, cell.state) !== seen) return\n', '']],
    scenarios: ['begin-two'],
  },
  {
    name: 'take-tag-first',
    about: 'a slot’s counters are called the new breaker’s before they are empty',
    file: 'src/protocol/removal.ts',
    replace: [
      [
        '  const totals = shardOf(cell, slot) / 2\n',
        '  store(memory, firstWord(cell, slot), cell.first)\n  const totals = shardOf(cell, slot) / 2\n',
      ],
    ],
    scenarios: ['take-slot'],
  },
  {
    name: 'take-never',
    about: 'a slot’s counters are the new breaker’s with what the old one has counted',
    file: 'src/protocol/removal.ts',
    replace: [
      ['zeroOwn(memory, long)\n  for', 'readOwn(memory, long)\n  for'],
      ['store, zeroOwn }', 'readOwn, store, zeroOwn }'],
    ],
    scenarios: ['take-slot'],
  },
  {
    name: 'removed-unlooked',
    about: 'who meets `removed` does not look the breaker up again',
    file: 'src/protocol/follower.ts',
    replace: [[' && stateOf(seen) !== REMOVED\n', '\n']],
    scenarios: ['old-moves', 'old-fails'],
  },
  {
    name: 'begin-same-edition',
    about: 'the first word of a new breaker shows the old one’s edition',
    file: 'src/protocol/seen.ts',
    replace: [
      [
        '  if (stateOf(seen) !== REMOVED) return editionOf(seen)\n',
        '  if (seen >= 0) return editionOf(seen)\n',
      ],
    ],
    scenarios: ['old-fails', 'old-moves'],
  },
  {
    name: 'command-later-word',
    about: 'a command is carried out from a STATE word that was read after the look',
    file: 'src/protocol/command.ts',
    replace: [
      [
        '    const { cell } = core\n',
        '    const { cell } = core\n    seen = load(cell.memory, cell.state)\n',
      ],
      ['const seen = core.currentState()', 'let seen = core.currentState()'],
      ['import { RegionError }', "import { load } from '#atomics'\nimport { RegionError }"],
    ],
    scenarios: ['old-command'],
  },
  {
    name: 'leave-keeps',
    about: 'a call in flight stays behind when its breaker is made again elsewhere',
    file: 'src/protocol/follower.ts',
    replace: [['    this.#carried = Math.max(0, Number(inFlight))\n', '']],
    scenarios: ['old-carries'],
  },
  {
    name: 'evict-entry-first',
    about: 'who makes room reads STATE after it has looked whose record it is',
    file: 'src/protocol/idle.ts',
    replace: [
      [
        '    return transition(cell, seen, REMOVED,',
        '    return transition(cell, load(cell.memory, cell.state), REMOVED,',
      ],
    ],
    scenarios: ['evict-two'],
  },
  {
    name: 'evict-in-flight',
    about: 'a breaker makes room although it has a call in flight',
    file: 'src/protocol/idle.ts',
    replace: [[' && totals.admitted === admitted && totals.inFlight === 0', '']],
    scenarios: ['evict-ask'],
  },
  {
    name: 'raise-entry-first',
    about: 'who raises the edition reads the entry before STATE',
    file: 'src/protocol/follower.ts',
    replace: [
      [
        '    const seen = load(memory, state)\n    const edition = editionOfEntry(load64(memory, entryLong))\n',
        '    const edition = editionOfEntry(load64(memory, entryLong))\n    const seen = load(memory, state)\n',
      ],
    ],
    scenarios: ['config-late'],
  },
  {
    name: 'raise-never',
    about: 'who looks at the entry does not raise the edition that STATE says',
    file: 'src/protocol/follower.ts',
    replace: [['    raiseEdition(found)\n', '']],
    scenarios: ['config-two'],
  },
  {
    name: 'publish-once',
    about: 'a transition is not published when there is another edition',
    file: 'src/protocol/state.ts',
    replace: [['const PUBLISH_ATTEMPTS = 1024', 'const PUBLISH_ATTEMPTS = 1']],
    scenarios: ['config-trip', 'config-trial'],
  },
  {
    name: 'publish-old-edition',
    about: 'a transition takes the edition back to the one it has seen at first',
    file: 'src/protocol/state.ts',
    replace: [['editionAfter(cell, expected)', 'editionAfter(cell, seen)']],
    scenarios: ['config-trip', 'config-trial'],
  },
  {
    name: 'fill-by-word',
    about: 'the words of a generation are not filled when there is another edition',
    file: 'src/protocol/state.ts',
    replace: [
      [
        '  const current = generationOf(load(cell.memory, cell.state))\n' +
          '  if (current !== generationOf(seen) && current !== generation) return old\n',
        '  if (load(cell.memory, cell.state) !== seen) return old\n',
      ],
    ],
    scenarios: ['config-trip'],
  },
  {
    name: 'decide-by-word',
    about: 'no transition is decided when there is another edition',
    file: 'src/protocol/state.ts',
    replace: [
      [
        '  if (!isStill(cell, seen)) return false\n',
        '  if (load(cell.memory, cell.state) !== seen) return false\n',
      ],
    ],
    scenarios: ['config-trip', 'config-trial'],
  },
  {
    name: 'judge-by-word',
    about: 'an outcome is not judged when there is another edition',
    file: 'src/protocol/stock.ts',
    replace: [
      [
        'if (generationOf(current) !== generationOf(seen) || stateOf',
        'if (current !== seen || stateOf',
      ],
    ],
    scenarios: ['config-trip'],
  },
  {
    name: 'stock-any-edition',
    about: 'a stock by options that others have replaced is published',
    file: 'src/protocol/stock.ts',
    replace: [['    if (current !== seen) return Number.NaN\n', '']],
    scenarios: ['config-stock'],
  },
  {
    name: 'tend-unknown',
    about: 'the keeper looks after a breaker by options that are not in force',
    file: 'src/protocol/breaker.ts',
    replace: [['    if (!this.knows(seen)) return\n', '']],
    scenarios: ['config-tend'],
  },
]
