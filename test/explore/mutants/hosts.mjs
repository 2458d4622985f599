/** Faults in the ejection of hosts. */
export const hostMutants = [
  {
    name: 'eject-undecided',
    about: 'who loses the decision claims a place all the same: a host takes up two',
    file: 'src/protocol/host.ts',
    replace: [['    return found === seen\n', '    return true\n']],
    scenarios: ['eject-one', 'eject-late'],
  },
  {
    name: 'eject-anyway',
    about: 'a place is claimed over whatever stands in it by then: an ejection is lost',
    file: 'src/protocol/ejection.ts',
    replace: [
      [
        'compareExchange(this.#group.memory, this.#places + place, found, mine) === found',
        'compareExchange(this.#group.memory, this.#places + place, this.#read(place), mine) !== mine',
      ],
    ],
    scenarios: ['eject-place', 'eject-crowd'],
  },
  {
    name: 'eject-unlooked',
    about: 'whether a place is free is told by what the thread remembers of its host',
    file: 'src/protocol/ejection.ts',
    replace: [['    // After the place was read: see 3.\n    host.look()\n', '']],
    scenarios: ['eject-place', 'eject-crowd'],
  },
  {
    name: 'eject-looked-before',
    about: 'the host is looked at before the place is read',
    file: 'src/protocol/ejection.ts',
    replace: [
      ['    // After the place was read: see 3.\n    host.look()\n', ''],
      [
        '        const found = this.#read(place)\n',
        '        for (const one of this.#table.all()) one.look()\n' +
          '        const found = this.#read(place)\n',
      ],
    ],
    scenarios: ['eject-place', 'eject-crowd'],
  },
  {
    name: 'eject-episode-blind',
    about: 'a place names its host in whatever episode: a late claim holds a place',
    file: 'src/protocol/ejection.ts',
    replace: [['placeEpisodeOf(word) === host.episode && ', 'placeEpisodeOf(word) >= 0 && ']],
    scenarios: ['eject-late', 'eject-crowd'],
  },
  {
    name: 'eject-unrevoked',
    about: 'an episode that found no place counts as an ejection',
    file: 'src/protocol/ejection.ts',
    replace: [['    else host.revoke(decided, seen)\n', '']],
    scenarios: ['eject-place'],
  },
  {
    name: 'eject-overtaken',
    about: 'an episode that was overtaken before it had a place counts as one in a row',
    file: 'src/protocol/host.ts',
    replace: [['    if (!wasInForce) return Math.max(0, inARow - 1)\n', '']],
    scenarios: ['eject-late', 'eject-crowd'],
  },
  {
    name: 'eject-row-kept',
    about: 'the row goes on from one episode to the next',
    file: 'src/protocol/host.ts',
    replace: [['rowOf(found, this.episode) + 1', '(found & MAX_ROW) + 1']],
    scenarios: ['eject-one'],
  },
  {
    name: 'eject-one-more',
    about: 'one host more than are allowed',
    file: 'src/protocol/host-table.ts',
    replace: [
      [
        'allowedEjections(this.#byName.size, percent)',
        '1 + allowedEjections(this.#byName.size, percent)',
      ],
    ],
    scenarios: ['eject-place'],
  },
  {
    name: 'eject-for-good',
    about: 'a place is not free again when its ejection is over',
    file: 'src/protocol/ejection.ts',
    replace: [[' && now < host.decidedUntil ? host', ' ? host']],
    scenarios: ['eject-ends'],
  },
]
