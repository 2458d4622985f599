/** Faults in retry budgets. */

export const budgetMutants = [
  {
    name: 'budget-look-first',
    about: 'a retry is counted after the look at what is allowed',
    file: 'src/protocol/retry-budget.ts',
    replace: [
      [
        '    this.#counts.recordShared(RETRY)\n    const { retries, allowed } = this.#sum()\n    const isAllowed = retries <= allowed\n    if (!isAllowed) this.#counts.recordShared(GIVEN_BACK)\n',
        '    const { retries, allowed } = this.#sum()\n    const isAllowed = retries < allowed\n    if (isAllowed) this.#counts.recordShared(RETRY)\n',
      ],
    ],
    scenarios: ['budget-last'],
  },
  {
    name: 'budget-kinds-swapped',
    about: 'what was given back is read after what was taken',
    file: 'src/protocol/retry-budget.ts',
    replace: [
      ['const GIVEN_BACK = 1\nconst RETRY = 2\n', 'const GIVEN_BACK = 2\nconst RETRY = 1\n'],
      [
        'const [calls = 0, givenBack = 0, taken = 0] = this.#kinds',
        'const [calls = 0, taken = 0, givenBack = 0] = this.#kinds',
      ],
    ],
    scenarios: ['budget-none'],
  },
]
