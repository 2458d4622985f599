import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HOST_GROUP } from '../../../src/memory/controls.ts'
import {
  episodeOf,
  inARowOf,
  MAX_IN_A_ROW,
  nextEpisode,
  packEjection,
  packPlace,
  placeEpisodeOf,
  placeHostOf,
  untilOf,
} from '../../../src/memory/words/hosts.ts'
import { controlNumbers, readControlFields } from '../../../src/options/controls.ts'
import type { HostGroupOptions } from '../../../src/overload/types.ts'
import {
  allowedEjections,
  ejectionMsOf,
  ejectionsLeft,
  leastRate,
  longestEjectionMsOf,
  nextInARow,
  outliersOf,
} from '../../../src/protocol/ejection-rules.ts'

function numbersOf(options: HostGroupOptions) {
  return controlNumbers(HOST_GROUP, 'options', readControlFields(HOST_GROUP, 'options', options))
}

describe('the cap', () => {
  test.each([
    [0, 10, 1],
    [1, 100, 1],
    [9, 0, 1],
    [10, 10, 1],
    [19, 10, 1],
    [20, 10, 2],
    [100, 29, 29],
    [100, 7, 7],
    [3, 100, 3],
    [5000, 100, 1024],
  ])('%d hosts, %d %%: %d may be ejected', (hosts, percent, allowed) => {
    expect(allowedEjections(hosts, percent)).toBe(allowed)
  })
})

describe('success rates', () => {
  test('the least is the mean less so many population standard deviations', () => {
    // Mean 5; squares 9 + 1 + 1 + 1 + 0 + 0 + 4 + 16 = 32 over 8: deviation 2.
    expect(leastRate([2, 4, 4, 4, 5, 5, 7, 9], 1.5)).toBeCloseTo(2, 12)
    // Of n hosts one at 0 and the others at 1: mean (n - 1) / n, deviation sqrt(n - 1) / n.
    expect(leastRate([1, 1, 1, 1, 0], 1.9)).toBeCloseTo(0.8 - 1.9 * 0.4, 12)
  })

  test('none of equal rates is below it, whatever rounding does to their mean', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.integer({ min: 0, max: 1000 }),
        fc.integer({ min: 1, max: 50 }),
        fc.double({ min: 0, max: 3, noNaN: true }),
        (calls, good, hosts, factor) => {
          const rate = Math.min(good, calls) / calls
          expect(rate < leastRate(new Array(hosts).fill(rate), factor)).toBe(false)
        },
      ),
    )
  })

  test('one bad host of five goes at 1.9 deviations, one of four does not', () => {
    const numbers = numbersOf({ successRate: { minimumHosts: 1 }, failurePercentage: OFF })
    const good = { calls: 100, failures: 0 }
    const bad = { calls: 100, failures: 50 }
    // z = sqrt(n - 1): 2 of five hosts, 1.73 of four.
    expect(outliersOf([good, bad, good, good, good], numbers)).toEqual([bad])
    expect(outliersOf([good, bad, good, good], numbers)).toEqual([])
  })

  test('hosts below the volume are not compared, and too few are not compared at all', () => {
    const numbers = numbersOf({ failurePercentage: OFF })
    const good = { calls: 100, failures: 0 }
    const bad = { calls: 100, failures: 99 }
    const small = { calls: 99, failures: 99 }
    expect(outliersOf([good, good, good, bad, small], numbers)).toEqual([])
    expect(outliersOf([good, good, good, good, bad, small], numbers)).toEqual([bad])
  })
})

const OFF = { threshold: 0 } as const

describe('failure percentage', () => {
  const numbers = numbersOf({
    successRate: { stdevFactor: 0 },
    failurePercentage: { threshold: 0.56, minimumHosts: 2, requestVolume: 25 },
  })
  // 14 of 25 reaches 0.56, although 0.56 * 25 is more than 14.
  const at = { calls: 25, failures: 14 }
  const below = { calls: 25, failures: 13 }
  const worse = { calls: 50, failures: 40 }

  test('a failed part of the threshold or more goes, the worst first', () => {
    expect(outliersOf([at, below, worse], numbers)).toEqual([worse, at])
  })

  test('all may have to go: it compares nobody', () => {
    expect(outliersOf([at, at], numbers)).toHaveLength(2)
  })

  test('too few hosts with the volume: nobody goes', () => {
    expect(outliersOf([worse, { calls: 24, failures: 24 }], numbers)).toEqual([])
  })

  test('whom both rules find goes once', () => {
    const both = numbersOf({
      successRate: { minimumHosts: 2, requestVolume: 1, stdevFactor: 0.5 },
      failurePercentage: { threshold: 0.5, minimumHosts: 1, requestVolume: 1 },
    })
    expect(outliersOf([worse, { calls: 50, failures: 0 }], both)).toEqual([worse])
  })
})

describe('the time of an ejection', () => {
  const numbers = numbersOf({ baseEjectionMs: 100, maxEjectionMs: 350, jitter: 0 })

  test('grows with those before it, up to the longest', () => {
    const times = [1, 2, 3, 4, MAX_IN_A_ROW].map(inARow => ejectionMsOf(numbers, inARow, 7, 7))
    expect(times).toEqual([100, 200, 300, 350, 350])
  })

  test('each whole interval of freedom takes one of those before it away', () => {
    expect(ejectionsLeft(3, 1000, 900, 50)).toBe(3)
    expect(ejectionsLeft(3, 1000, 1049, 50)).toBe(3)
    expect(ejectionsLeft(3, 1000, 1050, 50)).toBe(2)
    expect(ejectionsLeft(3, 1000, 1e9, 50)).toBe(0)
    expect(nextInARow(MAX_IN_A_ROW)).toBe(MAX_IN_A_ROW)
  })

  test('jitter adds a part of it, the same for one episode everywhere, spread over episodes', () => {
    const jittered = numbersOf({ baseEjectionMs: 100, maxEjectionMs: 350, jitter: 0.5 })
    const seed = 0x5eed
    const parts = Array.from({ length: 1000 }, (_, episode) => {
      const ms = ejectionMsOf(jittered, 1, seed, episode)
      expect(ejectionMsOf(jittered, 1, seed, episode)).toBe(ms)
      return (ms - 100) / 50
    })
    for (const part of parts) expect(part >= 0 && part < 1).toBe(true)
    expect(ejectionMsOf(jittered, 9, seed, 1)).toBeLessThan(longestEjectionMsOf(jittered))
    // Uniform: a mean of 1,000 such numbers is off by more than 0.05 once in 25 million seeds.
    expect(parts.reduce((sum, part) => sum + part) / 1000).toBeCloseTo(0.5, 1)
  })
})

describe('words', () => {
  test('an ejection reads back as it was packed, its end rounded up to whole ms', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 16_383 }),
        fc.integer({ min: 0, max: MAX_IN_A_ROW }),
        fc.double({ min: 0, max: 2 ** 42 - 1, noNaN: true }),
        (episode, inARow, until) => {
          const word = packEjection(episode, inARow, until)
          expect([episodeOf(word), inARowOf(word), untilOf(word)]).toEqual([
            episode,
            inARow,
            Math.ceil(until),
          ])
        },
      ),
    )
    expect(untilOf(packEjection(0, 0, 1e300))).toBe(2 ** 42 - 1)
    expect(nextEpisode(16_383)).toBe(0)
  })

  test('so does a place, which is never 0, and 0 names nobody', () => {
    for (const [host, episode] of [
      [0, 0],
      [65_535, 16_383],
      [17, 5],
    ] as const) {
      const place = packPlace(host, episode)
      expect(place).toBeGreaterThan(0)
      expect([placeHostOf(place), placeEpisodeOf(place)]).toEqual([host, episode])
    }
    expect(placeHostOf(0)).toBe(-1)
  })
})
