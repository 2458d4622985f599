/** How does the shape of a window change the cost of a permit and a success? Keeper on. */
import { CountFloor } from '../lib/floors.mjs'
import { askFresh } from '../lib/fresh.mjs'
import { successes, timedSuccesses, watch } from '../lib/loops.mjs'
import { row } from '../lib/result.mjs'

export const title = 'What does the shape of a window cost?'

const BUCKETS = [1, 10, 100, 1000]
const DURATIONS_MS = [1_000, 10_000]
const SIZES = [10, 100, 1000, 16_384]
const DEFAULT_TIME = { type: 'time', durationMs: 10_000, buckets: 10 }
const DEFAULT_COUNT = { type: 'count', size: 100 }
/** Several buckets turn over within a sample, of the windows whose buckets are the shortest. */
const TURNING_BATCH = 200_000
const SLOW_MS = 500
const FAST_MS = 3
const MANY_CALLS = 1_000_000
const BELOW_MINIMUM_BATCH = 1_000
/** Windows of a thousand buckets need the room of many breakers of the default shape. */
const registryOptions = { maxBreakers: 4_096, maxThreads: 8 }
const FLOOR = 'two Atomics.load, one Atomics.add'

const floor = {
  role: 'floor',
  prepare: () => ({ run: successes(new CountFloor()), check() {} }),
}

function closed(options, more = {}) {
  const { batch, durationMs, emptied = false } = more
  return {
    role: 'busbar',
    keeper: true,
    batch,
    prepare(registry) {
      const breaker = registry.breaker(JSON.stringify(options), options)
      breaker.reset()
      const expect = watch(breaker, 'closed')
      return {
        run: durationMs === undefined ? successes(breaker) : timedSuccesses(breaker, durationMs),
        before: emptied ? () => breaker.reset() : undefined,
        check: calls => expect({ admitted: calls, succeeded: calls, slow: 0, late: 0 }),
      }
    },
  }
}

/** An empty window before each sample, so that the minimum is not reached within one. */
function belowMinimum(slidingWindow, minimumNumberOfCalls) {
  const batch = Math.min(BELOW_MINIMUM_BATCH, minimumNumberOfCalls - 1)
  return closed({ slidingWindow, minimumNumberOfCalls }, { batch, emptied: true })
}

const bucketsName = (durationMs, buckets) => `${durationMs / 1000} s in ${buckets} buckets`
const byBuckets = Object.fromEntries(
  DURATIONS_MS.flatMap(durationMs =>
    BUCKETS.map(buckets => [
      bucketsName(durationMs, buckets),
      closed({ slidingWindow: { type: 'time', durationMs, buckets } }, { batch: TURNING_BATCH }),
    ]),
  ),
)

const sizeName = size => `the last ${size}`
const bySize = Object.fromEntries(
  SIZES.map(size => [sizeName(size), closed({ slidingWindow: { type: 'count', size } })]),
)

const slow = {
  slowCallDurationThresholdMs: SLOW_MS,
}
const bySlow = {
  'time window, durations given': closed({ slidingWindow: DEFAULT_TIME }, { durationMs: FAST_MS }),
  'time window, durations given and a slow threshold': closed(
    { slidingWindow: DEFAULT_TIME, ...slow },
    { durationMs: FAST_MS },
  ),
  'count window, durations given and a slow threshold': closed(
    { slidingWindow: DEFAULT_COUNT, ...slow },
    { durationMs: FAST_MS },
  ),
}

const ABOVE = 'time, 10 buckets: minimum 20, reached'
const byMinimum = {
  [ABOVE]: closed({ slidingWindow: DEFAULT_TIME, minimumNumberOfCalls: 20 }),
  'time, 10 buckets: below a minimum of 1,000,000': belowMinimum(DEFAULT_TIME, MANY_CALLS),
  'time, 1000 buckets: below a minimum of 1,000,000': belowMinimum(
    { type: 'time', durationMs: 10_000, buckets: 1000 },
    MANY_CALLS,
  ),
  ...Object.fromEntries(
    SIZES.slice(1).map(size => [
      `count, ${size}: below a minimum of ${size}`,
      belowMinimum({ type: 'count', size }, size),
    ]),
  ),
}

export const cases = { [FLOOR]: floor, ...byBuckets, ...bySize, ...bySlow, ...byMinimum }

/** @param {{ quick: boolean, say: (text: string) => void, random: () => number }} how */
export async function ask(how) {
  const runs = await askFresh(import.meta.url, cases, how, { statistic: 'mean', registryOptions })
  const bar = name => row(name, runs.get(name), { role: cases[name].role })
  const point = (label, x, name) => row(label, runs.get(name), { role: cases[name].role, x })
  return {
    panels: [
      {
        title: 'A time window, by its buckets',
        unit: 'ns',
        better: 'lower',
        x: 'buckets',
        rows: BUCKETS.flatMap(buckets => [
          point(FLOOR, buckets, FLOOR),
          ...DURATIONS_MS.map(ms => point(`${ms / 1000} s`, buckets, bucketsName(ms, buckets))),
        ]),
      },
      {
        title: 'A count window, by its size',
        unit: 'ns',
        better: 'lower',
        x: 'outcomes in the window',
        rows: SIZES.flatMap(size => [
          point(FLOOR, size, FLOOR),
          point('count window', size, sizeName(size)),
        ]),
      },
      {
        title: 'With durations and a slow threshold',
        unit: 'ns',
        better: 'lower',
        rows: [FLOOR, ABOVE, ...Object.keys(bySlow)].map(bar),
      },
      {
        title: 'Below the minimum number of calls',
        unit: 'ns',
        better: 'lower',
        rows: [FLOOR, ...Object.keys(byMinimum)].map(bar),
      },
    ],
    notes: [
      'Means, not medians, of a run: a bucket that turns over is rare and is meant to be seen.',
      'Below the minimum: each sample starts with an empty window and ends before the minimum.',
    ],
  }
}
