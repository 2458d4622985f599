import { describe, expect, it } from 'vitest'
import { Columns } from '../../src/dashboard/columns.ts'
import { between, percentile, perSecond } from '../../src/dashboard/rates.ts'

/** Counts up to 0.1 ms, 0.2, 0.4, ..., any. */
const partOf = (counts: readonly number[], part: number) => {
  const limitsMs = counts.map((_, at) =>
    at === counts.length - 1 ? Number.POSITIVE_INFINITY : 0.1 * 2 ** at,
  )
  return percentile(limitsMs, counts, part)
}

describe('rates', () => {
  it.each([
    [0, 1_000, 0],
    [10, 1_000, 10],
    [10, 2_000, 5],
    [1, 3_000, 0.333],
    [12_345, 1_000, 12_300],
    // A clock that stands still, and totals that went back, give none.
    [5, 0, 0],
    [-5, 1_000, 0],
  ])('%d calls in %d ms are %d a second', (count, elapsedMs, expected) => {
    expect(perSecond(count, elapsedMs)).toBe(expected)
  })
})

describe('percentiles of buckets', () => {
  it('there are none of no calls', () => {
    expect(partOf([0, 0, 0], 0.5)).toBeNull()
    expect(partOf([], 0.5)).toBeNull()
  })

  it('lie within the bucket of their rank', () => {
    // 10 up to 0.1 ms, 80 more up to 0.4, 10 longer than that.
    const found = [10, 10, 90, 100]
    expect(partOf(found, 0.05)).toBeLessThanOrEqual(0.1)
    expect(partOf(found, 0.5)).toBeGreaterThan(0.2)
    expect(partOf(found, 0.5)).toBeLessThanOrEqual(0.4)
    expect(partOf(found, 0.9)).toBe(0.4)
    expect(partOf(found, 0.99)).toBe(0.4)
  })

  it('are those of what lies between two readings', () => {
    const found = between([50, 50, 50], [50, 60, 60])
    expect(found).toEqual([0, 10, 10])
    expect(partOf(found, 0.5)).toBeGreaterThan(0.1)
    expect(between([], [1, 2])).toEqual([1, 2])
  })
})

describe('columns of the last two minutes', () => {
  it('take samples that are late by a little in pairs', () => {
    const columns = new Columns(1_000)
    const late = [0, 1_004, 2_001, 2_999, 4_010, 5_003].map(now => columns.columnAt(700 + now))
    expect(late).toEqual([0, 0, 1, 1, 2, 2])
    expect(columns).toMatchObject({ columnMs: 2_000, count: 60 })
  })

  it('are as wide as an interval that is longer', () => {
    expect(new Columns(10_000)).toMatchObject({ columnMs: 10_000, count: 12 })
  })

  it('forget what is older, and say where nobody looked', () => {
    const columns = new Columns(1_000)
    columns.add(7, 0, [1, 2, 3], 1_000)
    columns.add(7, 0, [1, 0, 0], 1_000)
    columns.add(7, 2, [4, 0, 0], 1_000)
    expect(columns.all(2)).toEqual([
      { id: 7, from: 0, columns: [2, 2, 3, 2_000, 0, 0, 0, 0, 4, 0, 0, 1_000] },
    ])
    columns.add(7, 60, [5, 0, 0], 1_000)
    const [past] = columns.all(60)
    expect(past?.from).toBe(1)
    expect(past?.columns.slice(0, 8)).toEqual([0, 0, 0, 0, 4, 0, 0, 1_000])
    expect(past?.columns).toHaveLength(60 * 4)
    // A long pause: nothing of before may be left.
    columns.add(7, 1_000, [6, 0, 0], 1_000)
    expect(columns.all(1_000)[0]?.columns.filter(value => value > 0)).toEqual([6, 1_000])
  })

  it('leave out breakers without calls, and those that are gone', () => {
    const columns = new Columns(1_000)
    columns.add(1, 0, [0, 0, 0], 1_000)
    columns.add(2, 0, [1, 0, 0], 1_000)
    expect(columns.all(0).map(({ id }) => id)).toEqual([2])
    columns.remove(2)
    expect(columns.all(0)).toEqual([])
  })
})
