import { describe, expect, it } from 'vitest'
import { AGE_BUCKETS } from '../../../src/memory/layout.ts'
import {
  agePlaceOf,
  ageStampOf,
  ageStepMs,
  callsOf,
  isAgedPermit,
  isAgedPermitOf,
  isCountOf,
  isHanging,
  isStampOfPermit,
  packAgeCount,
  packAgedPermit,
  packAgelessPermit,
  placeOfPermit,
} from '../../../src/memory/words/ages.ts'

const STAMPS = AGE_BUCKETS * 2 ** 25

describe('steps', () => {
  it.each([
    [160, 10],
    [200, 12.5],
    [16, 1],
    [3, 1],
    [0, 1],
  ])('a slow threshold of %d ms has steps of %d ms', (slowMs, stepMs) => {
    expect(ageStepMs(slowMs)).toBe(stepMs)
  })

  it.each([0, 1, 19, 20, 12_345, STAMPS - 1, STAMPS, STAMPS + 7, 40 * STAMPS + 3])(
    'place and stamp of step %d',
    step => {
      expect(ageStampOf(step)).toBe(step % STAMPS)
      expect(agePlaceOf(ageStampOf(step))).toBe(agePlaceOf(step))
    },
  )

  it.each([0, 5, STAMPS - 1, STAMPS, 3 * STAMPS - 9])('calls of step %d hang 17 later', step => {
    const stamp = ageStampOf(step)
    const hangs = [-20, -1, 0, 1, 16, 17, 18, 20, 1000].map(later => isHanging(stamp, step + later))
    const young = Array(5).fill(false)
    expect(hangs).toEqual([...young, true, true, true, true])
  })
})

describe('counts', () => {
  it.each([0, 1, 1023, 1024, 2047])('are of the holder with epoch %d alone', epoch => {
    const word = packAgeCount(epoch, 77) | 0
    expect(callsOf(word, epoch)).toBe(77)
    expect(isCountOf(word, epoch)).toBe(true)
    expect(callsOf(word, epoch ^ 1)).toBe(0)
    expect(isCountOf(word, epoch ^ 1024)).toBe(false)
  })

  it('stay within their bits', () => {
    expect(callsOf(packAgeCount(3, 2 ** 30), 3)).toBe(2 ** 21 - 1)
    expect(callsOf(packAgeCount(3, -1), 3)).toBe(0)
    expect(callsOf(packAgeCount(2048 + 3, 5), 3)).toBe(5)
  })
})

describe('permits', () => {
  it.each([
    [0, 0],
    [65_535, 19],
    [2 ** 28 - 1, STAMPS - 1],
    [70_000, 20_479],
    [1, 123_456_789],
  ])('of generation %d and stamp %d name both', (generation, stamp) => {
    const permit = packAgedPermit(generation, stamp)
    expect(permit).toBeGreaterThanOrEqual(0)
    expect(permit).toBeLessThan(2 ** 31)
    expect(isAgedPermitOf(permit, generation)).toBe(true)
    expect(isAgedPermitOf(permit, generation + 1)).toBe(false)
    expect(placeOfPermit(permit)).toBe(agePlaceOf(stamp))
    expect(isStampOfPermit(permit, stamp)).toBe(true)
    expect(isStampOfPermit(permit, (stamp + AGE_BUCKETS) % STAMPS)).toBe(false)
    expect(isStampOfPermit(permit, -1)).toBe(false)
  })

  it('of calls that no bucket tells of have no place in the ring', () => {
    const permit = packAgelessPermit(9)
    expect(isAgedPermitOf(permit, 9)).toBe(true)
    expect(placeOfPermit(permit)).toBeGreaterThanOrEqual(AGE_BUCKETS)
  })

  it.each([-1, 2 ** 31, 2 ** 52, 0.5, Number.NaN, '7', 7n, Symbol('7'), undefined, null, {}])(
    'are none of %s',
    value => {
      expect(isAgedPermit(value as number)).toBe(false)
      expect(isAgedPermitOf(value as number, 7)).toBe(false)
    },
  )
})
