/** Words of a bulkhead overwritten at random: no call throws or hangs, and what is held stays held. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { REFUSED } from '../../../src/index.ts'
import { LINE_WORDS } from '../../../src/memory/layout.ts'
import { BulkheadQueue } from '../../../src/overload/bulkhead-queue.ts'
import { placesOf, reapBulkhead } from '../../../src/protocol/bulkhead.ts'
import { BulkheadCore } from '../../../src/protocol/bulkhead-core.ts'
import { countPlaces } from '../../../src/protocol/places.ts'
import { baseSeed, Random } from '../../model/random.ts'
import { bulkheadWorld, fateOf, microtasks } from './support.ts'

const OPTIONS = { maxConcurrentCalls: 3, maxQueuedCalls: 3, maxWaitMs: 50 }
const HISTORIES = 300
const STEPS = 60

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

it(`${HISTORIES} histories over damaged words`, async () => {
  const base = baseSeed('bulkhead, hostile')
  for (let seed = base; seed < base + HISTORIES; seed++) {
    const random = new Random(seed)
    const world = bulkheadWorld(OPTIONS)
    const control = world.controlOf(1)
    const { memory, shape } = control
    const core = new BulkheadCore(control, 1)
    const queue = new BulkheadQueue(core)
    const permits: number[] = []
    const fates: object[] = []
    for (let step = 0; step < STEPS; step++) {
      const act = random.between(0, 6)
      if (act === 0) permits.push(core.tryAcquire())
      if (act === 1) core.release(permits.length === 0 ? REFUSED : random.pick(permits))
      if (act === 2) {
        const waiting = queue.join(undefined)
        if (waiting !== undefined) fates.push(fateOf(waiting))
      }
      if (act === 3) world.clock.advance(random.between(1, 30))
      if (act === 4) reapBulkhead(control, new Set([random.between(0, 3)]))
      if (act >= 5) {
        // Its own line, its places, its queue.
        const at = control.record + LINE_WORDS * random.between(0, 3) + random.between(0, 7)
        if (at < control.record + shape.shards) memory[at] = garbage(random)
      }
      vi.advanceTimersByTime(5)
      await microtasks()
    }
    // Whatever is written there, calls that wait are heard of in the end.
    world.clock.advance(OPTIONS.maxWaitMs)
    vi.advanceTimersByTime(5)
    await microtasks()
    expect(queue.size, `seed ${seed}`).toBe(0)
    for (const fate of fates) expect(fate, `seed ${seed}`).not.toEqual({})
  }
})

function garbage(random: Random): number {
  return random.pick([
    0,
    1,
    2,
    -1,
    2 ** 31 - 1,
    -(2 ** 31),
    random.between(-(2 ** 31), 2 ** 31 - 1),
  ])
}

describe('a place whose holder makes no sense', () => {
  it('stays taken, whoever dies', () => {
    const { controlOf } = bulkheadWorld({ maxConcurrentCalls: 2 })
    const control = controlOf(1)
    const core = new BulkheadCore(control, 1)
    control.memory[placesOf(control).start] = -7
    const permit = core.tryAcquire()
    expect(permit).not.toBe(REFUSED)
    expect(core.tryAcquire()).toBe(REFUSED)
    core.release(permit)
    reapBulkhead(control, new Set([0, 1, 2, 3]))
    expect(countPlaces(placesOf(control))).toBe(1)
  })

  it('is not freed by the permit that held it', () => {
    const { controlOf } = bulkheadWorld({ maxConcurrentCalls: 1 })
    const control = controlOf(1)
    const core = new BulkheadCore(control, 1)
    const permit = core.tryAcquire()
    control.memory[placesOf(control).start] = 9
    core.release(permit)
    expect(core.tryAcquire()).toBe(REFUSED)
  })
})
