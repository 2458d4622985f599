/** Faults in windows and the periodic sum. */

export const windowMutants = [
  {
    name: 'left-by-greater',
    about: 'how far HEAD is past an index is compared without regard to its wrap',
    file: 'src/protocol/window-count.ts',
    replace: [
      [
        '(load(this.#memory, this.#head) - index) >>> 0 > this',
        'load(this.#memory, this.#head) - index > this',
      ],
    ],
    scenarios: ['ring-late-wrap'],
  },
  {
    name: 'late-put',
    about: 'a writer that is many laps late does not look at HEAD',
    file: 'src/protocol/window-count.ts',
    replace: [['!isOfLapBefore(found, lap) && this.#hasLeft(index)', 'found < 0 && found > 0']],
    scenarios: ['ring-late'],
  },
  {
    name: 'turn-in-place',
    about: 'a bucket is zeroed with its stamp on',
    file: 'src/protocol/window-buckets.ts',
    replace: [['  store(memory, bucket + BUCKET.STAMP, TURNING)\n', '']],
    scenarios: ['turn-over', 'turn-generation'],
  },
  {
    name: 'read-once',
    about: 'a reader does not look at stamp and turn again',
    file: 'src/protocol/window-buckets.ts',
    replace: [
      ['  if (load(memory, bucket + BUCKET.STAMP) !== stamp) return\n', ''],
      ['  if (load(memory, bucket + BUCKET.TURN) !== turn) return\n  addKind', '  addKind'],
    ],
    scenarios: ['turn-over', 'turn-generation'],
  },
  {
    name: 'reset-by-reader',
    about: 'whoever meets an old bucket zeroes it, its owner or not',
    file: 'src/protocol/window-buckets.ts',
    replace: [
      [
        '  if (stamp === TURNING || !(age < span && age > -span)) return\n',
        '  if (!(age < span)) for (let k = 0; k < KINDS; k++) store(memory, bucket + 2 + k, 0)\n' +
          '  if (stamp === TURNING || !(age < span && age > -span)) return\n',
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
    name: 'periodic-unfenced',
    about: 'a late owner of the periodic duty publishes on',
    file: 'src/protocol/periodic.ts',
    replace: [['      if (!this.#duty.isMine()) return\n', '']],
    scenarios: ['periodic-duty'],
  },
  {
    name: 'row-unfenced',
    about: 'a late failure is put into the row of a newer generation',
    file: 'src/protocol/window-consecutive.ts',
    replace: [['      if (!isStill(cell, seen)) return\n', '']],
    scenarios: ['late-outcome'],
  },
  {
    name: 'tend-once',
    about:
      'the keeper looks at a window once after its bucket has changed, whether a sum was due or not',
    file: 'src/protocol/window-time.ts',
    replace: [
      [
        '    else this.#periodic.look(generation, now)\n',
        '    else {\n      this.#tendedBucket = number\n      this.#periodic.look(generation, now)\n    }\n',
      ],
    ],
    scenarios: ['tend-window'],
  },
]
