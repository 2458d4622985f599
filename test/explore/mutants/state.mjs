/** Faults in transitions and trials. */
import { loadThenStore64 } from './patch.mjs'

export const stateMutants = [
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
    replace: [['  if (!isStill(cell, seen)) return false\n', '']],
    scenarios: ['stale-decider'],
  },
  {
    name: 'state-before-decision',
    about: 'STATE is published before NEXT is decided',
    file: 'src/protocol/state.ts',
    replace: [
      [
        '  if (!isStill(cell, seen)) return false\n',
        '  if (compareExchange(memory, cell.state, seen, packState(generation, target, editionAfter(cell, seen))) ' +
          '!== seen) return false\n',
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
        'found = compareExchange(cell.memory, cell.state, expected, next)',
        'store(cell.memory, cell.state, next)',
      ],
      ['load, load64, notify }', 'load, load64, notify, store }'],
    ],
    scenarios: ['late-outcome', 'two-commands', 'trip-command'],
  },
  {
    name: 'no-help',
    about: 'a decision that another thread made is not published',
    file: 'src/protocol/state.ts',
    replace: [
      [
        '  publish(cell, seen, decided)\n  return won',
        '  if (won) publish(cell, seen, decided)\n  return won',
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
    replace: [['if (old.generation === generation && old.kind !== FREE) return REFUSED', '']],
    scenarios: ['three-ask-two', 'used-twice'],
  },
  {
    name: 'claim-next-place',
    about: 'a claimer that lost a place to the settler of an older trial goes on to the next place',
    file: 'src/protocol/trials.ts',
    replace: [
      ['at, found, mine) !== found) continue', 'at, found, mine) !== found) return REFUSED'],
    ],
    scenarios: ['claim-old-settle'],
  },
  {
    name: 'settle-once',
    about: 'a trial whose claim only changed its slot is taken for late',
    file: 'src/protocol/trials.ts',
    replace: [
      ['at, word, settled) !== word) continue', 'at, word, settled) !== word) return LATE'],
    ],
    scenarios: ['settle-leave'],
  },
  {
    name: 'lease-not-helped',
    about: 'a claim without a lease is waited for',
    file: 'src/protocol/trials.ts',
    replace: [
      [
        'else viewLease(view, leaseEnd(cell, at, word, claim, now), now)',
        'else {\n      const lease = load64(cell.memory, at + 1)\n      viewLease(view, isTimedOf(lease, ' +
          'claim) ? timeOf(lease) : Number.POSITIVE_INFINITY, now)\n    }',
      ],
    ],
    scenarios: ['trials-close', 'trials-open'],
  },
  {
    name: 'lease-once',
    about: 'a lease lost to the late writer of an earlier claim is not written again',
    file: 'src/protocol/trials.ts',
    replace: [['const LEASE_ATTEMPTS = 4', 'const LEASE_ATTEMPTS = 1']],
    scenarios: ['late-lease'],
  },
  {
    name: 'verdict-not-finished',
    about: 'an asker does not finish what a dead settler left undone',
    file: 'src/protocol/trials.ts',
    replace: [
      [
        '  return verdictStrict(cell, view.succeeded, view.failed + view.outlived, sinceMs)\n',
        '  if (view.outlived === 0) return undefined\n' +
          '  return verdictStrict(cell, view.succeeded, view.failed + view.outlived, sinceMs)\n',
      ],
    ],
    scenarios: ['trials-close', 'trials-open'],
  },
  {
    name: 'tend-first-place',
    about: 'the keeper carries out a verdict that it has from the first place alone',
    file: 'src/protocol/breaker.ts',
    replace: [
      [
        '      if (verdict !== undefined) this.carryOut(seen, verdict)\n    }\n    this.window.tend(',
        '      if (view.succeeded > 0) this.carryOut(seen, { target: CLOSED, sinceMs: now })\n' +
          '      else if (verdict !== undefined) this.carryOut(seen, verdict)\n    }\n    this.window.tend(',
      ],
    ],
    scenarios: ['tend-places'],
  },
  {
    name: 'tend-any-state',
    about: 'the keeper carries out its verdict in whatever state there is by then',
    file: 'src/protocol/breaker.ts',
    replace: [
      [
        '      if (verdict !== undefined) this.carryOut(seen, verdict)\n    }\n    this.window.tend(',
        '      if (verdict !== undefined) this.carryOut(load(this.memory, this.state), verdict)\n' +
          '    }\n    this.window.tend(',
      ],
    ],
    scenarios: ['tend-settle', 'tend-ask'],
  },
]
