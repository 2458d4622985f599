import { describe, expect, test } from 'vitest'
import { runScript } from './run-example.ts'

interface Row {
  readonly offered: number
  readonly refused: number
  readonly sent: number
  readonly rejected: number
  readonly served: number
}

describe('the overloaded backend', async () => {
  const rows = parse(await runScript('examples/overload/throttle.mjs'))
  const [none, wide, narrow] = rows

  test('is offered several times what it can serve', () => {
    expect(rows).toHaveLength(3)
    for (const { offered, refused, sent } of rows) {
      expect(offered).toBeGreaterThan(400)
      expect(Math.abs(offered - refused - sent)).toBeLessThanOrEqual(2)
    }
  })

  test('serves less than half of what it could when all is sent', () => {
    expect(none).toMatchObject({ refused: 0 })
    expect(none?.served).toBeLessThan(60)
  })

  test('serves nearly all that it can behind a throttle, and is sent about k times that', () => {
    for (const [row, k] of [
      [wide, 2],
      [narrow, 1.2],
    ] as const) {
      expect(row?.served).toBeGreaterThan(1.3 * (none?.served ?? 0))
      expect(row?.served).toBeLessThanOrEqual(110)
      const factor = (row?.sent ?? 0) / (row?.served ?? 0)
      expect(Math.abs(factor - k)).toBeLessThan(0.4)
    }
  })
})

function parse(text: string): Row[] {
  return text.split('\n').flatMap(line => {
    const cells = line.split('|').map(cell => cell.trim())
    const [offered, refused, sent, rejected, served] = cells.slice(2, 7).map(Number)
    if (!(served !== undefined && served >= 0)) return []
    return [{ offered, refused, sent, rejected, served } as Row]
  })
}
