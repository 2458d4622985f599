/**
 * The garbage collections of this thread, as Node reports them. It reports them when the thread's
 * event loop turns, so after a measurement has ended.
 */
import { PerformanceObserver, performance } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'

const NS_PER_MS = 1e6
/** Turns of the event loop after which every entry has come. */
const TURNS = 3
const ATTEMPTS = 100

export class Collections {
  #entries = []
  #observer = new PerformanceObserver(list => this.#entries.push(...list.getEntries()))

  constructor() {
    this.#observer.observe({ entryTypes: ['gc'] })
  }

  /**
   * The collections that touch this time. All times are nanoseconds from `zero`, a time of
   * process.hrtime.bigint(). Ends the watch.
   *
   * @param {number} from
   * @param {number} to
   * @param {bigint} zero
   * @returns {Promise<{ from: number, to: number }[]>}
   */
  async between(from, to, zero) {
    for (let turn = 0; turn < TURNS; turn++) await setImmediate()
    this.#entries.push(...this.#observer.takeRecords())
    this.#observer.disconnect()
    const offset = offsetFrom(zero)
    return this.#entries
      .map(({ startTime, duration }) => {
        const start = startTime * NS_PER_MS + offset
        return { from: start, to: start + duration * NS_PER_MS }
      })
      .filter(collection => collection.from < to && collection.to > from)
  }
}

/** From the entries' clock to nanoseconds from `zero`: by the closest of several looks at both. */
function offsetFrom(zero) {
  const now = () => Number(process.hrtime.bigint() - zero)
  let closest = Number.POSITIVE_INFINITY
  let offset = 0
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const before = now()
    const between = performance.now() * NS_PER_MS
    const after = now()
    if (after - before >= closest) continue
    closest = after - before
    offset = (before + after) / 2 - between
  }
  return offset
}
