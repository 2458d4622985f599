/** Who goes first among threads, by the rule and by the queue. */
import { describe, expect, it } from 'vitest'
import { WAITER_WORDS } from '../../../src/memory/controls.ts'
import { placesOf } from '../../../src/protocol/bulkhead.ts'
import type { Control } from '../../../src/protocol/control.ts'
import { takePlace } from '../../../src/protocol/places.ts'
import { joinQueue, leaveQueue } from '../../../src/protocol/waiting.ts'
import {
  GIVE_WAY_AGAIN_MS,
  GIVE_WAY_MS,
  HEAD_START_MS,
  mayPass,
  Turns,
} from '../../../src/protocol/waiting-turns.ts'
import { bulkheadWorld } from './support.ts'

const NEVER = Number.POSITIVE_INFINITY

describe('a call may pass another', () => {
  it.each([
    // own, other, given
    [0, 0, NEVER, true],
    [0, HEAD_START_MS, NEVER, true],
    [0, HEAD_START_MS + 1, NEVER, false],
    [500, 500 + HEAD_START_MS, NEVER, true],
    [500, 500 + HEAD_START_MS + 1, NEVER, false],
    [500, 0, NEVER, true],
    [0, 1000, 0, false],
    [0, 1000, GIVE_WAY_MS - 0.001, false],
    [0, 1000, GIVE_WAY_MS, true],
    [0, 1000, GIVE_WAY_AGAIN_MS - 0.001, true],
    [0, 1000, GIVE_WAY_AGAIN_MS, false],
    // The other's time is damaged or not written yet.
    [0, Number.NaN, 0, true],
  ])('waited %d against %d ms, gave way for %d ms: %s', (own, other, given, expected) => {
    expect(mayPass(own, other, given)).toBe(expected)
  })
})

describe('a thread that finds a place free', () => {
  function scene(maxConcurrentCalls = 2) {
    const world = bulkheadWorld({ maxConcurrentCalls, maxQueuedCalls: 8, maxWaitMs: 500 })
    const [mine, other, third] = [1, 2, 3].map(world.controlOf) as [Control, Control, Control]
    const turns = new Turns(mine)
    return {
      world,
      mine,
      other,
      third,
      may: (waitedMs = 0) => turns.mayTake(world.clock.now(), waitedMs),
      join: (control: Control) => joinQueue(control, 0, world.clock.now()),
    }
  }

  it('takes it when nobody waits, and when others came at most 20 ms before', () => {
    const { world, other, may, join } = scene()
    expect(may()).toBe(true)
    join(other)
    world.clock.advance(20)
    expect(may()).toBe(true)
    world.clock.advance(1)
    expect(may()).toBe(false)
    expect(may(1)).toBe(true)
  })

  it('gives way for 5 ms, then not for 95 ms', () => {
    const { world, other, may, join } = scene()
    join(other)
    world.clock.advance(30)
    const answers = Array.from({ length: 30 }, () => {
      const answer = may()
      world.clock.advance(5)
      return answer
    })
    const away = answers.flatMap((answer, index) => (answer ? [] : [index * 5]))
    expect(away).toEqual([0, 100])
  })

  it('begins to give way only when there is something to take', () => {
    const { world, mine, other, may, join } = scene(1)
    takePlace(placesOf(mine), 1, 0)
    join(other)
    world.clock.advance(50)
    expect(may()).toBe(false)
    world.clock.advance(50)
    mine.memory[placesOf(mine).start] = 0
    expect(may()).toBe(false)
    world.clock.advance(4)
    expect(may()).toBe(false)
    world.clock.advance(1)
    expect(may()).toBe(true)
  })

  it('gives way anew when another call has become the oldest of that thread', () => {
    const { world, other, may, join } = scene()
    const first = join(other)
    world.clock.advance(10)
    join(other)
    world.clock.advance(30)
    expect(may()).toBe(false)
    world.clock.advance(5)
    expect(may()).toBe(true)
    leaveQueue(other, first)
    expect(may()).toBe(false)
    world.clock.advance(5)
    expect(may()).toBe(true)
  })

  it('gives way to each thread, whichever others do not come', () => {
    const { world, other, third, may, join } = scene()
    join(other)
    world.clock.advance(30)
    expect(may()).toBe(false)
    world.clock.advance(5)
    expect(may()).toBe(true)
    join(third)
    world.clock.advance(21)
    expect(may()).toBe(false)
    world.clock.advance(5)
    expect(may()).toBe(true)
  })

  it('does not wait for calls that have waited for longer than they may', () => {
    const { world, other, may, join } = scene()
    join(other)
    world.clock.advance(500)
    expect(may()).toBe(false)
    world.clock.advance(1)
    expect(may()).toBe(true)
  })

  it('is not held up by words that make no sense', () => {
    const { world, mine, may } = scene()
    const queue = mine.record + mine.shape.queue
    for (const [owner, arrived] of [
      [-1, -1],
      [7, 0],
      [2 ** 31 - 1, 2 ** 31 - 1],
      [9, -(2 ** 31)],
    ] as const) {
      mine.memory[queue + WAITER_WORDS] = owner
      mine.memory[queue + WAITER_WORDS + 1] = arrived
      const answers = Array.from({ length: 100 }, () => {
        world.clock.advance(1)
        return may()
      })
      expect(answers.filter(answer => !answer).length).toBeLessThanOrEqual(5)
    }
  })
})
