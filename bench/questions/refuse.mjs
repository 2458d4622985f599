/** What does it cost to be told no? */
import { LoadAndClockFloor, LoadFloor } from '../lib/floors.mjs'
import { askFresh } from '../lib/fresh.mjs'
import { refusals, watch } from '../lib/loops.mjs'
import { row } from '../lib/result.mjs'

export const title = 'What does a refusal cost?'

/** A refusal while half-open looks at every place and at the clock: a microsecond and more. */
const HALF_OPEN_BATCH = 2_000
const LONG_MS = 3_600_000
const TRIALS = [1, 3, 64]

function floor(Floor) {
  return { role: 'floor', prepare: () => ({ run: refusals(new Floor()), check() {} }) }
}

function refusing(breaker, state) {
  const expect = watch(breaker, state)
  return { run: refusals(breaker), check: calls => expect({ refused: calls, admitted: 0 }) }
}

function open(keeper) {
  return {
    role: 'busbar',
    keeper,
    prepare(registry) {
      const breaker = registry.breaker('open', { waitDurationInOpenStateMs: LONG_MS })
      breaker.reset()
      breaker.open()
      return refusing(breaker, 'open')
    },
  }
}

function forcedOpen(keeper) {
  return {
    role: 'busbar',
    keeper,
    prepare(registry) {
      const breaker = registry.breaker('forced open')
      breaker.forceOpen()
      return refusing(breaker, 'forced-open')
    },
  }
}

/** Half-open, every place taken by a trial that is still on its way. */
function halfOpen(keeper, trials) {
  return {
    role: 'busbar',
    keeper,
    batch: HALF_OPEN_BATCH,
    prepare(registry) {
      const breaker = registry.breaker(`half-open, ${trials}`, {
        waitDurationInOpenStateMs: 0,
        permittedNumberOfCallsInHalfOpenState: trials,
        trialTimeoutMs: LONG_MS,
      })
      breaker.reset()
      breaker.open()
      for (let trial = 1; trial <= trials; trial++) {
        if (breaker.tryAcquire() < 0) throw new Error(`trial ${trial} of ${trials} was refused`)
      }
      return refusing(breaker, 'half-open')
    },
  }
}

const LOAD = 'one Atomics.load'
const LOAD_AND_CLOCK = 'Atomics.load and process.hrtime()'

export const cases = {
  [LOAD]: floor(LoadFloor),
  [LOAD_AND_CLOCK]: floor(LoadAndClockFloor),
  'open, keeper on': open(true),
  'open, keeper off': open(false),
  'forced-open, keeper on': forcedOpen(true),
  'forced-open, keeper off': forcedOpen(false),
  ...Object.fromEntries(
    [true, false].flatMap(keeper =>
      TRIALS.map(trials => [halfOpenName(keeper, trials), halfOpen(keeper, trials)]),
    ),
  ),
}

function halfOpenName(keeper, trials) {
  return `half-open, ${trials} of ${trials} trials on their way, keeper ${keeper ? 'on' : 'off'}`
}

/** @param {{ quick: boolean, say: (text: string) => void, random: () => number }} how */
export async function ask(how) {
  const runs = await askFresh(import.meta.url, cases, how)
  const rowOf = name => row(name, runs.get(name), { role: cases[name].role })
  const halfOpenRows = TRIALS.flatMap(trials => [
    row(LOAD_AND_CLOCK, runs.get(LOAD_AND_CLOCK), { role: 'floor', x: trials }),
    ...[true, false].map(keeper =>
      row(`half-open, keeper ${keeper ? 'on' : 'off'}`, runs.get(halfOpenName(keeper, trials)), {
        role: 'busbar',
        x: trials,
      }),
    ),
  ])
  return {
    panels: [
      {
        title: 'A refusal, keeper on',
        unit: 'ns',
        better: 'lower',
        rows: [LOAD, 'open, keeper on', 'forced-open, keeper on'].map(rowOf),
      },
      {
        title: 'A refusal, keeper off',
        unit: 'ns',
        better: 'lower',
        rows: [LOAD_AND_CLOCK, 'open, keeper off', 'forced-open, keeper off'].map(rowOf),
      },
      {
        title: 'A refusal while half-open, all trials on their way',
        unit: 'ns',
        better: 'lower',
        x: 'permitted trials',
        rows: halfOpenRows,
      },
    ],
    notes: [
      'Each run is a thread of its own that has done nothing else, so V8 inlines all it can.',
      'A floor stands in an object with a method tryAcquire(), as a breaker does.',
    ],
  }
}
