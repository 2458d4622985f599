/** How a thread goes without its clock while a keeper ticks: clock and ticks moved by hand. */
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { load, store } from '../../src/memory/atomics.ts'
import { HEADER } from '../../src/memory/layout.ts'
import { ASLEEP, FIRST_TICK, NO_KEEPER, nextTick } from '../../src/memory/words/tick.ts'
import {
  BOUND_MS,
  clock,
  expectExact,
  glance,
  glancesOnTrust,
  MAX_GLANCES,
  memory,
  START,
  setTick,
  setTime,
  TICK_MS,
  trustFully,
  useClock,
} from './monotonic/bench.ts'
import { fake } from './monotonic/process.ts'

vi.mock('node:process', () => import('./monotonic/process.ts'))

const LAST_TICK = 2 ** 30

beforeEach(() => useClock(TICK_MS))

describe('without a keeper', () => {
  it('each glance reads the clock', () => {
    expectExact()
    setTime(START + 1.5)
    glance()
    expect([clock.current, clock.latest]).toEqual([START + 1.5, START + 1.5])
  })

  it('in a region that was made without one, whatever the word says', () => {
    useClock(0)
    for (const tick of [FIRST_TICK, 77, ASLEEP, LAST_TICK]) {
      setTick(tick)
      expectExact()
      expect(load(memory, HEADER.TICK)).toBe(tick)
      expect(load(memory, HEADER.ACTIVE)).toBe(0)
    }
  })

  it.each([-2, -(2 ** 31), 2 ** 31 - 1, LAST_TICK + 1, 0x42555342, NO_KEEPER])(
    'with %i in the word, which is no tick',
    garbage => {
      setTick(garbage)
      expectExact()
      expect(load(memory, HEADER.TICK)).toBe(garbage)
      expect(load(memory, HEADER.ACTIVE)).toBe(0)
    },
  )

  it.each([Number.NaN, -5])('with a tick of %d ms', tickMs => {
    useClock(tickMs)
    setTick(FIRST_TICK)
    expectExact()
  })

  it('refresh and now read the clock', () => {
    clock.refresh()
    expect(clock.current).toBe(START)
    setTime(START + 4)
    expect(clock.now()).toBe(START + 4)
    expect(fake.reads).toBeGreaterThan(0)
  })
})

describe('with a keeper awake', () => {
  beforeEach(() => setTick(FIRST_TICK))

  it('the time is before two ticks from when the tick was seen first', () => {
    glance()
    expect([clock.current, clock.latest]).toEqual([START, START + BOUND_MS])
    // A look later within the tick moves the time on, and the bound not.
    setTime(START + 5)
    expect(glancesOnTrust()).toBe(1)
    expect([clock.current, clock.latest]).toEqual([START + 5, START + BOUND_MS])
  })

  it('trusts a tick for 1, 2, 4 .. 256 calls between two looks, and no longer', () => {
    expect(glance()).toBe(true)
    const runs = Array.from({ length: 11 }, glancesOnTrust)
    expect(runs).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 256, 256])
  })

  it('looks at once when the tick is another, and begins anew', () => {
    trustFully()
    setTime(START + TICK_MS)
    setTick(nextTick(FIRST_TICK))
    expect(glance()).toBe(true)
    expect([clock.current, clock.latest]).toEqual([START + TICK_MS, START + TICK_MS + BOUND_MS])
    expect([glancesOnTrust(), glancesOnTrust(), glancesOnTrust()]).toEqual([1, 2, 4])
  })

  it('looks at once when it goes to sleep or ends', () => {
    for (const word of [ASLEEP, NO_KEEPER]) {
      setTick(FIRST_TICK)
      trustFully()
      setTime(START + BOUND_MS)
      setTick(word)
      expect(glance()).toBe(true)
      expect(clock.latest).toBe(clock.current)
      useClock(TICK_MS)
    }
  })

  it('past the bound trusts the same tick no more, until it is another', () => {
    glance()
    setTime(START + BOUND_MS)
    expect(glancesOnTrust()).toBe(1)
    for (let call = 0; call < 1000; call++) {
      expect(glance()).toBe(true)
      expect(clock.latest).toBe(START + BOUND_MS)
    }
    setTick(nextTick(FIRST_TICK))
    expect(glance()).toBe(true)
    expect(clock.latest).toBe(START + 2 * BOUND_MS)
    expect(glance()).toBe(false)
  })

  it('dead, misleads for 256 calls at most', () => {
    trustFully()
    setTime(START + 1e6)
    let misled = 0
    while (clock.latest < START + 1e6) {
      glance()
      misled++
    }
    expect(misled).toBe(MAX_GLANCES + 1) // the last of them is the look that ends it
    for (let call = 0; call < 1000; call++) expect(glance()).toBe(true)
  })

  it('goes on past the last number of a tick', () => {
    setTick(LAST_TICK)
    trustFully()
    setTime(START + TICK_MS)
    setTick(nextTick(LAST_TICK))
    expect(load(memory, HEADER.TICK)).toBe(FIRST_TICK)
    expect(glance()).toBe(true)
    expect(clock.latest).toBe(START + TICK_MS + BOUND_MS)
    expect(glance()).toBe(false)
  })

  it('a whole round of ticks later does not take its number for the one of then', () => {
    trustFully()
    setTime(START + 1e9)
    expect(glancesOnTrust()).toBe(MAX_GLANCES)
    expect(clock.latest).toBe(START + 1e9)
    setTick(nextTick(FIRST_TICK))
    expect([glance(), glance()]).toEqual([true, false])
  })

  it('says that it is of use at each new tick, and only then', () => {
    for (let tick = FIRST_TICK; tick < 10; tick++) {
      setTick(tick)
      store(memory, HEADER.ACTIVE, 0)
      glance()
      expect(load(memory, HEADER.ACTIVE)).toBe(1)
      store(memory, HEADER.ACTIVE, 0)
      for (let call = 0; call < 1000; call++) glance()
      expect(load(memory, HEADER.ACTIVE)).toBe(0)
    }
  })
})

describe('with a keeper asleep', () => {
  beforeEach(() => {
    setTick(ASLEEP)
    glance()
    expect(load(memory, HEADER.TICK)).toBe(ASLEEP)
  })

  it.each([0, 0.5, TICK_MS - 0.5])('a second look %d ms later wakes it', ms => {
    setTime(START + ms)
    expect(glance()).toBe(true)
    expect(clock.latest).toBe(START + ms)
    expect(load(memory, HEADER.TICK)).toBe(FIRST_TICK)
    // The next look finds the tick.
    expect(glance()).toBe(true)
    expect(clock.latest).toBe(START + ms + BOUND_MS)
    expect(load(memory, HEADER.ACTIVE)).toBe(1)
    expect(glance()).toBe(false)
  })

  it.each([TICK_MS, TICK_MS + 0.5, 1e6])('looks that are %d ms apart do not', ms => {
    for (let look = 1; look <= 5; look++) {
      setTime(START + look * ms)
      expect(glance()).toBe(true)
      expect(clock.latest).toBe(START + look * ms)
    }
    expect(load(memory, HEADER.TICK)).toBe(ASLEEP)
    expect(load(memory, HEADER.ACTIVE)).toBe(0)
  })

  it('and awake again with the tick that this thread saw last, brings no old bound back', () => {
    setTick(FIRST_TICK)
    trustFully()
    setTick(ASLEEP)
    glance()
    setTime(START + 1e6)
    setTick(FIRST_TICK)
    expect(glance()).toBe(true)
    expect(clock.latest).toBe(START + 1e6)
  })
})
