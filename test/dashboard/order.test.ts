/** The page's pure parts: order and numbers. They are JavaScript for browsers, without types. */
import { describe, expect, it } from 'vitest'

interface Standing {
  readonly rank: number
  readonly until: number
}

interface Order {
  standingOf(breaker: object, now: number, before: Standing | undefined): Standing
  compare(one: object, other: object): number
  placeByName(breakers: object[]): void
}

type Format = Readonly<Record<string, (value: number) => string>>

async function load<T>(name: string): Promise<T> {
  return (await import(new URL(`../../src/dashboard/page/${name}`, import.meta.url).href)) as T
}

const order = await load<Order>('order.js')
const format = await load<Format>('format.js')

function breaker(state: string, failureRate: number | null = null, name = 'a') {
  const introduction = {
    failuresInARow: null,
    failureRateThreshold: 0.5,
    slowCallRateThreshold: 1,
  }
  return { name, state, failureRate, slowCallRate: null, failures: 0, introduction }
}

describe('order', () => {
  it('is trouble first, then near the threshold, then by name as people count', () => {
    const all = [
      breaker('closed', 0.1, 'service-10'),
      breaker('closed', 0.1, 'service-2'),
      breaker('closed', 0.4, 'near'),
      breaker('half-open', null, 'half'),
      breaker('forced-open', null, 'forced'),
      breaker('open', null, 'open'),
      breaker('disabled', null, 'aside'),
    ].map(each => ({ ...each, standing: order.standingOf(each, 0, undefined) }))
    order.placeByName(all)
    expect(all.sort(order.compare).map(({ name }) => name)).toEqual([
      'open',
      'forced',
      'half',
      'near',
      'aside',
      'service-2',
      'service-10',
    ])
  })

  it('changes at once for the worse and after five seconds for the better', () => {
    const open = order.standingOf(breaker('open'), 0, undefined)
    const half = order.standingOf(breaker('half-open'), 1_000, open)
    expect(half.rank).toBe(open.rank)
    // To and fro: it stays at its place.
    const again = order.standingOf(breaker('open'), 4_000, half)
    expect(order.standingOf(breaker('closed', 0), 8_999, again).rank).toBe(open.rank)
    expect(order.standingOf(breaker('closed', 0), 9_000, again).rank).toBeGreaterThan(open.rank)
    expect(order.standingOf(breaker('open'), 9_001, half).rank).toBe(open.rank)
  })

  it('does not change with every little change of a rate', () => {
    const near = order.standingOf(breaker('closed', 0.38), 0, undefined)
    const below = order.standingOf(breaker('closed', 0.3), 60_000, near)
    expect(below.rank).toBe(near.rank)
    const calm = order.standingOf(breaker('closed', 0.2), 120_000, below)
    expect(calm.rank).toBeGreaterThan(near.rank)
    expect(order.standingOf(breaker('closed', 0.3), 130_000, calm).rank).toBe(calm.rank)
  })
})

describe('numbers and times', () => {
  it.each([
    ['duration', 0, '0 s'],
    ['duration', 59_999, '59 s'],
    ['duration', 60_000, '1 min'],
    ['duration', 200_000, '3 min 20 s'],
    ['duration', 7_500_000, '2 h 5 min'],
    ['duration', 1e9, '11 d 13 h'],
    ['countdown', 1, '1 s'],
    ['countdown', 0, '0 s'],
    ['latency', 0.42, '0.4 ms'],
    ['latency', 1_340, '1.3 s'],
    ['rate', 0, '0'],
    ['rate', 0.333, '0.33'],
    ['rate', 3.33, '3.3'],
    ['rate', 12_345, '12,345'],
    ['count', 12_345_678, '12.3M'],
    ['percent', 0, '0 %'],
    ['percent', 0.001, '< 1 %'],
    ['percent', 0.999, '> 99 %'],
    ['percent', 1, '100 %'],
  ])('%s of %d is "%s"', (name, value, text) => {
    expect(format[name]?.(value)).toBe(text)
  })
})
