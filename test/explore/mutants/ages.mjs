/** Faults in how calls in flight are told by age. */

export const ageMutants = [
  {
    name: 'age-hung-first',
    about: 'calls are counted as hanging before they leave the ring',
    file: 'src/protocol/ages.ts',
    replace: [
      [
        '    store(memory, bucket + AGE.STAMP, TURNING)\n    if (left > 0) this.#hang(generation, left)\n',
        '    if (left > 0) this.#hang(generation, left)\n    store(memory, bucket + AGE.STAMP, TURNING)\n',
      ],
    ],
    scenarios: ['age-turn-over'],
  },
  {
    name: 'age-turn-in-place',
    about: 'a bucket of ages is emptied with its stamp on',
    file: 'src/protocol/ages.ts',
    replace: [['    store(memory, bucket + AGE.STAMP, TURNING)\n', '']],
    scenarios: ['age-turn-over', 'age-generation'],
  },
  {
    name: 'age-read-once',
    about: 'a reader of ages does not look at the stamp again',
    file: 'src/protocol/ages.ts',
    replace: [
      [
        'if (load(memory, bucket + AGE.STAMP) === stamp) calls += callsOf(count, epoch)',
        'calls += callsOf(count, epoch)',
      ],
    ],
    scenarios: ['age-turn-over'],
  },
  {
    name: 'age-hung-last',
    about: 'a reader takes the buckets before the count of those that have left them',
    file: 'src/protocol/ages.ts',
    replace: [
      [
        '  const isOf = load(memory, hung + HUNG.TURN) === generation\n  let calls = isOf ? callsOf(load(memory, hung + HUNG.COUNT), epoch) : 0\n',
        '  let calls = 0\n',
      ],
      [
        '  return calls\n}\n\n/** The calls that one thread has in flight. */',
        '  const isOf = load(memory, hung + HUNG.TURN) === generation\n  return calls + (isOf ? callsOf(load(memory, hung + HUNG.COUNT), epoch) : 0)\n}\n\n/** The calls that one thread has in flight. */',
      ],
    ],
    scenarios: ['age-turn-over'],
  },
  {
    name: 'age-outcomes-last',
    about: 'a sum takes the outcomes after the calls that hang',
    file: 'src/protocol/window-time.ts',
    replace: [
      [
        '    sumBuckets(cell, generation, number, this.#buckets, into)\n',
        '    const early = this.#tellsAges ? countHanging(cell, generation, now) : 0\n    sumBuckets(cell, generation, number, this.#buckets, into)\n    into.calls += early\n    into.slowCalls += early\n',
      ],
      ['    if (this.#tellsAges) this.#addHanging(generation, now, into)\n', ''],
    ],
    scenarios: ['age-settle'],
  },
  {
    name: 'age-settled-first',
    about: 'the outcome of a call is recorded before the call is taken out',
    file: 'src/protocol/breaker-aged.ts',
    replace: [
      [
        '    const hung = this.#end(permit, generation)\n    const counted = super.recordFailure(plainPermit(permit, generation), durationMs)\n',
        '    const counted = super.recordFailure(plainPermit(permit, generation), durationMs)\n    const hung = this.#end(permit, generation)\n',
      ],
    ],
    scenarios: ['age-settle'],
  },
  {
    name: 'age-turn-first',
    about: 'the count of hanging calls names the new generation before it is empty',
    file: 'src/protocol/ages.ts',
    replace: [
      [
        '      store(memory, count, packAgeCount(this.#epoch, 0))\n      store(memory, turn, generation)\n',
        '      store(memory, turn, generation)\n',
      ],
    ],
    scenarios: ['age-generation'],
  },
  {
    name: 'age-any-holder',
    about: 'calls of whoever had the slot count',
    file: 'src/memory/words/ages.ts',
    replace: [['return count >>> AGE_CALLS_BITS === epoch % EPOCHS', 'return epoch >= 0']],
    scenarios: ['age-death'],
  },
  {
    name: 'age-of-the-dead',
    about: 'calls of a thread that is marked dead count until its slot is free',
    file: 'src/protocol/ages.ts',
    replace: [['if (!isLive(holder) || isDead(holder)) continue', 'if (!isLive(holder)) continue']],
    scenarios: ['age-death'],
  },
  {
    name: 'age-any-generation',
    about: 'calls of whatever generation count as hanging',
    file: 'src/protocol/ages.ts',
    replace: [['    if (load(memory, bucket + AGE.TURN) !== generation) continue\n', '']],
    scenarios: ['age-opens', 'age-generation'],
  },
  {
    name: 'age-release-unjudged',
    about: 'nobody judges when a call that hung is released',
    file: 'src/protocol/breaker-aged.ts',
    replace: [
      [
        '    super.release(plainPermit(permit, generation))\n    if (hung) this.#judge()\n',
        '    super.release(plainPermit(permit, generation))\n',
      ],
    ],
    scenarios: ['age-releases'],
  },
  {
    name: 'age-ask-unjudged',
    about: 'an ask does not look for calls that have begun to hang',
    file: 'src/protocol/breaker-aged.ts',
    replace: [
      [
        '    if (stateOf(seen) === CLOSED && this.knows(seen)) this.window.lookAtHanging?.(seen)\n',
        '',
      ],
    ],
    scenarios: ['age-opens'],
  },
]
