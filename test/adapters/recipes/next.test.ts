/** The recipe for Next: its `register`, and what becomes of the fetches after it. */
import { expect, it } from 'vitest'
import { firstLineOf, json, startDependency } from './support.ts'

const REFUSED = 'ERR_CIRCUIT_OPEN'
const FAILURES = 5
const CALLS = FAILURES + 2

it.each([
  [
    'on Node puts a breaker under fetch',
    'nodejs',
    [...Array(FAILURES).fill(500), REFUSED, REFUSED],
  ],
  ['on the edge does nothing', 'edge', Array(CALLS).fill(500)],
])('register %s', async (_, runtime, expected) => {
  const dependency = await startDependency()
  dependency.answer = response => json(response, 500, { error: 'down' })
  const line = await firstLineOf('test/adapters/recipes/next-probe.mjs', {
    NEXT_RUNTIME: runtime,
    STOCK_URL: dependency.url,
    CALLS: String(CALLS),
  })
  expect(JSON.parse(line)).toEqual(expected)
  expect(dependency.calls).toBe(expected.filter(end => end === 500).length)
})
