/** What does a permit and its outcome cost, in a breaker that stays closed? */
import { CountAndClockFloor, CountFloor } from '../lib/floors.mjs'
import { askFresh } from '../lib/fresh.mjs'
import { failures, mixed, releases, successes, watch } from '../lib/loops.mjs'
import { row } from '../lib/result.mjs'

export const title = 'What does a permit with its outcome cost?'

/** No outcome leaves this window while it is measured. */
const LONG_WINDOW = { type: 'time', durationMs: 600_000, buckets: 10 }
const TIME = { type: 'time', durationMs: 10_000, buckets: 10 }
const COUNT = { type: 'count', size: 100 }
const CONSECUTIVE = { type: 'consecutive', failures: 5 }
const ONE_IN = 10
/** Past the minimum number of calls, and good ones enough that one in ten stays below a half. */
const GOOD_CALLS_BEFORE = 100

function floor(Floor) {
  return {
    role: 'floor',
    prepare() {
      const counter = new Floor()
      return { run: successes(counter), check: calls => requireEqual(counter.counted, calls) }
    },
  }
}

function requireEqual(found, wanted) {
  if (found !== wanted) throw new Error(`the floor counted ${found}, not ${wanted}`)
}

/** A closed breaker of that name and options, empty but for some good calls. */
function closedBreaker(registry, name, options) {
  const breaker = registry.breaker(name, options)
  breaker.reset()
  successes(breaker)(GOOD_CALLS_BEFORE)
  return breaker
}

function successesOf(slidingWindow, keeper) {
  return {
    role: 'busbar',
    keeper,
    prepare(registry) {
      const name = `success, ${slidingWindow.type}`
      const breaker = closedBreaker(registry, name, { slidingWindow })
      const expect = watch(breaker, 'closed')
      const check = calls => expect({ admitted: calls, succeeded: calls, late: 0, refused: 0 })
      return { run: successes(breaker), check }
    },
  }
}

/** As above, in a thread that has used windows of all kinds: what V8 inlines is no longer one. */
function successesAmongOthers(keeper) {
  return {
    role: 'busbar',
    keeper,
    prepare(registry) {
      const run = Object.fromEntries(
        [COUNT, CONSECUTIVE].map(slidingWindow => {
          const name = `other, ${slidingWindow.type}`
          return [slidingWindow.type, successes(registry.breaker(name, { slidingWindow }))]
        }),
      )
      const { run: timed, check } = successesOf(TIME, keeper).prepare(registry)
      const before = () => {
        run.count(GOOD_CALLS_BEFORE)
        run.consecutive(GOOD_CALLS_BEFORE)
      }
      return { run: timed, before, check }
    },
  }
}

/**
 * Nothing but failures, at a threshold of 1: the good calls before them keep the rate below it for
 * as long as they are in the window, which is longer than the run.
 */
const onlyFailures = {
  role: 'busbar',
  keeper: true,
  prepare(registry) {
    const options = { slidingWindow: LONG_WINDOW, failureRateThreshold: 1 }
    const breaker = closedBreaker(registry, 'failure, time', options)
    const expect = watch(breaker, 'closed')
    return { run: failures(breaker), check: calls => expect({ admitted: calls, failed: calls }) }
  },
}

function someFailures(slidingWindow) {
  return {
    role: 'busbar',
    keeper: true,
    prepare(registry) {
      const breaker = closedBreaker(registry, `mixed, ${slidingWindow.type}`, { slidingWindow })
      const expect = watch(breaker, 'closed')
      const check = calls => expect({ admitted: calls, failed: calls / ONE_IN, late: 0 })
      return { run: mixed(breaker, ONE_IN), check }
    },
  }
}

const released = {
  role: 'busbar',
  keeper: true,
  prepare(registry) {
    const breaker = closedBreaker(registry, 'release')
    const expect = watch(breaker, 'closed')
    return { run: releases(breaker), check: calls => expect({ admitted: calls, ignored: calls }) }
  },
}

const disabled = {
  role: 'busbar',
  keeper: true,
  prepare(registry) {
    const breaker = registry.breaker('disabled')
    breaker.disable()
    const expect = watch(breaker, 'disabled')
    const check = calls => expect({ admitted: calls, succeeded: calls })
    return { run: successes(breaker), check }
  },
}

const FLOOR = 'two Atomics.load, one Atomics.add'
const CLOCK_FLOOR = 'two Atomics.load, one Atomics.add, process.hrtime()'

const BY_WINDOW = {
  'time window': successesOf(TIME, true),
  'time window, where all kinds are used': successesAmongOthers(true),
  'count window': successesOf(COUNT, true),
  'consecutive window': successesOf(CONSECUTIVE, true),
}
const WITHOUT_KEEPER = { 'time window, keeper off': successesOf(TIME, false) }
const BY_OUTCOME = {
  'failure, time window': onlyFailures,
  'one failure in ten, time window': someFailures(TIME),
  'one failure in ten, count window': someFailures(COUNT),
  'release (ignored)': released,
  'success, disabled': disabled,
}

export const cases = {
  [FLOOR]: floor(CountFloor),
  [CLOCK_FLOOR]: floor(CountAndClockFloor),
  ...BY_WINDOW,
  ...WITHOUT_KEEPER,
  ...BY_OUTCOME,
}

/** @param {{ quick: boolean, say: (text: string) => void, random: () => number }} how */
export async function ask(how) {
  const runs = await askFresh(import.meta.url, cases, how)
  const panel = (name, floorName, others) => ({
    title: name,
    unit: 'ns',
    better: 'lower',
    rows: [floorName, ...Object.keys(others)].map(label =>
      row(label, runs.get(label), { role: cases[label].role }),
    ),
  })
  return {
    panels: [
      panel('A permit and a success, keeper on', FLOOR, BY_WINDOW),
      panel('A permit and a success, keeper off', CLOCK_FLOOR, WITHOUT_KEEPER),
      panel('A permit and another outcome, keeper on', FLOOR, BY_OUTCOME),
    ],
    notes: [
      'Each run is a thread of its own that has done nothing else, so V8 inlines all it can.',
      'Count and consecutive windows look at no clock: the keeper makes no difference to them.',
      'Failures alone: the threshold is 1, and good calls in a long window keep the rate below it.',
    ],
  }
}
