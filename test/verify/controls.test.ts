/** The verifier on controls: nothing in sound regions, every violation that is planted in one. */
import { beforeEach, describe, expect, it } from 'vitest'
import { attachRegistry, REFUSED } from '../../src/index.ts'
import { verify } from '../../src/verify/verify.ts'
import { AGES, COUNTS, DIRECTORY, OWN, PLACES } from './plants-controls.ts'
import { HOSTS, type MadeControls, makeControls, useControls } from './support-controls.ts'

let made: MadeControls
beforeEach(() => {
  made = makeControls()
})

function expectSound(quiet = true): void {
  expect(verify(made.registry.handle.buffer, { quiet })).toEqual([])
}

describe('sound regions', () => {
  it('fresh', () => expectSound())

  it('used for long enough to go round every window', () => {
    for (let turn = 0; turn < 60; turn++) {
      useControls(made)
      expectSound()
    }
    const { throttle, hosts } = made
    expect(throttle.snapshot().rejectionProbability).toBeGreaterThan(0)
    expect(hosts.isEjected('a')).toBe(true)
  })

  it('with calls in flight, of all kinds of them', () => {
    useControls(made)
    const { registry, throttle, bulkhead, breaker } = made
    const calls = [throttle, bulkhead, breaker].map(guard => guard.tryAcquire())
    for (let step = 0; step < 40; step++) {
      expectSound(false)
      registry.advance(7)
      calls.push(breaker.tryAcquire())
    }
    // Of the breaker, of the bulkhead and its place; the throttle refuses at random.
    const given = calls[0] === REFUSED ? 0 : 1
    expect(verify(registry.handle.buffer, { quiet: true })).toHaveLength(3 + given)
  })

  it('with a queue', async () => {
    const { bulkhead } = made
    const permits = Array.from({ length: 40 }, () => bulkhead.tryAcquire())
    const waiting = bulkhead.acquire()
    expectSound(false)
    bulkhead.release(permits[7] ?? -1)
    bulkhead.release(await waiting)
    for (const [index, permit] of permits.entries()) if (index !== 7) bulkhead.release(permit)
    expectSound()
  })

  it('with hosts ejected again and again', () => {
    const { hosts, registry } = made
    for (let turn = 0; turn < 40; turn++) {
      for (const host of HOSTS) hosts.record(host, turn % 3 === 0 ? 'success' : 'failure')
      registry.advance(turn * 300)
      expectSound()
    }
  })

  it('after its maker has left, and come again', () => {
    useControls(made)
    const { throttle, bulkhead, breaker, registry } = made
    const guards = [throttle, bulkhead, breaker]
    const permits = guards.map(guard => guard.tryAcquire())
    registry.close()
    expectSound(false)
    guards.forEach((guard, index) => {
      guard.release(permits[index] ?? -1)
    })
    expectSound()
    useControls({ ...made, registry: attachRegistry(registry.handle) })
    expectSound()
  })
})

describe('planted', () => {
  it.each([...DIRECTORY, ...OWN, ...PLACES, ...COUNTS, ...AGES])('%s', (_, plant, sentence) => {
    useControls(made)
    expectSound()
    plant(made)
    const found = verify(made.registry.handle.buffer, { quiet: true })
    expect(found).toContainEqual(expect.stringMatching(sentence))
  })
})
