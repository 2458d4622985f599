/** Random histories of one throttle, of one to three threads, against the reference. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Draws } from '../../../src/protocol/throttle-draw.ts'
import { sumCounters } from '../../../src/protocol/totals.ts'
import { baseSeed } from '../../model/random.ts'
import { Reference } from './reference.ts'
import { makeThrottles } from './support.ts'

const RUNS = 2_000
const MAX_STEPS = 150

const options = fc.record({
  k: fc.constantFrom(1, 1.1, 2, 7),
  windowMs: fc.constantFrom(10, 33, 250, 1_000, 120_000),
  minimumRequestsPerSecond: fc.constantFrom(0, 0.05, 5),
  maxRejectionProbability: fc.constantFrom(1, 0.5, 0.9),
})
/** Mostly calls that the backend does not take: else nothing is refused. */
const step = fc.record({
  thread: fc.nat(2),
  what: fc.oneof(
    { weight: 6, arbitrary: fc.constant('call rejected' as const) },
    { weight: 2, arbitrary: fc.constant('call accepted' as const) },
    { weight: 1, arbitrary: fc.constant('call ignored' as const) },
    { weight: 2, arbitrary: fc.constant('begin' as const) },
    { weight: 2, arbitrary: fc.constant('end' as const) },
    { weight: 2, arbitrary: fc.constant('advance' as const) },
  ),
  ms: fc.constantFrom(0.001, 1, 7.3, 25, 99, 100, 101, 1_000, 20_000),
})
const history = fc.record({
  options,
  startMs: fc.constantFrom(0, 12_345.678),
  seeds: fc.array(fc.integer({ min: 2 ** 16, max: 2 ** 31 - 1 }), { minLength: 1, maxLength: 3 }),
  overflow: fc.boolean(),
  steps: fc.array(step, { maxLength: MAX_STEPS }),
})
type History = typeof history extends fc.Arbitrary<infer T> ? T : never

const covered = new Set<string>()

function play({ options, startMs, seeds, overflow, steps }: History): void {
  const { clock, cores } = makeThrottles(options, seeds, overflow)
  const reference = new Reference(options)
  const draws = seeds.map(seed => new Draws(seed))
  let inFlight = 0
  const advance = (ms: number): void => {
    clock.advance(ms)
    reference.now = clock.now()
  }
  if (startMs > 0) advance(startMs)
  for (const { thread: any, what, ms } of steps) {
    const thread = any % seeds.length
    const core = cores[thread]
    const drawsOf = draws[thread]
    if (core === undefined || drawsOf === undefined) throw new Error('no such thread')
    if (what === 'advance') {
      advance(ms)
      continue
    }
    if (what !== 'end') {
      const admitted = core.tryAcquire() >= 0
      expect(admitted).toBe(reference.tryAcquire(() => drawsOf.next()))
      covered.add(admitted ? 'admitted' : 'refused')
      if (!admitted) continue
      inFlight++
    }
    if (inFlight === 0 || what === 'begin') continue
    inFlight--
    if (what === 'call ignored') core.release(0)
    else {
      const isAccepted = what === 'call accepted'
      if (isAccepted) core.recordSuccess(0)
      else core.recordFailure(0)
      reference.record(isAccepted ? 'accepted' : 'rejected')
    }
    for (const each of cores) expect(each.look()).toEqual(reference.look())
  }
  const [first] = cores
  if (first === undefined) throw new Error('no thread')
  const totals = sumCounters(first.cell)
  expect(totals.admitted - totals.succeeded - totals.failed - totals.ignored).toBe(inFlight)
}

it(
  `${RUNS} histories of one to three threads`,
  () => {
    const seed = baseSeed('throttle, random')
    fc.assert(fc.property(history, play), { numRuns: RUNS, seed })
    expect([...covered].sort()).toEqual(['admitted', 'refused'])
  },
  RUNS * 50,
)
