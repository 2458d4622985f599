/** Faults in the directory and in how things get into it. */
export const makingMutants = [
  {
    name: 'definition-leaked',
    about: 'the loser of a race for a name keeps its definition',
    file: 'src/protocol/making.ts',
    replace: [
      [
        '      giveBackDefinition(memory, this.area, definition, this.id)\n      return\n',
        '      return\n',
      ],
    ],
    scenarios: ['make-same'],
  },
  {
    name: 'name-unread',
    about: 'a maker that has lost goes by the new sequence number without reading what was made',
    file: 'src/protocol/making.ts',
    replace: [
      [
        '      giveBackDefinition(memory, this.area, definition, this.id)\n      return\n',
        '      giveBackDefinition(memory, this.area, definition, this.id)\n' +
          '      this.#sequence = this.#finished()\n      return\n',
      ],
    ],
    scenarios: ['make-same', 'remake-same'],
  },
  {
    name: 'propose-unsequenced',
    about: 'a maker proposes whatever was made since it read what there is',
    file: 'src/protocol/making.ts',
    replace: [
      [
        '    const sequence = nextSequence(this.#sequence)\n',
        '    this.#sequence = this.#finished()\n    const sequence = nextSequence(this.#sequence)\n',
      ],
    ],
    scenarios: ['remake-same', 'group-max'],
  },
  {
    name: 'full-at-once',
    about: 'a maker says that there is no room, although another has just made this very thing',
    file: 'src/protocol/making.ts',
    replace: [['if (this.#finished() === this.#sequence) throw error', 'throw error']],
    scenarios: ['make-last'],
  },
  {
    name: 'publish-unlooked',
    about: 'MAKING is not looked at between reading the entry and publishing',
    file: 'src/protocol/making.ts',
    replace: [['    if (load64(memory, area.makingLong) !== word) return false\n', '']],
    scenarios: ['remake-late'],
  },
  {
    name: 'publish-by-state',
    about:
      'whether an entry is published is told by its state: what has been removed is made twice',
    file: 'src/protocol/making.ts',
    replace: [
      [
        'there.first === made.first) return true',
        '!this.contents.isVacant(this.region, there)) return true',
      ],
    ],
    scenarios: ['remake-removed'],
  },
  {
    name: 'publish-by-definition',
    about:
      'whether an entry is published is told by its definition, which others may have replaced',
    file: 'src/protocol/making.ts',
    replace: [
      ['there.first === made.first) return true', 'there.definition === definition) return true'],
      [
        '    this.#finished()\n    const definition = this.#take',
        '    const definition = this.#take',
      ],
    ],
    scenarios: ['remake-config'],
  },
  {
    name: 'replace-unfinished',
    about: 'options are replaced while the making is not finished: its definition is another’s',
    file: 'src/protocol/making.ts',
    replace: [
      [
        '    this.#finished()\n    const definition = this.#take',
        '    const definition = this.#take',
      ],
    ],
    scenarios: ['remake-config'],
  },
  {
    name: 'replace-anything',
    about: 'other options are given whatever the entry holds by then',
    file: 'src/protocol/making.ts',
    replace: [['    const old = entry.word\n', '    const old = load64(memory, entry.long)\n']],
    scenarios: ['config-two', 'remake-config'],
  },
  {
    name: 'vacant-unbegun',
    about: 'a breaker that is named and has not begun is taken for vacant',
    file: 'src/protocol/directory.ts',
    replace: [[' && nextGeneration(generationOf(seen)) !== entry.first', '']],
    scenarios: ['remake-other', 'remake-same'],
  },
  {
    name: 'definition-read-once',
    about: 'a definition is read without a look whether the entry still names it',
    file: 'src/protocol/log.ts',
    replace: [['      if (load64(this.region.memory, long) !== word) continue\n', '']],
    scenarios: ['read-definition'],
  },
]
