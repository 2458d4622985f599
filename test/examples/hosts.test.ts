import { expect, it } from 'vitest'
import { runScript } from './run-example.ts'

const CALLS = 1000

interface Row {
  readonly served: number
  readonly failed: number
  readonly refused: number
  readonly reached: number
}

function parse(text: string): Map<string, Row> {
  const rows = new Map<string, Row>()
  for (const line of text.split('\n')) {
    const [, policy = '', calls, ...numbers] = line.split('|').map(cell => cell.trim())
    if (calls !== String(CALLS)) continue
    const [served = Number.NaN, failed = 0, refused = 0, reached = 0] = numbers.map(Number)
    rows.set(policy, { served, failed, refused, reached })
  }
  return rows
}

it('one bad host of five: a breaker opens for none or for all, a host group ejects the one', async () => {
  const text = await runScript('examples/overload/hosts.mjs')
  const rows = parse(text)
  const of = (policy: string): Row => {
    const row = rows.get(policy)
    if (row === undefined) throw new Error(`no row for ${policy} in\n${text}`)
    return row
  }
  for (const { served, failed, refused, reached } of rows.values()) {
    expect(served + failed + refused).toBe(CALLS)
    expect(reached).toBe(failed)
  }
  // A fifth of 1,000, give or take seven standard deviations.
  for (const policy of ['no protection', 'one breaker, opens at 50%']) {
    expect(of(policy).refused).toBe(0)
    expect(Math.abs(of(policy).failed - CALLS / 5)).toBeLessThan(90)
  }
  expect(of('one breaker, opens at 15%').refused).toBeGreaterThan(CALLS / 4)
  const group = of('a host group')
  expect(group.refused).toBe(0)
  expect(group.failed).toBeGreaterThanOrEqual(5)
  expect(group.failed).toBeLessThan(CALLS / 20)
})
