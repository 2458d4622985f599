/**
 * The bare floors: what no breaker that shares its state can do without, in objects of the shape
 * that a breaker has, so that a call of one costs what a call of the other does.
 */
import { hrtime } from 'node:process'

const OPEN_WORD = 1
const CLOSED_WORD = 0
const STATE_AT = 0
/** On a line pair of its own, as busbar's shards are. */
const COUNT_AT = 64
const MEMORY_BYTES = 1024

function sharedWords() {
  return new Int32Array(new SharedArrayBuffer(MEMORY_BYTES))
}

/** Refuses: one look at a shared word. */
export class LoadFloor {
  #words = sharedWords()

  constructor() {
    Atomics.store(this.#words, STATE_AT, OPEN_WORD)
  }

  tryAcquire() {
    return Atomics.load(this.#words, STATE_AT) === OPEN_WORD ? -1 : CLOSED_WORD
  }
}

/** Refuses: one look at a shared word, one at the clock, read as busbar reads it. */
export class LoadAndClockFloor {
  #words = sharedWords()
  #untilMs = Number.MAX_SAFE_INTEGER

  constructor() {
    Atomics.store(this.#words, STATE_AT, OPEN_WORD)
  }

  tryAcquire() {
    if (Atomics.load(this.#words, STATE_AT) !== OPEN_WORD) return CLOSED_WORD
    const time = hrtime()
    return time[0] * 1e3 + time[1] / 1e6 < this.#untilMs ? -1 : CLOSED_WORD
  }
}

/** Permits and counts: a look when asking, a look and an add to a word of one's own afterwards. */
export class CountFloor {
  #words = sharedWords()

  tryAcquire() {
    return Atomics.load(this.#words, STATE_AT)
  }

  recordSuccess(permit) {
    if (permit === Atomics.load(this.#words, STATE_AT)) Atomics.add(this.#words, COUNT_AT, 1)
  }

  get counted() {
    return Atomics.load(this.#words, COUNT_AT)
  }
}

/** The same with one look at the clock: which bucket of a time window is it? */
export class CountAndClockFloor {
  #words = sharedWords()
  #zeroMs = 0

  tryAcquire() {
    return Atomics.load(this.#words, STATE_AT)
  }

  recordSuccess(permit) {
    if (permit !== Atomics.load(this.#words, STATE_AT)) return
    const time = hrtime()
    if (time[0] * 1e3 + time[1] / 1e6 < this.#zeroMs) return
    Atomics.add(this.#words, COUNT_AT, 1)
  }

  get counted() {
    return Atomics.load(this.#words, COUNT_AT)
  }
}
