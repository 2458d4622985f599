import { describe, expect, it } from 'vitest'
import { MAX_PLACES } from '../../../src/memory/controls.ts'
import {
  lastClaimOf,
  packArrived,
  packPermit,
  placeBitsOf,
  placeOfPermit,
  saysAny,
  waitedMs,
  withAny,
  withoutAny,
} from '../../../src/memory/words/bulkhead.ts'

describe('permits', () => {
  it.each([1, 2, 3, 10, 1000, MAX_PLACES])('of %d places say their place, in 31 bits', places => {
    const bits = placeBitsOf(places)
    const last = lastClaimOf(bits)
    expect(2 ** bits).toBeGreaterThanOrEqual(places)
    expect(last).toBeGreaterThanOrEqual(2 ** 19 - 1)
    for (const claim of [1, 2, 1000, last]) {
      for (const place of [0, places - 1]) {
        const permit = packPermit(claim, place, bits)
        expect(permit | 0).toBe(permit)
        expect(permit).toBeGreaterThan(0)
        expect(placeOfPermit(permit, bits)).toBe(place)
      }
    }
  })
})

describe('arrivals', () => {
  it.each([
    [0, 0, 0],
    [0, 0.9, 0],
    [0.9, 1, 1],
    [10, 35.5, 25],
    // Wherever 31 bits wrap.
    [2 ** 31 - 5, 2 ** 31 + 10, 15],
    [2 ** 33 - 5, 2 ** 33 + 10, 15],
    [3, 3 + 2 ** 30 - 1, 2 ** 30 - 1],
    // A thread whose clock reading is a little older than the arrival.
    [10, 9, -1],
  ])('%d, looked at at %d, has waited for %d ms', (arrivedMs, nowMs, expected) => {
    expect(waitedMs(packArrived(arrivedMs), nowMs)).toBe(expected)
  })

  it('are unknown until they are written', () => {
    expect(waitedMs(0, 1000)).toBeNaN()
  })

  it('fit the word', () => {
    for (const ms of [0, 1, 2 ** 31 - 2, 2 ** 31 - 1, 2 ** 31, 2 ** 40 + 0.5]) {
      expect(packArrived(ms)).toBeGreaterThanOrEqual(0)
      expect(packArrived(ms)).toBeLessThan(2 ** 31)
    }
  })
})

describe('the hint', () => {
  it('changes with every joiner, and keeps its version when it is cleared', () => {
    for (const word of [0, 1, 2, -1, -2, 2 ** 31 - 1, -(2 ** 31)]) {
      const joined = withAny(word)
      expect(saysAny(joined)).toBe(true)
      expect(joined).not.toBe(word)
      expect(joined | 0).toBe(joined)
      expect(saysAny(withoutAny(joined))).toBe(false)
      expect(withAny(withoutAny(joined))).not.toBe(joined)
      expect(withAny(withoutAny(joined))).toBe(withAny(joined))
    }
  })
})
