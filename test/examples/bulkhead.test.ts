import { describe, expect, test } from 'vitest'
import { runScript } from './run-example.ts'

const LIMIT = 20

interface Row {
  readonly calls: number
  readonly most: number
  readonly served: number
  readonly refused: number
}

describe('the dependency that slows down', async () => {
  const rows = parse(await runScript('examples/overload/bulkhead.mjs'))
  const [none, limited] = rows

  test('is called all the time, and every call is heard of', () => {
    expect(rows).toHaveLength(2)
    for (const { calls, served, refused } of rows) {
      expect(calls).toBeGreaterThan(500)
      expect(served + refused).toBe(calls)
    }
  })

  test('without a bulkhead has several hundred calls in flight', () => {
    expect(none?.most).toBeGreaterThan(10 * LIMIT)
    expect(none?.refused).toBe(0)
  })

  test('with one never has more than its limit', () => {
    expect(limited?.most).toBe(LIMIT)
    expect(limited?.refused).toBeGreaterThan(200)
    expect(limited?.served).toBeGreaterThan(100)
  })
})

function parse(text: string): Row[] {
  return text.split('\n').flatMap(line => {
    const cells = line.split('|').map(cell => cell.trim())
    const [calls, most, served, refused] = cells.slice(2, 6).map(Number)
    if (!(refused !== undefined && refused >= 0)) return []
    return [{ calls, most, served, refused } as Row]
  })
}
