/**
 * Who holds which cache line. The MESI protocol with caches that never run full, so that a line
 * leaves a cache only because another core writes it.
 *
 * A line that one core holds alone is exclusive or modified there, and writing it costs nothing; one
 * that several hold is shared. (A line is never shared by one core alone: without evictions the
 * number of holders falls only by a write, whose core then has the line to itself.) Each of these
 * is one transfer: a read of a line that the core does not hold, and a write of a line that it does
 * not hold alone. A core's first touch of a line is cold, and counted apart.
 */
const UNTOUCHED = 0
const INVALID = 1
const HELD = 2

export class Caches {
  transfers = 0
  cold = 0
  #cores
  /** @type {Map<number, { state: Uint8Array, holders: number }>} */
  #lines = new Map()

  constructor(cores) {
    this.#cores = cores
  }

  /** From now on count anew; the caches stay as they are. */
  resetCounts() {
    this.transfers = 0
    this.cold = 0
  }

  read(core, line) {
    const entry = this.#line(line)
    if (entry.state[core] === HELD) return
    this.#fetch(entry.state, core)
    entry.holders++
  }

  write(core, line) {
    const entry = this.#line(line)
    const { state } = entry
    if (state[core] === HELD && entry.holders === 1) return
    this.#fetch(state, core)
    for (let other = 0; other < state.length; other++) {
      if (other !== core && state[other] === HELD) state[other] = INVALID
    }
    entry.holders = 1
  }

  #fetch(state, core) {
    if (state[core] === UNTOUCHED) this.cold++
    else this.transfers++
    state[core] = HELD
  }

  #line(line) {
    let entry = this.#lines.get(line)
    if (entry === undefined) {
      entry = { state: new Uint8Array(this.#cores), holders: 0 }
      this.#lines.set(line, entry)
    }
    return entry
  }
}

/** Each step: core, 'r' or 'w', line, then the transfers and cold misses counted by then. */
const CHECKS = [
  [
    'two writers of one line',
    [0, 'w', 1, 0, 1],
    [0, 'w', 1, 0, 1],
    [1, 'w', 1, 0, 2],
    [0, 'w', 1, 1, 2],
    [1, 'w', 1, 2, 2],
  ],
  [
    'readers share, a write takes the line from all of them',
    [0, 'r', 1, 0, 1],
    [0, 'w', 1, 0, 1],
    [1, 'r', 1, 0, 2],
    [2, 'r', 1, 0, 3],
    [0, 'r', 1, 0, 3],
    [1, 'w', 1, 1, 3],
    [0, 'r', 1, 2, 3],
    [2, 'r', 1, 3, 3],
    [2, 'r', 1, 3, 3],
    [0, 'w', 1, 4, 3],
    [0, 'w', 1, 4, 3],
  ],
  [
    'two lines have nothing to do with each other',
    [0, 'w', 1, 0, 1],
    [1, 'w', 2, 0, 2],
    [0, 'w', 1, 0, 2],
    [1, 'w', 2, 0, 2],
  ],
]

/** Throws unless the model counts what can be counted by hand. */
export function checkCaches() {
  for (const [name, ...steps] of CHECKS) {
    const caches = new Caches(3)
    steps.forEach(([core, access, line, transfers, cold], step) => {
      if (access === 'w') caches.write(core, line)
      else caches.read(core, line)
      if (caches.transfers === transfers && caches.cold === cold) return
      throw new Error(
        `${name}, step ${step + 1}: ${caches.transfers} transfers and ${caches.cold} cold misses ` +
          `where ${transfers} and ${cold} are right`,
      )
    })
  }
}
