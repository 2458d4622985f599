/** Faults in throttles. */
export const throttleMutants = [
  {
    name: 'throttle-unfenced',
    about: 'a late taker of the duty publishes on',
    file: 'src/protocol/throttle.ts',
    replace: [['      if (!this.#duty.isMine()) break\n', '']],
    scenarios: ['throttle-publish'],
  },
  {
    name: 'throttle-unversioned',
    about: 'the word does not say of which round it is, so that an old one may come back',
    file: 'src/memory/words/throttle.ts',
    replace: [
      ['((fence & ROUND_MASK) << PROBABILITY_BITS) | parts', 'fence * 0 + parts'],
      ['word >>> PROBABILITY_BITS === (fence & ROUND_MASK)', 'word >= 0 && fence >= 0'],
    ],
    scenarios: ['throttle-publish'],
  },
  {
    name: 'throttle-believes',
    about: 'a refusal goes by the word that stands there when the duty was just taken',
    file: 'src/protocol/throttle.ts',
    replace: [
      ['else if (this.#isOfLastRound(word))', 'else if (this.#isOfLastRound(word) || true)'],
    ],
    scenarios: ['throttle-stale'],
  },
  {
    name: 'throttle-keeps',
    about: 'who once found a word worth refusing by goes on to when the next round ends',
    file: 'src/protocol/throttle.ts',
    replace: [['      this.#known = NONE\n', '']],
    scenarios: ['throttle-known'],
  },
]
