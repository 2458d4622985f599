import { describe, expect, test } from 'vitest'
import { runScript } from './run-example.ts'

const LIMIT = 40

interface Row {
  readonly users: number
  readonly served: number
  readonly refused: number
  readonly reached: number
  readonly most: number
}

describe('a dependency that is slow, overloaded, hangs and recovers', async () => {
  const text = await runScript('examples/overload/pipeline.mjs')
  const rows = parse(text)
  const of = (phase: string, way: 'retry loop' | 'pipeline'): Row => {
    const row = rows.get(`${phase}, ${way}`)
    if (row === undefined) throw new Error(`no row for ${phase}, ${way} in\n${text}`)
    return row
  }

  test('is asked all the time, and the loop refuses nobody', () => {
    expect(rows.size).toBe(12)
    for (const [name, { users, served, refused }] of rows) {
      expect(users, text).toBeGreaterThan(100)
      expect(served + refused, text).toBeLessThanOrEqual(users)
      if (name.endsWith('loop')) expect(refused, text).toBe(0)
    }
  })

  test('serves nearly all when it is well, in both ways', () => {
    for (const phase of ['healthy', 'recovered']) {
      for (const way of ['retry loop', 'pipeline'] as const) {
        const { users, served } = of(phase, way)
        expect(served, text).toBeGreaterThan(0.7 * users)
      }
    }
  })

  test('never has more calls in flight than the bulkhead lets through', () => {
    for (const phase of ['healthy', 'slow', 'overloaded']) {
      expect(of(phase, 'pipeline').most, text).toBeLessThanOrEqual(LIMIT)
    }
    // A call that has timed out is over here, and over there once its socket is found closed.
    expect(of('hanging', 'pipeline').most, text).toBeLessThanOrEqual(2 * LIMIT)
    for (const phase of ['slow', 'hanging']) {
      expect(of(phase, 'retry loop').most, text).toBeGreaterThan(LIMIT)
    }
    // That is what it costs.
    expect(of('slow', 'pipeline').refused, text).toBeGreaterThan(0)
  })

  test('is sent less while it is overloaded or hangs', () => {
    for (const phase of ['overloaded', 'hanging']) {
      expect(of(phase, 'pipeline').reached, text).toBeLessThan(of(phase, 'retry loop').reached)
    }
    const { users, refused, most } = of('hanging', 'pipeline')
    expect(refused, text).toBeGreaterThan(users / 3)
    expect(most, text).toBeLessThan(of('hanging', 'retry loop').most)
  })
})

function parse(text: string): Map<string, Row> {
  const rows = new Map<string, Row>()
  for (const line of text.split('\n')) {
    const [, phase, way, ...cells] = line.split('|').map(cell => cell.trim())
    const [users, served, refused, reached, most] = cells.map(Number)
    if (!(most !== undefined && most >= 0)) continue
    rows.set(`${phase}, ${way}`, { users, served, refused, reached, most } as Row)
  }
  return rows
}
