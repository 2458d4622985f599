/**
 * Histories of three and four real threads against the sequential reference, breaker by breaker.
 *
 * Checked: the result of every call and what is seen at the end fit an order of steps that keeps
 * real time, each outcome, each ask and each transition being one step (model.ts, "stepped").
 * Not checked here: time windows (a sum over shards is no single moment; their counters are checked
 * in totals.test.ts), time that moves during the calls (the clock stands still: leases and waits end
 * between batches only), and late against counted for an outcome that overlaps a transition.
 *
 * How many histories fit the reference call by call as well is printed: the rest is what P4 allows.
 */
import { describe, expect, it } from 'vitest'
import { baseSeed, Random } from '../model/random.ts'
import { Crew, describeHistory, type Workload } from './crew.ts'
import { type Call, type History, initialOf, ReferenceRules } from './model.ts'
import { overlaps, search } from './search.ts'

const RUN_MS = Number(process.env.BUSBAR_LINEARIZE_MS ?? 2500)
/** Overlapping histories that are enough; where other work keeps the threads apart, it takes longer. */
const ENOUGH = 500
const SETTLE = { recordSuccess: 2, recordFailure: 5, state: 1 }
const LONG_MS = 3_600_000

const WORKLOADS: Record<string, Workload> = {
  'a row of three failures': {
    options: {
      slidingWindow: { type: 'consecutive', failures: 3 },
      waitDurationInOpenStateMs: LONG_MS,
    },
    workers: 3,
    length: 5,
    weights: { tryAcquire: 5, ...SETTLE },
    opened: false,
    maxThreads: 5,
  },
  'a count window of four': {
    options: {
      slidingWindow: { type: 'count', size: 4 },
      minimumNumberOfCalls: 3,
      failureRateThreshold: 0.6,
      waitDurationInOpenStateMs: LONG_MS,
    },
    workers: 3,
    length: 5,
    weights: { tryAcquire: 5, ...SETTLE, recordSuccess: 4 },
    opened: false,
    maxThreads: 5,
  },
  'commands and outcomes on STATE': {
    options: {
      slidingWindow: { type: 'consecutive', failures: 2 },
      waitDurationInOpenStateMs: LONG_MS,
    },
    workers: 4,
    length: 4,
    weights: {
      tryAcquire: 5,
      ...SETTLE,
      release: 1,
      open: 1,
      reset: 1,
      forceOpen: 0.3,
      disable: 0.3,
      metricsOnly: 0.3,
    },
    opened: false,
    maxThreads: 2,
  },
  'two trials': {
    options: {
      slidingWindow: { type: 'consecutive', failures: 2 },
      waitDurationInOpenStateMs: 0,
      permittedNumberOfCallsInHalfOpenState: 2,
    },
    workers: 3,
    length: 4,
    weights: { tryAcquire: 5, recordSuccess: 3, recordFailure: 1, release: 1, state: 1 },
    opened: true,
    maxThreads: 5,
  },
}

function isLinearizable(history: History, reading: 'strict' | 'stepped'): boolean {
  const rules = new ReferenceRules(history, reading)
  return search(history.calls, initialOf(history), rules).linearizable
}

describe('histories of real threads', () => {
  it.each(Object.entries(WORKLOADS))('%s', { timeout: 60_000 }, async (name, workload) => {
    const random = new Random(baseSeed(`linearize, ${name}`))
    const crew = new Crew(workload)
    await crew.ready()
    const found = { histories: 0, overlapping: 0, checked: 0, strict: 0, calls: 0 }
    try {
      const [early, late] = [performance.now() + RUN_MS, performance.now() + 3 * RUN_MS]
      const isOver = () => performance.now() > (found.overlapping < ENOUGH ? late : early)
      while (!isOver()) {
        for (const history of crew.run(random)) {
          found.histories++
          const overlapping = overlaps(history.calls) > 0
          if (overlapping) found.overlapping++
          // One after the other is what test/model checks: a few of those are enough.
          if (!overlapping && found.histories % 16 !== 0) continue
          found.checked++
          found.calls += history.calls.length
          if (isLinearizable(history, 'strict')) found.strict++
          else if (!isLinearizable(history, 'stepped')) expect.fail(describeHistory(history))
        }
      }
    } finally {
      await crew.stop()
    }
    console.log(`linearize, ${name}: ${JSON.stringify(found)}`)
    expect(found.histories).toBeGreaterThan(100)
    expect(found.overlapping).toBeGreaterThan(20)
  })
})

describe('the search itself', () => {
  const base: Omit<History, 'calls' | 'end'> = {
    options: {
      slidingWindow: { type: 'consecutive', failures: 1 },
      waitDurationInOpenStateMs: 0,
      permittedNumberOfCallsInHalfOpenState: 1,
    },
    generation: 0,
    now: 1000,
    opened: false,
  }
  const call = (fields: Partial<Call>): Call => ({
    worker: 0,
    code: 'tryAcquire',
    invoked: 0,
    returned: 1,
    result: 0,
    ...fields,
  })
  const end = {
    state: 'closed',
    generation: 0,
    calls: 0,
    failures: 0,
    admitted: 0,
    refused: 0,
    settled: 0,
  }
  const open = { ...end, state: 'open', generation: 1, admitted: 1, settled: 1 }
  const trial = 2 ** 52 + 2 ** 30 + 2

  it.each([
    ['two asks at once', [call({}), call({ worker: 1 })], { ...end, admitted: 2 }, true],
    ['a total too high', [call({})], { ...end, admitted: 2 }, false],
    ['a permit of another generation', [call({ result: 1 })], { ...end, admitted: 1 }, false],
    [
      'a failure that opens',
      [call({}), call({ code: 'recordFailure', permitOf: 0, invoked: 2, returned: 3 })],
      open,
      true,
    ],
    [
      'a failure that does not',
      [call({}), call({ code: 'recordFailure', permitOf: 0, invoked: 2, returned: 3 })],
      { ...open, state: 'closed', generation: 0 },
      false,
    ],
    [
      'a permit after the opening was over',
      [
        call({}),
        call({ code: 'recordFailure', permitOf: 0, invoked: 2, returned: 3 }),
        call({ worker: 1, invoked: 4, returned: 5 }),
      ],
      { ...open, admitted: 2 },
      false,
    ],
    [
      'the same, while the opening goes on',
      [
        call({}),
        call({ code: 'recordFailure', permitOf: 0, invoked: 2, returned: 6 }),
        call({ worker: 1, invoked: 4, returned: 5 }),
      ],
      { ...open, admitted: 2 },
      true,
    ],
    [
      'a state that goes back',
      [
        call({}),
        call({ code: 'recordFailure', permitOf: 0, invoked: 2, returned: 8 }),
        call({ worker: 1, code: 'state', result: 1, invoked: 3, returned: 4 }),
        call({ worker: 1, code: 'state', result: 0, invoked: 5, returned: 6 }),
      ],
      open,
      false,
    ],
  ] as const)('%s: %#', (_, calls, ends, expected) => {
    const history = { ...base, calls, end: ends }
    expect(isLinearizable(history, 'stepped')).toBe(expected)
  })

  it('accepts an outcome that appears in a count window after others with later indices', () => {
    const failure = { code: 'recordFailure', permitOf: 0 } as const
    const success = { code: 'recordSuccess', permitOf: 0 } as const
    const calls = [
      call({}),
      call({ ...failure, worker: 1, invoked: 2, returned: 9 }),
      call({ ...failure, invoked: 3, returned: 4 }),
      call({ ...success, invoked: 5, returned: 6 }),
      call({ ...success, invoked: 7, returned: 8 }),
      call({ ...failure, worker: 1, invoked: 10, returned: 11 }),
      call({ ...failure, worker: 2, invoked: 12, returned: 13 }),
    ]
    const { options } = WORKLOADS['a count window of four'] ?? base
    const history: History = {
      ...base,
      options,
      calls,
      end: { ...end, calls: 4, failures: 2, admitted: 1, settled: 6 },
    }
    expect(isLinearizable(history, 'stepped')).toBe(true)
    expect(isLinearizable(history, 'strict')).toBe(false)
    // Without the overlap there is one order only, and it opens.
    const apart = calls.map(each => (each.returned === 9 ? { ...each, returned: 2.5 } : each))
    expect(isLinearizable({ ...history, calls: apart }, 'stepped')).toBe(false)
  })

  it('rejects two trials where one is permitted, and accepts one', () => {
    const begin = { ...base, opened: true, generation: 1 }
    const halfOpen = { ...end, state: 'half-open', generation: 2 }
    const first = call({ result: trial })
    const second = call({ worker: 1, result: trial })
    const calls = [first, second]
    const both = { ...begin, calls, end: { ...halfOpen, admitted: 2 } }
    expect(isLinearizable(both, 'stepped')).toBe(false)
    const refusal = [first, { ...second, result: -1 }]
    const one = { ...begin, calls: refusal, end: { ...halfOpen, admitted: 1, refused: 1 } }
    expect(isLinearizable(one, 'strict')).toBe(true)
  })

  it('rejects a refusal while a place is free and only a trial settles', () => {
    const options = { ...base.options, permittedNumberOfCallsInHalfOpenState: 2 }
    const calls = [
      call({ result: trial }),
      call({ code: 'recordSuccess', permitOf: 0, invoked: 2, returned: 5 }),
      call({ worker: 1, result: -1, invoked: 3, returned: 4 }),
    ]
    const ends = { ...end, state: 'half-open', generation: 2, admitted: 1, refused: 1, settled: 1 }
    const history = { ...base, options, opened: true, generation: 1, calls, end: ends }
    expect(isLinearizable(history, 'stepped')).toBe(false)
    const given = calls.map(each => (each.result === -1 ? { ...each, result: trial } : each))
    const both = { ...history, calls: given, end: { ...ends, admitted: 2, refused: 0 } }
    expect(isLinearizable(both, 'strict')).toBe(true)
  })

  it('rejects real histories with one result changed', { timeout: 30_000 }, async () => {
    const seed = baseSeed('linearize, wrong histories')
    const random = new Random(seed)
    const workload = WORKLOADS['a row of three failures']
    if (workload === undefined) throw new RangeError('no such workload')
    const crew = new Crew(workload)
    await crew.ready()
    let rejected = 0
    let changed = 0
    try {
      for (const history of crew.run(random)) {
        const calls = history.calls.filter(({ code }) => code === 'tryAcquire')
        const victim = random.pick(calls)
        const result = victim.result === -1 ? history.generation : -1
        const wrong = history.calls.map(each => (each === victim ? { ...each, result } : each))
        changed++
        if (!isLinearizable({ ...history, calls: wrong }, 'stepped')) rejected++
      }
    } finally {
      await crew.stop()
    }
    expect(changed).toBeGreaterThan(100)
    expect(rejected, `seed ${seed}`).toBe(changed)
  })
})
