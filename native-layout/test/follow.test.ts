/**
 * A breaker is given other options, or removed and its record another's, while native threads hold
 * it: they go by the options in force, and call a breaker that is gone gone.
 */
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import {
  type BreakerOptions,
  createRegistry,
  REFUSED,
  type Registry,
  type RegistryOptions,
} from '../../src/index.ts'
import { HEADER, OPTION } from '../../src/memory/layout.ts'
import { attachRegion } from '../../src/memory/region.ts'
import { editionOf } from '../../src/memory/words/state.ts'
import { editionOfEntry } from '../../src/memory/words/threads.ts'
import { encodeName } from '../../src/options/breaker.ts'
import { Directory } from '../../src/protocol/directory.ts'
import { closedGate } from '../../test/threads/crew.ts'
import { GONE, NativeRegion } from './addon.ts'
import { expectSound, needAddon, openGate, sumOf, until } from './support.ts'

beforeEach(needAddon)

const NOBODY = { thread: 0, parent: 0 }
const OPTIONS: BreakerOptions = {
  slidingWindow: { type: 'count', size: 100 },
  minimumNumberOfCalls: 10,
  failureRateThreshold: 0.5,
  permittedNumberOfCallsInHalfOpenState: 3,
  trialTimeoutMs: 60_000,
}

function made(options: BreakerOptions = OPTIONS, of: RegistryOptions = {}) {
  const registry = createRegistry({ clock: 'manual', maxBreakers: 2, maxThreads: 3, ...of })
  onTestFinished(() => registry.close())
  const breaker = registry.breaker('b', options)
  const member = new NativeRegion(registry.handle.buffer).join()
  return { registry, breaker, member, native: member.find('b') }
}

function damagedOf({ handle }: Registry): number {
  return new Int32Array(handle.buffer)[HEADER.DAMAGED] ?? -1
}

/** What STATE and the entry of the first breaker say of the edition. */
function editionsOf({ handle }: Registry) {
  const region = attachRegion(handle)
  const entry = new Directory(region, NOBODY).at(0)
  if (entry === undefined) throw new Error('no breaker')
  const word = region.memory[entry.record] ?? 0
  return { state: editionOf(word), entry: editionOfEntry(entry.word), number: entry.number }
}

describe('a breaker with other options', () => {
  it('counts slow calls from the next call on, its window as it was', () => {
    const { registry, breaker, native } = made()
    for (let call = 0; call < 9; call += 1) native.recordSuccess(native.tryAcquire(), 30)
    const permit = native.tryAcquire()
    breaker.configure({ slowCallDurationThresholdMs: 20, slowCallRateThreshold: 0.2 })
    expect(native.recordSuccess(permit, 30)).toBe(true)
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', window: { calls: 10 } })
    native.recordSuccess(native.tryAcquire(), 30)
    expect(breaker.snapshot().totals).toMatchObject({ succeeded: 11, slow: 2 })
    breaker.configure({ slowCallDurationThresholdMs: null })
    native.recordSuccess(native.tryAcquire(), 30)
    expect(breaker.snapshot().totals).toMatchObject({ succeeded: 12, slow: 2, late: 0 })
    breaker.configure({ slowCallDurationThresholdMs: 20, slowCallRateThreshold: 0.2 })
    native.recordSuccess(native.tryAcquire(), 30)
    expect(native.state).toBe('open')
    expect(damagedOf(registry)).toBe(0)
    expectSound(registry)
  })

  it.each([
    { type: 'time', durationMs: 60_000, buckets: 60 },
    { type: 'count', size: 100 },
  ] as const)('is judged anew, although its stock lasts: $type', slidingWindow => {
    const { breaker, native } = made({ ...OPTIONS, slidingWindow })
    // Good outcomes are spared from here on: they look at nothing.
    for (let call = 0; call < 40; call += 1) native.recordSuccess(native.tryAcquire())
    for (let call = 0; call < 10; call += 1) native.recordFailure(native.tryAcquire())
    expect(native.state).toBe('closed')
    breaker.configure({ failureRateThreshold: 0.1 })
    native.recordSuccess(native.tryAcquire())
    expect(native.state).toBe('open')
    expect(breaker.snapshot().openedBy).toMatchObject({ calls: 51, failures: 10 })
  })

  it('refuses until the end of a wait that was longer', () => {
    const { registry, breaker, native } = made({ ...OPTIONS, waitDurationInOpenStateMs: 1000 })
    breaker.open()
    breaker.configure({ waitDurationInOpenStateMs: 10 })
    expect(native.tryAcquire()).toBe(REFUSED)
    registry.advance(999)
    expect(native.tryAcquire()).toBe(REFUSED)
    expect(damagedOf(registry)).toBe(0)
    registry.advance(1)
    const trial = native.tryAcquire()
    expect(native.state).toBe('half-open')
    native.recordFailure(trial)
    expect(breaker.retryAfterMs()).toBe(10)
  })

  it('settles trials that it permits no more, within leases that were longer', () => {
    const { registry, breaker, native } = made({ ...OPTIONS, waitDurationInOpenStateMs: 1 })
    breaker.open()
    registry.advance(1)
    const permits = [native.tryAcquire(), native.tryAcquire(), native.tryAcquire()]
    breaker.configure({ permittedNumberOfCallsInHalfOpenState: 1, trialTimeoutMs: 5 })
    registry.advance(100)
    expect(native.recordSuccess(permits[2] ?? 0)).toBe(true)
    expect(native.state).toBe('half-open')
    expect(native.tryAcquire()).toBe(REFUSED)
    expect(native.recordSuccess(permits[0] ?? 0)).toBe(true)
    expect(native.state).toBe('closed')
    expect(native.recordSuccess(permits[1] ?? 0)).toBe(false)
    expect(damagedOf(registry)).toBe(0)
  })

  it('is known to all once native code has met the entry that a dead thread replaced', () => {
    const { registry, breaker, member, native } = made()
    native.recordSuccess(native.tryAcquire())
    const region = attachRegion(registry.handle)
    const directory = new Directory(region, NOBODY)
    const entry = directory.find('b')
    if (entry === undefined) throw new Error('no breaker')
    const numbers = entry.numbers.map((of, option) => (option === OPTION.FAILURE_RATE ? 0.1 : of))
    expect(directory.replace(entry, encodeName('b'), numbers)).toBe(true)
    expect(editionsOf(registry)).toMatchObject({ state: 1, entry: 2 })
    // Nobody has said so in STATE: who holds it goes on as before.
    native.recordSuccess(native.tryAcquire())
    expect(editionsOf(registry)).toMatchObject({ state: 1, entry: 2 })
    const other = member.find('b')
    other.recordSuccess(other.tryAcquire())
    expect(editionsOf(registry)).toMatchObject({ state: 2, entry: 2 })
    for (let call = 0; call < 6; call += 1) native.recordSuccess(native.tryAcquire())
    native.recordFailure(native.tryAcquire())
    expect([native.state, breaker.options.failureRateThreshold]).toEqual(['open', 0.1])
  })
})

describe('a breaker that is removed', () => {
  it('is gone; its outcomes are late; nobody finds it', () => {
    const { registry, member, native } = made()
    const [one, two, three] = [1, 2, 3].map(() => native.tryAcquire())
    registry.remove('b')
    expect(native.tryAcquire()).toBe(GONE)
    expect(native.recordSuccess(one ?? GONE)).toBe(false)
    expect(native.recordFailure(two ?? GONE, 5)).toBe(false)
    expect(native.release(three ?? GONE)).toBe(false)
    expect(native.state).toBe('disabled')
    expect(() => member.find('b')).toThrow('no circuit breaker of that name')
    expect(damagedOf(registry)).toBe(0)
    expectSound(registry)
  })

  it('is another once it is made again, with counters of its own', () => {
    const { registry, member, native } = made()
    native.recordFailure(native.tryAcquire(), 5)
    const permit = native.tryAcquire()
    registry.remove('b')
    const breaker = registry.breaker('b', { ...OPTIONS, minimumNumberOfCalls: 1 })
    expect([native.tryAcquire(), native.recordFailure(permit)]).toEqual([GONE, false])
    expect(breaker.snapshot().totals).toMatchObject({ admitted: 0, failed: 0, late: 0 })
    const found = member.find('b')
    found.recordFailure(found.tryAcquire(), 7)
    const { state, totals, durations } = breaker.snapshot()
    expect(state).toBe('open')
    expect(totals).toMatchObject({ admitted: 1, failed: 1, late: 0 })
    expect(durations).toMatchObject({ count: 1, sumMs: 7 })
    expect(native.recordSuccess(permit)).toBe(false)
    expect(native.tryAcquire()).toBe(GONE)
    expect(breaker.snapshot().totals).toMatchObject({ late: 0, refused: 0 })
    expect(registry.history()).toMatchObject([{ breaker: 'b', from: 'closed', to: 'open' }])
    expectSound(registry)
  })

  it('leaves its record to one of another name, in which nobody counts for it', () => {
    const { registry, member, native } = made()
    native.recordFailure(native.tryAcquire())
    const permit = native.tryAcquire()
    registry.remove('b')
    const c = registry.breaker('c', OPTIONS)
    const other = member.find('c')
    other.recordSuccess(other.tryAcquire())
    expect(native.tryAcquire()).toBe(GONE)
    for (let call = 0; call < 20; call += 1) native.recordFailure(permit)
    expect(c.snapshot()).toMatchObject({ window: { calls: 1 }, totals: { admitted: 1, late: 0 } })
    member.leave()
    expect(c.snapshot().totals).toMatchObject({ admitted: 1, succeeded: 1, inFlight: 0 })
    expectSound(registry)
  })

  it('gives its shared counters up as well, for threads without a slot', () => {
    const { registry, member, native } = made(OPTIONS, { maxThreads: 1 })
    expect(member.slot).toBe(0)
    for (let call = 0; call < 3; call += 1) native.recordFailure(native.tryAcquire(), 5)
    const permit = native.tryAcquire()
    registry.remove('b')
    const breaker = registry.breaker('b', OPTIONS)
    expect([native.tryAcquire(), native.recordFailure(permit)]).toEqual([GONE, false])
    const found = member.find('b')
    found.recordSuccess(found.tryAcquire(), 1)
    const { totals, durations } = breaker.snapshot()
    expect(totals).toMatchObject({ admitted: 1, succeeded: 1, failed: 0, late: 0, inFlight: 0 })
    expect(durations).toMatchObject({ count: 1, sumMs: 1 })
    expectSound(registry)
  })

  it('hands nothing over of what was in flight before', () => {
    const { registry, member, native } = made()
    for (let call = 0; call < 3; call += 1) native.tryAcquire()
    registry.remove('b')
    const breaker = registry.breaker('b', OPTIONS)
    member.leave()
    expect(breaker.snapshot().totals).toMatchObject({ admitted: 0, inFlight: 0 })
    expectSound(registry)
  })
})

it.each([
  ['of their own', 4],
  ['that they share', 1],
])(
  'native threads with slots %s keep up with removals and other options',
  async (_, maxThreads) => {
    const of = { clock: 'monotonic', maxBreakers: 1, maxThreads, keeper: false } as const
    const { registry } = made(OPTIONS, of)
    const region = new NativeRegion(registry.handle.buffer)
    const gate = closedGate()
    const crew = region.crew('b', gate, { threads: 2, mode: 'mixed', milliseconds: 60_000 })
    await openGate(gate, 2)
    let breaker = registry.breaker('b', OPTIONS)
    for (let round = 0; round < 200; round += 1) {
      breaker = registry.breaker('b', OPTIONS)
      for (const rate of [0.3, 0.6, 0.9]) {
        breaker.configure({ failureRateThreshold: rate, slowCallDurationThresholdMs: rate })
        breaker.recordSuccess(breaker.tryAcquire())
      }
      // A native thread holds it then, and finds it gone at its next call.
      if (round % 10 === 0) await until(() => breaker.snapshot().totals.admitted > 3)
      registry.remove('b')
    }
    breaker = registry.breaker('b', OPTIONS)
    await until(() => breaker.snapshot().totals.admitted > 0)
    crew.end()
    const counts = await crew.counts()
    expect(sumOf(counts, 'gone')).toBeGreaterThan(0)
    const ends = (['succeeded', 'failed', 'ignored', 'late'] as const).map(end =>
      sumOf(counts, end),
    )
    expect(sumOf(counts, 'admitted')).toBe(ends.reduce((sum, end) => sum + end))
    const { totals } = breaker.snapshot()
    expect(totals.inFlight).toBe(0)
    expect(damagedOf(registry)).toBe(0)
  },
)
