/** A native thread that is gone without a word: leases bound the damage, markDead ends it. */
import { beforeEach, describe, expect, it } from 'vitest'
import {
  attachRegistry,
  type CircuitBreaker,
  createRegistry,
  REFUSED,
  type Registry,
} from '../../src/index.ts'
import { viewsOf } from '../../src/memory/atomics.ts'
import { attachRegion } from '../../src/memory/region.ts'
import {
  epochOf,
  FIRST_NATIVE_THREAD,
  isDead,
  isLive,
  NO_PARENT,
  threadOf,
} from '../../src/memory/words/threads.ts'
import { slotWord } from '../../src/protocol/slots.ts'
import { NativeRegion } from './addon.ts'
import { expectSound, needAddon, startWorker, until } from './support.ts'

const WAIT_MS = 100
const LEASE_MS = 1000
let registry: Registry
let breaker: CircuitBreaker
let region: NativeRegion

beforeEach(context => {
  needAddon(context)
  registry = createRegistry({ clock: 'manual', maxThreads: 3 })
  breaker = registry.breaker('b', {
    waitDurationInOpenStateMs: WAIT_MS,
    permittedNumberOfCallsInHalfOpenState: 1,
    trialTimeoutMs: LEASE_MS,
  })
  region = new NativeRegion(registry.handle.buffer)
})

function wordOf(slot: number): bigint {
  const { buffer } = registry.handle
  return slotWord(viewsOf(buffer), attachRegion(registry.handle).shape, slot)
}

/** A worker of Node's comes and ends: this thread sees that, and reaps all that is marked. */
async function visit(): Promise<void> {
  const worker = startWorker<boolean>(registry, 'visit', { breaker: 'b' })
  await worker.result
  await worker.exited
}

describe('holding a trial', () => {
  beforeEach(() => {
    breaker.open()
    registry.advance(WAIT_MS)
  })

  it('it costs one lease', () => {
    const { permits } = region.vanish('b', 2)
    expect(permits).toEqual([expect.any(Number), REFUSED])
    expect(breaker.state).toBe('half-open')
    registry.advance(LEASE_MS - 1)
    expect(breaker.tryAcquire()).toBe(REFUSED)
    expect(breaker.state).toBe('half-open')
    registry.advance(1)
    // Outlived is failed: open again since the end of the lease, whoever asks.
    expect(region.join().find('b').tryAcquire()).toBe(REFUSED)
    expect([breaker.state, breaker.retryAfterMs()]).toEqual(['open', WAIT_MS])
    registry.advance(WAIT_MS)
    breaker.recordSuccess(breaker.tryAcquire())
    expect(breaker.state).toBe('closed')
  })

  it('the trial is free again once the death is known', async () => {
    const { member, permits } = region.vanish('b', 1)
    member.markDead()
    expect(breaker.tryAcquire()).toBe(REFUSED)
    await visit()
    await until(() => registry.snapshot().threads === 1)
    expect(breaker.snapshot().trials).toMatchObject({ inFlight: 0 })
    const { late } = breaker.snapshot().totals
    breaker.recordSuccess(permits[0] ?? 0)
    expect(breaker.snapshot().totals.late).toBe(late + 1)
    expect(breaker.snapshot().trials).toMatchObject({ succeeded: 0 })
    breaker.recordSuccess(breaker.tryAcquire())
    expect(breaker.state).toBe('closed')
  })
})

describe('holding calls in flight', () => {
  it('they are abandoned once the death is known, and the slot is used again', async () => {
    const { member } = region.vanish('b', 3)
    const { slot } = member
    const epoch = epochOf(wordOf(slot))
    // No thread of Node's has its number, and none started it.
    const { thread, parent } = threadOf(wordOf(slot))
    expect([thread >= FIRST_NATIVE_THREAD, parent]).toEqual([true, NO_PARENT])
    expect(breaker.snapshot().totals).toMatchObject({ admitted: 3, inFlight: 3, abandoned: 0 })
    member.markDead()
    member.markDead()
    expect(isDead(wordOf(slot))).toBe(true)
    // Not before it is reaped does anybody take it.
    const other = region.join()
    expect(other.slot).not.toBe(slot)
    other.leave()
    await visit()
    await until(() => registry.snapshot().threads === 1)
    expect(breaker.snapshot().totals).toMatchObject({ admitted: 4, inFlight: 0, abandoned: 3 })
    expectSound(registry, { quiet: true })
    const next = region.join()
    expect([next.slot, epochOf(wordOf(slot))]).toEqual([slot, epoch + 1])
    next.find('b').recordSuccess(next.find('b').tryAcquire())
    // The one who was dead says nothing any more: another epoch has its slot.
    member.markDead()
    expect([isLive(wordOf(slot)), isDead(wordOf(slot))]).toEqual([true, false])
    next.leave()
    await visit()
    await until(() => registry.snapshot().threads === 1)
    expect(epochOf(wordOf(slot))).toBe(epoch + 2)
    expect(breaker.snapshot().totals).toMatchObject({ admitted: 6, succeeded: 3, inFlight: 0 })
    expectSound(registry, { quiet: true })
  })

  it('the keeper reaps as well', async () => {
    const kept = createRegistry({ keeper: true })
    const b = kept.breaker('b')
    const { member } = new NativeRegion(kept.handle.buffer).vanish('b', 2)
    expect(b.snapshot().totals.inFlight).toBe(2)
    member.markDead()
    await until(() => kept.snapshot().threads === 1)
    expect(b.snapshot().totals).toMatchObject({ inFlight: 0, abandoned: 2 })
    kept.close()
  })

  it('a thread in the overflow slot has nothing to mark', () => {
    const full = [region.join(), region.join()]
    expect(full.map(({ slot }) => slot)).toEqual([2, 3])
    const { member } = region.vanish('b', 1)
    expect(member.slot).toBe(0)
    member.markDead()
    expect(registry.snapshot().threads).toBe(3)
    expect(breaker.snapshot().totals).toMatchObject({ inFlight: 1, abandoned: 0 })
  })
})

describe('other deaths', () => {
  it('a worker of Node that ends takes no native thread with it', async () => {
    const member = region.join()
    const native = member.find('b')
    const permit = native.tryAcquire()
    const worker = startWorker<boolean>(registry, 'visit', { breaker: 'b' })
    await worker.result
    await worker.worker.terminate()
    await until(() => registry.snapshot().threads === 2)
    expect(isDead(wordOf(member.slot))).toBe(false)
    expect(breaker.snapshot().totals).toMatchObject({ inFlight: 1, abandoned: 0 })
    expect(native.recordSuccess(permit)).toBe(true)
    member.leave()
    member.markDead()
    expect(registry.snapshot().threads).toBe(1)
  })

  it('the maker that leaves takes none either', () => {
    const native = region.join().find('b')
    const permit = native.tryAcquire()
    registry.close()
    expect(native.recordSuccess(permit)).toBe(true)
    const again = attachRegistry(registry.handle)
    expect(again.snapshot().threads).toBe(2)
    again.close()
  })
})
