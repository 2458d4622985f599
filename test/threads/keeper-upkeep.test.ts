/** What is due although nobody asks: the keeper sees to it, awake or asleep. */
import { describe, expect, it } from 'vitest'
import { createRegistry, REFUSED, type Registry } from '../../src/index.ts'
import { attachRegion } from '../../src/memory/region.ts'
import { markDead } from '../../src/protocol/slots.ts'
import { verify } from '../../src/verify/verify.ts'
import { start } from './crew.ts'
import { makeKept, succeed, untilHolds, wake, within } from './keeper/support.ts'

const WAIT_MS = 20
/** Milliseconds by which all would have been seen to: an asleep keeper looks once a second. */
const LONG_ENOUGH_MS = 1500
/** The end of a lease is kept in whole microseconds. */
const ROUNDING_MS = 0.002

/** A breaker that is half-open, with a trial that nobody will settle in time. */
async function makeHalfOpen(registry: Registry, trialTimeoutMs: number) {
  const breaker = registry.breaker('b', {
    waitDurationInOpenStateMs: { initialMs: WAIT_MS, multiplier: 1000 },
    trialTimeoutMs,
  })
  breaker.open()
  let trial = REFUSED
  let before = 0
  await untilHolds(() => {
    before = registry.now()
    trial = breaker.tryAcquire()
    return trial !== REFUSED
  })
  const after = registry.now()
  return { breaker, trial, ends: [before + trialTimeoutMs, after + trialTimeoutMs] as const }
}

describe('an outlived trial', () => {
  it.each([
    ['awake', 200],
    ['asleep', 1000],
  ] as const)('is taken over by a keeper %s', async (state, trialTimeoutMs) => {
    const { registry } = await makeKept()
    const traffic = registry.breaker('traffic')
    const { breaker, trial, ends } = await makeHalfOpen(registry, trialTimeoutMs)
    if (state === 'asleep') await untilHolds(() => registry.snapshot().keeper === 'asleep')
    await untilHolds(
      () => breaker.state === 'open',
      () => state === 'awake' && succeed(traffic),
    )
    expect(registry.now()).toBeLessThan(ends[1] + LONG_ENOUGH_MS)
    const { since, ...snapshot } = breaker.snapshot()
    expect(snapshot).toMatchObject({ transitions: 3, totals: { admitted: 1, inFlight: 1 } })
    // The wait counts from the end of the lease, whoever noticed and when.
    expect(since).toBeGreaterThanOrEqual(ends[0] - ROUNDING_MS)
    expect(since).toBeLessThanOrEqual(ends[1] + ROUNDING_MS)
    breaker.recordSuccess(trial)
    expect(breaker.snapshot()).toMatchObject({ state: 'open', totals: { late: 1, inFlight: 0 } })
  })

  it('stays where it is without a keeper: looks move nothing', async () => {
    using registry = createRegistry({ keeper: false })
    const { breaker, ends } = await makeHalfOpen(registry, WAIT_MS)
    await untilHolds(
      () => registry.now() > ends[1] + LONG_ENOUGH_MS,
      () => {
        breaker.canExecute()
        breaker.snapshot()
        expect(registry.snapshot().breakers[0]?.state).toBe('half-open')
        expect(breaker.state).toBe('half-open')
      },
    )
    breaker.tryAcquire()
    expect(breaker.state).toBe('open')
  })
})

describe('the sums of a window whose traffic has stopped', () => {
  const WINDOW = { type: 'time', durationMs: 200, buckets: 4 } as const

  /** Outcomes of more than one round of the periodic sum. */
  async function record(registry: Registry): Promise<() => number> {
    const breaker = registry.breaker('b', { slidingWindow: WINDOW })
    const seen = (): number => registry.snapshot().breakers[0]?.window.calls ?? Number.NaN
    await untilHolds(
      () => seen() > 1,
      () => succeed(breaker),
    )
    return seen
  }

  it('go down to nothing in registry.snapshot()', async () => {
    const { registry } = await makeKept()
    const seen = await record(registry)
    const stopped = registry.now()
    await untilHolds(() => seen() === 0)
    expect(registry.now() - stopped).toBeLessThan(WINDOW.durationMs + 2 * LONG_ENOUGH_MS)
  })

  it('stay as they were without a keeper, and say how old they are', async () => {
    using registry = createRegistry({ keeper: false })
    const seen = await record(registry)
    const before = seen()
    const stopped = registry.now()
    await untilHolds(() => registry.now() > stopped + LONG_ENOUGH_MS)
    expect(seen()).toBe(before)
    expect(registry.snapshot().breakers[0]?.windowAgeMs).toBeGreaterThan(LONG_ENOUGH_MS - 200)
    expect(registry.breaker('b').snapshot().window.calls).toBe(0)
  })
})

describe('a slot that is marked dead', () => {
  it.each(['awake', 'asleep'] as const)('is freed by a keeper %s', async state => {
    const kept = await makeKept()
    const { registry, memory } = kept
    registry.breaker('b')
    const holder = start<number[]>(registry, 'take', { breaker: 'b', permits: 3 })
    await holder.result
    if (state === 'awake') await wake(kept)
    const { shape } = attachRegion(registry.handle)
    expect(registry.snapshot()).toMatchObject({ threads: 2 })
    // As a thread would that knows of its end and dies before it reaps. The holder only rests.
    markDead(memory, shape, holder.worker.threadId)
    const traffic = registry.breaker('traffic')
    await untilHolds(
      () => registry.snapshot().threads === 1,
      () => state === 'awake' && succeed(traffic),
    )
    const { totals } = registry.breaker('b').snapshot()
    expect(totals).toMatchObject({ admitted: 3, abandoned: 3, inFlight: 0 })
    registry.close()
    await within('the thread ends', kept.exited)
    expect(verify(registry.handle.buffer, { quiet: true })).toEqual([])
  })

  it('stays marked without a keeper, until somebody sees a death', async () => {
    using registry = createRegistry({ keeper: false })
    registry.breaker('b')
    const members = [1, 2].map(() =>
      start<number[]>(registry, 'take', { breaker: 'b', permits: 3 }),
    )
    await Promise.all(members.map(({ result }) => result))
    const [marked, other] = members as [(typeof members)[0], (typeof members)[0]]
    const { memory, shape } = attachRegion(registry.handle)
    markDead(memory, shape, marked.worker.threadId)
    const end = registry.now() + LONG_ENOUGH_MS
    await untilHolds(() => registry.now() > end)
    expect(registry.snapshot().threads).toBe(3)
    await other.worker.terminate()
    await untilHolds(() => registry.snapshot().threads === 1)
    const { totals } = registry.breaker('b').snapshot()
    expect(totals).toMatchObject({ admitted: 6, abandoned: 6, inFlight: 0 })
  })
})
