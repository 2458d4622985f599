/**
 * One call at a time, each between two looks at the clock. Input: as for calls.mjs, none for the
 * empty measurement. The batches sum up to the calls that came out as they must.
 *
 * A BigInt that goes straight into a BigInt64Array is never made: both looks leave no garbage,
 * whose collections would be in what is measured. So do the differences of their low words, which
 * are right up to four seconds. Each kind of call has a loop of its own, for V8's sake.
 */
import { endianness } from 'node:os'
import { attachRegistry, REFUSED } from 'busbar'
import { Collections } from '../lib/collections.mjs'
import { Histogram } from '../lib/histogram.mjs'

const now = process.hrtime.bigint
/** Where the low words of the two looks are, in 32-bit words. */
const LOW = endianness() === 'LE' ? 0 : 1
const LOW_AFTER = LOW + 2
/** Longer than anything here takes by itself: something else must have come between. */
const OUTLIER_NS = 100_000
const OUTLIERS_KEPT = 65_536
const PARTS = { p50: 0.5, p99: 0.99, p99_9: 0.999, p99_99: 0.9999 }

class Recorder {
  /** The looks at the clock before and after. */
  times = new BigInt64Array(2)
  #words = new Uint32Array(this.times.buffer)
  #histogram = new Histogram()
  #collections = new Collections()
  #zero = now()
  #from = new Float64Array(OUTLIERS_KEPT)
  #to = new Float64Array(OUTLIERS_KEPT)
  #outliers = 0
  #begun = 0

  begin() {
    this.#histogram.clear()
    this.#outliers = 0
    this.#begun = this.#sinceZero(now())
  }

  /** The two looks that are in `times`. */
  add() {
    const duration = (this.#words[LOW_AFTER] - this.#words[LOW]) >>> 0
    this.#histogram.add(duration)
    if (duration > OUTLIER_NS) this.#keep(duration)
  }

  #keep(duration) {
    const at = this.#outliers++
    const from = this.#sinceZero(this.times[0])
    this.#from[at] = from
    this.#to[at] = from + duration
  }

  #sinceZero(time) {
    return Number(time - this.#zero)
  }

  async finish() {
    const ended = this.#sinceZero(now())
    const outliers = this.#outliers
    if (outliers > OUTLIERS_KEPT) throw new Error(`${outliers} outliers: too many to keep`)
    const collections = await this.#collections.between(this.#begun, ended, this.#zero)
    let collected = 0
    for (let at = 0; at < outliers; at++) {
      const meets = ({ from, to }) => from < this.#to[at] && to > this.#from[at]
      if (collections.some(meets)) collected++
    }
    return { ...this.#percentiles(), outliers, collected, ...summaryOf(collections) }
  }

  #percentiles() {
    const { total, max } = this.#histogram
    const entries = Object.entries(PARTS).map(([key, part]) => [
      key,
      this.#histogram.quantile(part),
    ])
    return { ...Object.fromEntries(entries), max, total }
  }
}

function summaryOf(collections) {
  const longestNs = Math.max(0, ...collections.map(({ from, to }) => to - from))
  return { collections: collections.length, longestNs }
}

function empty() {
  const recorder = new Recorder()
  const { times } = recorder
  return {
    batch(count) {
      for (let i = 0; i < count; i++) {
        times[0] = now()
        times[1] = now()
        recorder.add()
      }
      return count
    },
    begin: () => recorder.begin(),
    finish: () => recorder.finish(),
  }
}

/** Each makes its own loop of these, so that V8 compiles it for what it calls. */
function ofBreaker({ handle, breaker: name }, batchOf) {
  const recorder = new Recorder()
  const registry = attachRegistry(handle)
  return {
    batch: batchOf(registry.breaker(name), recorder, recorder.times),
    begin: () => recorder.begin(),
    finish: () => closeAndFinish(registry, recorder),
  }
}

function refusal({ input }) {
  return ofBreaker(input, (breaker, recorder, times) => count => {
    let refused = 0
    for (let i = 0; i < count; i++) {
      times[0] = now()
      const permit = breaker.tryAcquire()
      times[1] = now()
      recorder.add()
      if (permit === REFUSED) refused++
    }
    return refused
  })
}

function settled({ input }) {
  return ofBreaker(input, (breaker, recorder, times) => count => {
    let permitted = 0
    for (let i = 0; i < count; i++) {
      times[0] = now()
      const permit = breaker.tryAcquire()
      if (permit !== REFUSED) breaker.recordSuccess(permit)
      times[1] = now()
      recorder.add()
      if (permit !== REFUSED) permitted++
    }
    return permitted
  })
}

async function closeAndFinish(registry, recorder) {
  const result = await recorder.finish()
  registry.close()
  return result
}

export const jobs = { empty, refusal, 'permit + success': settled }
