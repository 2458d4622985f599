/** Waits (spec 2.5): growth, limits, jitter, and powers that overflow. */
import { describe, expect, it } from 'vitest'
import { readFields } from '../../src/options/read.ts'
import { applyShared, DEFAULT_NUMBERS, readShared } from '../../src/options/shared.ts'
import type { WaitDuration } from '../../src/options/types.ts'
import { waitMsOf } from '../../src/protocol/wait.ts'

function waits(wait: number | WaitDuration, openings: number[], seed = 1): number[] {
  const key = 'waitDurationInOpenStateMs'
  const fields = readFields('options', { [key]: wait }, [key])
  const numbers = applyShared(DEFAULT_NUMBERS, readShared('options', fields))
  return openings.map((opening, generation) => waitMsOf(numbers, opening, seed, generation))
}

describe('waitMsOf', () => {
  it.each<[number | WaitDuration, number[]]>([
    [1000, [1000, 1000, 1000, 1000]],
    [0, [0, 0, 0, 0]],
    [{ initialMs: 100, multiplier: 3, maxMs: 1000 }, [100, 300, 900, 1000]],
    [{ initialMs: 100 }, [100, 200, 400, 800]],
    [{ initialMs: 100, multiplier: 1 }, [100, 100, 100, 100]],
    [{ initialMs: 0, multiplier: 1000 }, [0, 0, 0, 0]],
    [{ initialMs: 700_000 }, [700_000, 700_000, 700_000, 700_000]],
  ])('%o: %o', (wait, expected) => {
    expect(waits(wait, [0, 1, 2, 3])).toEqual(expected)
  })

  it.each([1000, 100_000, 2 ** 31, 2 ** 32 - 1])('stops growing at maxMs after %d', opening => {
    expect(waits({ initialMs: 1, multiplier: 1000, maxMs: 5000 }, [opening])).toEqual([5000])
    expect(waits({ initialMs: 0, multiplier: 1000, maxMs: 5000 }, [opening])).toEqual([0])
  })

  it('with jitter is uniform in [1 - jitter, 1 + jitter], and the same for every helper', () => {
    const wait = { initialMs: 1000, multiplier: 1, jitter: 0.25 }
    const many = waits(wait, Array(20_000).fill(0))
    expect(Math.min(...many)).toBeGreaterThanOrEqual(750)
    expect(Math.max(...many)).toBeLessThanOrEqual(1250)
    const mean = many.reduce((sum, ms) => sum + ms, 0) / many.length
    expect(mean).toBeGreaterThan(995)
    expect(mean).toBeLessThan(1005)
    const tenths = Array(10).fill(0)
    for (const ms of many) tenths[Math.floor((ms - 750) / 50)]++
    for (const count of tenths) expect(count).toBeGreaterThan(1800)
    expect(waits(wait, [0, 0, 0])).toEqual(many.slice(0, 3))
    expect(waits(wait, [0, 0, 0], 2)).not.toEqual(many.slice(0, 3))
  })
})
