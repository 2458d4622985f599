import { describe, expect, test } from 'vitest'
import { runScript } from './run-example.ts'

const USERS = 60
const ONE = '1 attempt'
const THREE = '3 attempts'
const BUDGETED = '3 attempts, budget of 20%'

interface Row {
  readonly policy: string
  /** Requests that reached each layer for each of a user's. */
  readonly edge: number
  readonly middle: number
  readonly backend: number
  readonly served: number
}

describe('the retry storm', async () => {
  const tables = parse(await runScript('examples/retry-storm/main.mjs'))
  const [dead = [], oneInTen = [], oneInTwo = []] = tables

  test('runs each policy against each backend', () => {
    const policies = tables.map(rows => rows.map(({ policy }) => policy))
    expect(policies).toEqual(Array(3).fill([ONE, THREE, BUDGETED]))
  })

  test('against a dead backend attempts multiply from layer to layer', () => {
    expect(dead[0]).toMatchObject({ edge: 1, middle: 1, backend: 1, served: 0 })
    expect(dead[1]).toMatchObject({ edge: 3, middle: 9, backend: 27, served: 0 })
  })

  test('and with budgets grow by a fifth a layer, over both threads of the edge', () => {
    const { edge = 0, middle = 0, backend = 0, served } = dead[2] ?? {}
    expect(served).toBe(0)
    const layers = [1, edge, middle, backend]
    for (const [layer, requests] of layers.slice(1).entries()) {
      const growth = requests / (layers[layer] ?? Number.NaN)
      expect(growth).toBeGreaterThan(1.1)
      // The table has two digits.
      expect(growth).toBeLessThanOrEqual(1.2 + 0.01)
    }
  })

  test('a backend that fails now and then is covered up, with budgets as without', () => {
    expect(oneInTen.map(({ served }) => served)).toEqual([54, USERS, USERS])
    for (const { backend } of oneInTen) expect(backend).toBeLessThan(1.2)
  })

  test('one that fails half of the time is not: budgets give up before they add to its load', () => {
    const [once, stubborn, budgeted] = oneInTwo.map(({ served }) => served)
    expect(once).toBe(USERS / 2)
    expect(budgeted).toBeGreaterThan(USERS / 2)
    expect(budgeted).toBeLessThan(stubborn ?? Number.NaN)
    expect(oneInTwo[2]?.backend).toBeLessThanOrEqual(1.2 ** 3 + 0.01)
  })
})

/** The rows of each table in the text. */
function parse(text: string): Row[][] {
  const tables: Row[][] = []
  for (const line of text.split('\n')) {
    const cells = line.split('|').map(cell => cell.trim())
    const [, policy = '', edge, middle, backend, served = ''] = cells
    if (policy === 'every layer') tables.push([])
    if (!served.endsWith(`of ${USERS}`)) continue
    const [edges, middles, backends] = [Number(edge), Number(middle), Number(backend)]
    const row = { policy, edge: edges, middle: middles, backend: backends }
    tables.at(-1)?.push({ ...row, served: Number.parseInt(served, 10) })
  }
  return tables
}
