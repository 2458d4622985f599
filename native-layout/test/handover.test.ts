/** Permits handed over: taken by one side, settled by the other, also after the taker has left. */
import { beforeEach, describe, expect, it } from 'vitest'
import { type CircuitBreaker, createRegistry, type Registry } from '../../src/index.ts'
import { verify } from '../../src/verify/verify.ts'
import { type NativeBreaker, NativeRegion } from './addon.ts'
import { needAddon } from './support.ts'

type Either = CircuitBreaker | NativeBreaker

const WAIT_MS = 100
let registry: Registry
let js: CircuitBreaker
let region: NativeRegion
let c: NativeBreaker

beforeEach(context => {
  needAddon(context)
  registry = createRegistry({ clock: 'manual', maxThreads: 4 })
  js = registry.breaker('b', {
    waitDurationInOpenStateMs: WAIT_MS,
    permittedNumberOfCallsInHalfOpenState: 2,
    trialTimeoutMs: 1000,
  })
  region = new NativeRegion(registry.handle.buffer)
  c = region.join().find('b')
})

const WAYS: [string, () => [Either, Either]][] = [
  ['from C to JavaScript', () => [c, js]],
  ['from JavaScript to C', () => [js, c]],
  ['from C to C', () => [c, region.join().find('b')]],
]

/** Open, and the wait is over. */
function due(): void {
  js.open()
  registry.advance(WAIT_MS)
}

function settled() {
  const { admitted, succeeded, failed, ignored, late, inFlight } = js.snapshot().totals
  return [admitted, succeeded, failed, ignored, late, inFlight]
}

/**
 * The shard of who settled for another counts more endings than beginnings, and the other one the
 * reverse. That is all there is to say against the region.
 */
function expectSoundInSum(): void {
  const findings = verify(registry.handle.buffer)
  const unlike = findings.filter(sentence => !/more calls ended than admitted/.test(sentence))
  expect(unlike).toEqual([])
}

describe.each(WAYS)('%s', (_, ends) => {
  it('while closed', () => {
    const [taker, settler] = ends()
    settler.recordSuccess(taker.tryAcquire())
    settler.recordFailure(taker.tryAcquire())
    settler.release(taker.tryAcquire())
    expect(settled()).toEqual([3, 1, 1, 1, 0, 0])
    expect(js.snapshot().window).toMatchObject({ calls: 2, failures: 1 })
    expectSoundInSum()
  })

  it('trials that close the breaker', () => {
    const [taker, settler] = ends()
    due()
    const trials = [taker.tryAcquire(), taker.tryAcquire()]
    for (const trial of trials) settler.recordSuccess(trial)
    expect([js.state, c.state]).toEqual(['closed', 'closed'])
    for (const trial of trials) settler.recordSuccess(trial)
    expect(settled()).toEqual([2, 2, 0, 0, 2, 0])
  })

  it('a trial that opens it, and one that is given back', () => {
    const [taker, settler] = ends()
    due()
    settler.release(taker.tryAcquire())
    expect(js.snapshot().trials).toMatchObject({ inFlight: 0 })
    settler.recordFailure(taker.tryAcquire())
    expect([js.state, c.state]).toEqual(['open', 'open'])
    expect(settled()).toEqual([2, 0, 1, 1, 0, 0])
  })

  it('a trial that has outlived its lease, and a permit of an earlier generation', () => {
    const [taker, settler] = ends()
    const early = taker.tryAcquire()
    due()
    const trial = taker.tryAcquire()
    registry.advance(1000)
    settler.recordSuccess(trial)
    settler.recordSuccess(early)
    expect(js.state).toBe('open')
    expect(settled()).toEqual([2, 0, 0, 0, 2, 0])
  })
})

describe('after the taker has left', () => {
  it('C leaves calls in flight, and JavaScript settles them', () => {
    const permits = [c.tryAcquire(), c.tryAcquire()]
    c.member.leave()
    expect(c.member.slot).toBe(0)
    expectSoundInSum()
    expect(settled()).toEqual([2, 0, 0, 0, 0, 2])
    for (const permit of permits) js.recordSuccess(permit)
    expect(settled()).toEqual([2, 2, 0, 0, 0, 0])
    expectSoundInSum()
  })

  it('C leaves trials in flight, and JavaScript settles them', () => {
    due()
    const trials = [c.tryAcquire(), c.tryAcquire()]
    c.member.leave()
    expect(js.snapshot().trials).toMatchObject({ inFlight: 2 })
    // No place is left to a slot that nobody holds.
    expectSoundInSum()
    for (const trial of trials) js.recordSuccess(trial)
    expect(js.state).toBe('closed')
    expectSoundInSum()
  })

  it('JavaScript leaves trials in flight, and C settles them', () => {
    due()
    const trials = [js.tryAcquire(), js.tryAcquire()]
    registry.close()
    for (const trial of trials) expect(c.recordSuccess(trial)).toBe(true)
    expect([js.state, c.state]).toEqual(['closed', 'closed'])
    expectSoundInSum()
  })

  it('another thread of C has the slot, and its own calls are told apart', () => {
    const permit = c.tryAcquire()
    const { slot } = c.member
    c.member.leave()
    const next = region.join().find('b')
    expect(next.member.slot).toBe(slot)
    next.recordFailure(next.tryAcquire())
    expect(next.recordSuccess(permit)).toBe(true)
    expect(settled()).toEqual([2, 1, 1, 0, 0, 0])
    next.member.leave()
    expect(settled()).toEqual([2, 1, 1, 0, 0, 0])
    expectSoundInSum()
  })
})
